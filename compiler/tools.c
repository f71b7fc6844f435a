/* tools.c - running other programs, and files. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/nprocc.h"

extern char **environ;

static char *folder;
static pid_t owner; /* of the folder: the compiler, not a process that it has forked */

const char *tools_folder(void)
{
	if (folder)
		return folder;
	const char *parent = getenv("TMPDIR");
	folder = pool_format("%s/nprocc-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(folder)) {
		fprintf(stderr,
			"nprocc: cannot make the folder %s: %s; set TMPDIR to one that can be written\n",
			folder, strerror(errno));
		exit(2);
	}
	owner = getpid();
	interrupt_remove(folder);
	return folder;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

void tools_clean(void)
{
	if (folder && owner != getpid())
		return;
	if (folder)
		nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	interrupt_remove(NULL);
	folder = NULL;
}

bool tools_ends(const char *path, const char *suffix)
{
	size_t length = strlen(path), tail = strlen(suffix);
	return length >= tail && !strcmp(path + length - tail, suffix);
}

void tools_add(struct command *command, const char *argument)
{
	command->argv = pool_grow(command->argv, command->argc, sizeof *command->argv);
	command->argv[command->argc++] = argument;
}

static void print_command(const char *const argv[])
{
	for (size_t i = 0; argv[i]; i++)
		fprintf(stderr, "%s%s", i ? " " : "  ", argv[i]);
	fputc('\n', stderr);
}

int tools_run(const char *const argv[], bool verbose)
{
	if (verbose)
		print_command(argv);
	pid_t child;
	int error = posix_spawnp(&child, argv[0], NULL, NULL, (char *const *)argv, environ);
	int status = 0;
	if (!error)
		interrupt_forward(child);
	bool started = !error;
	while (!error && waitpid(child, &status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	if (started)
		interrupt_forget(child);
	if (error) {
		diag_error(NULL, 0, 0, pool_format("cannot run %s: %s", argv[0], strerror(error)),
			"install the packages clang-19 and lld-19");
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool fail(const char *what, const char *path)
{
	diag_error(path, 0, 0, pool_format("cannot %s: %s", what, strerror(errno)), NULL);
	return false;
}

/* Not a device, which root could remove. */
static bool is_regular(FILE *file)
{
	struct stat status;
	return !fstat(fileno(file), &status) && S_ISREG(status.st_mode);
}

bool tools_write(const char *path, const void *bytes, size_t nbytes)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return fail("be written", path);
	bool is_ours = is_regular(file);
	bool written = fwrite(bytes, 1, nbytes, file) == nbytes;
	if (fclose(file) || !written) {
		fail("be written", path);
		if (is_ours)
			remove(path);
		return false;
	}
	return true;
}

bool tools_read(const char *path, void **bytes, size_t *nbytes)
{
	FILE *file = fopen(path, "rb");
	struct stat status;
	if (!file || fstat(fileno(file), &status)) {
		fail("be read", path);
		if (file)
			fclose(file);
		return false;
	}
	*nbytes = (size_t)status.st_size;
	*bytes = pool_alloc(*nbytes + 1); /* a text file ends as a string */
	bool whole = fread(*bytes, 1, *nbytes, file) == *nbytes;
	fclose(file);
	return whole || fail("be read", path);
}

/* The folder above the one that this program is in. */
static const char *prefix(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	for (int parents = 0; parents < 2 && length > 0; parents++) {
		while (length > 0 && path[--length] != '/')
			;
		path[length] = '\0';
	}
	return path;
}

const char *tools_include_folder(void)
{
	const char *installed = pool_format("%s/include", prefix());
	if (!access(pool_format("%s/nearside/kernel.h", installed), R_OK))
		return installed;
	return NPROCC_INCLUDE_FOLDER; /* in the build tree */
}

const char *tools_library_folder(void)
{
	return pool_format("%s/lib", prefix());
}
