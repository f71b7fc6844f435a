#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/doctor/doctor.h"

enum {
	LINE_MAX_NBYTES = 16384, /* the flags of a processor are one line */
};

__attribute__((format(printf, 3, 0))) static void make_path(
	const struct doctor *doctor, char *path, const char *format, va_list args)
{
	char below[PATH_MAX / 2];

	vsnprintf(below, sizeof below, format, args);
	snprintf(path, PATH_MAX, "%.1024s%s", doctor->root, below);
}

bool doctor_line(const struct doctor *doctor, char *line, size_t nbytes, const char *format, ...)
{
	char path[PATH_MAX];
	bool is_read;
	va_list args;
	FILE *file;

	va_start(args, format);
	make_path(doctor, path, format, args);
	va_end(args);
	file = fopen(path, "re");
	is_read = file && fgets(line, (int)nbytes, file);
	if (file)
		fclose(file);
	line[is_read ? strcspn(line, "\n") : 0] = '\0';
	return is_read;
}

bool doctor_field(
	const struct doctor *doctor, const char *path, const char *name, char *value, size_t nbytes)
{
	static char line[LINE_MAX_NBYTES];
	char whole[PATH_MAX];
	bool is_found = false;
	FILE *file;

	snprintf(whole, sizeof whole, "%.1024s%s", doctor->root, path);
	file = fopen(whole, "re");
	while (file && !is_found && fgets(line, sizeof line, file)) {
		const char *at = line + strlen(name);

		if (strncmp(line, name, strlen(name)) != 0 || !strchr(" \t:", *at) || !*at)
			continue;
		snprintf(value, nbytes, "%s", at + strspn(at, " \t:"));
		value[strcspn(value, "\n")] = '\0';
		is_found = true;
	}
	if (file)
		fclose(file);
	return is_found;
}

bool doctor_exists(const struct doctor *doctor, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	make_path(doctor, path, format, args);
	va_end(args);
	return !access(path, F_OK);
}

unsigned doctor_each(struct doctor *doctor, const char *folder, const char *prefix,
	void (*each)(struct doctor *doctor, const char *name))
{
	struct dirent **entries;
	char path[PATH_MAX];
	unsigned found = 0;
	int count;

	snprintf(path, sizeof path, "%.1024s%s", doctor->root, folder);
	count = scandir(path, &entries, NULL, versionsort);
	for (int i = 0; i < count; i++) {
		const char *rest = entries[i]->d_name + strlen(prefix);

		if (!strncmp(entries[i]->d_name, prefix, strlen(prefix)) && *rest >= '0' &&
			*rest <= '9') {
			each(doctor, entries[i]->d_name);
			found++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}
