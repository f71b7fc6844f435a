#include "marks.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/abi/kernel.h"

static struct mark *all;
static size_t count;

static bool read_mark(struct mark *mark, const char *line)
{
	const char *at = strstr(line, "// ");
	strcpy(mark->kind, "KILLED");
	return at && (sscanf(at, "// fault %u: %31s", &mark->number, mark->kind) == 2 ||
			     sscanf(at, "// killed %u", &mark->number) == 1);
}

static void read_file(const char *folder, const char *name)
{
	char path[4096], line[500];
	struct mark mark = {.line = 0};
	const char *dot = strrchr(name, '.');
	if (!dot || strcmp(dot, ".c"))
		return;
	snprintf(mark.kernel, sizeof mark.kernel, "%.*s", (int)(dot - name), name);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file)) {
		mark.line++;
		if (!read_mark(&mark, line))
			continue;
		all = realloc(all, (count + 1) * sizeof *all);
		all[count++] = mark;
	}
	if (file)
		fclose(file);
}

size_t marks_read(const char *folder, const struct mark **marks)
{
	struct dirent **entries;
	int entry_count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < entry_count; i++) {
		read_file(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (entry_count >= 0)
		free(entries);
	*marks = all;
	return count;
}

const char *marks_kind(unsigned fault)
{
	static const char *const kinds[NK_FAULT_COUNT] = {[NK_FAULT_NONE] = "NONE",
#define NAME(name, text) [NK_FAULT_##name] = #name,
		NK_FAULTS(NAME)
#undef NAME
	};
	return fault < NK_FAULT_COUNT ? kinds[fault] : "unknown";
}
