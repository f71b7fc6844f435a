#include "emu/vm/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/vm/child.h"

bool vm_files_is_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static bool is_program(const char *path)
{
	return vm_files_is_regular(path) && !access(path, X_OK);
}

bool vm_files_find(const char *name, struct vm_path *path)
{
	const char *folder = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path->text, sizeof path->text, "%s", name);
		return is_program(name);
	}
	for (; folder && *folder; folder += strspn(folder, ":")) {
		int length = (int)strcspn(folder, ":");

		if (snprintf(path->text, sizeof path->text, "%.*s/%s", length, folder, name) <
				(int)sizeof path->text &&
			is_program(path->text))
			return true;
		folder += length;
	}
	return false;
}

struct vm_path vm_files_absolute(const char *path)
{
	struct vm_path absolute;
	char folder[sizeof absolute.text];

	if (*path == '/' || !getcwd(folder, sizeof folder))
		*folder = '\0';
	/* "/" comes back as "//" */
	if (snprintf(absolute.text, sizeof absolute.text, "%s%s%s", folder, *path == '/' ? "" : "/",
		    path) >= (int)sizeof absolute.text)
		absolute.text[0] = '\0';
	return absolute;
}

/* ---- programs -------------------------------------------------------------------------------- */

struct walk {
	int (*each)(void *context, const char *path, struct nhost_error *error);
	void *context;
	struct nhost_error *error;
};

/*
 * One line of ldd: "NAME => PATH (ADDRESS)", "PATH (ADDRESS)", "NAME => not found", or about what
 * the kernel provides.
 */
static int visit_library(const struct walk *walk, const char *program, char *line)
{
	char *path = strchr(line, '/');

	if (strstr(line, "not found"))
		return nhost_fail(walk->error, ENOENT,
			"%s needs a library that is not on this machine: %s", program,
			line + strspn(line, " \t"));
	if (!path)
		return 0;
	path[strcspn(path, " ")] = '\0';
	return walk->each(walk->context, path, walk->error);
}

static int visit_libraries(const struct walk *walk, const char *program)
{
	const char *const arguments[] = {"ldd", program, NULL};
	char lines[16384], *rest = lines, *line;
	int result = 0;

	if (vm_capture(arguments, lines, sizeof lines))
		return 0; /* it is linked with none */
	while (!result && (line = strsep(&rest, "\n")))
		result = visit_library(walk, program, line);
	return result;
}

/* The beginning of the file, as a string. */
static void read_beginning(const char *path, char *text, size_t nbytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, nbytes - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static int visit(const struct walk *walk, const char *path)
{
	char beginning[256], *interpreter = beginning + 2;
	int result = walk->each(walk->context, path, walk->error);

	if (result)
		return result;
	read_beginning(path, beginning, sizeof beginning);
	if (!strncmp(beginning, "\177ELF", 4))
		return visit_libraries(walk, path);
	if (strncmp(beginning, "#!", 2))
		return 0;
	interpreter += strspn(interpreter, " \t");
	interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
	result = vm_files_is_regular(interpreter)
			 ? walk->each(walk->context, interpreter, walk->error)
			 : 0;
	return result ? result : visit_libraries(walk, interpreter);
}

int vm_files_each_of_program(const char *path,
	int (*each)(void *context, const char *path, struct nhost_error *error), void *context,
	struct nhost_error *error)
{
	const struct walk walk = {each, context, error};

	return visit(&walk, path);
}
