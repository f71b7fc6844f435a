#include "apps/graph/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

int output_problem(const struct output *output, int error, struct problem *problem)
{
	return problem_set(problem, error, "%s: cannot write: %s", output->path, strerror(-error));
}

/* ---- files without a name -------------------------------------------------------------------- */

/* Where /proc shows the open file, by which it gets its name. */
static const char *shown_at(int fd, char text[static 32])
{
	snprintf(text, 32, "/proc/self/fd/%d", fd);
	return text;
}

static int open_nameless(const char *target)
{
	char folder[PATH_MAX], shown[32];
	const char *slash = strrchr(target, '/');
	int fd;

	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - target) + 1 : 1,
		slash ? target : ".");
	fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == EISDIR || errno == EINVAL ? -EOPNOTSUPP : -errno;
	if (access(shown_at(fd, shown), F_OK) == 0)
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

static char *temporary_name(const char *target)
{
	char *name;

	return asprintf(&name, "%s.%ld.tmp", target, (long)getpid()) < 0 ? NULL : name;
}

/* With a name, for systems that have it no other way. */
static int open_named(struct output *output)
{
	output->temporary = temporary_name(output->target);
	if (!output->temporary)
		return -ENOMEM;
	output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (output->fd >= 0)
		return 0;
	free(output->temporary);
	output->temporary = NULL;
	return -errno;
}

/* A link cannot replace a file; a rename can, so the file gets a name for that moment. */
static int link_over(const char *shown, const char *target)
{
	char *temporary = temporary_name(target);
	int error = 0;

	if (!temporary)
		return -ENOMEM;
	if (linkat(AT_FDCWD, shown, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) != 0) {
		error = -errno;
	} else if (rename(temporary, target) != 0) {
		error = -errno;
		unlink(temporary);
	}
	free(temporary);
	return error;
}

static int give_name(const struct output *output)
{
	char shown[32];

	if (output->temporary)
		return rename(output->temporary, output->target) == 0 ? 0 : -errno;
	shown_at(output->fd, shown);
	if (linkat(AT_FDCWD, shown, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return errno == EEXIST ? link_over(shown, output->target) : -errno;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* Closes the file and takes its name away, if that is not yet the target's. */
static void drop(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	if (output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
}

static bool is_same_file(const struct stat *status, const char *input)
{
	struct stat of_input;

	return input && S_ISREG(status->st_mode) && stat(input, &of_input) == 0 &&
	       status->st_dev == of_input.st_dev && status->st_ino == of_input.st_ino;
}

static int open_in_place(struct output *output, const char *path)
{
	output->fd = output_is_stdout(path) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
					    : open(path, O_WRONLY | O_CLOEXEC);
	return output->fd < 0 ? -errno : 0;
}

/* A file that will be made, or replaced if the user may write to it. */
static int open_anew(struct output *output, const char *path, bool exists)
{
	int error;

	if (exists && access(path, W_OK) != 0)
		return -errno;
	output->target = exists ? realpath(path, NULL) : strdup(path); /* through symbolic links */
	if (!output->target)
		return -errno;
	output->fd = open_nameless(output->target);
	if (output->fd >= 0)
		return 0;
	error = output->fd;
	if (error == -EOPNOTSUPP)
		error = open_named(output);
	if (!error)
		drop(output);
	return error;
}

int output_open(struct output *output, const char *path, const char *input, struct problem *problem)
{
	struct stat status;
	bool exists;
	int error;

	*output = (struct output){.path = path, .fd = -1};
	exists = output_is_stdout(path) ? fstat(STDOUT_FILENO, &status) == 0
					: stat(path, &status) == 0;
	if (!exists && (errno != ENOENT || !*path))
		return output_problem(output, -errno, problem);
	if (exists && is_same_file(&status, input))
		return problem_set(problem, -EINVAL,
			"%s: is the graph's own file; the result must go to another one", path);
	if (output_is_stdout(path) || (exists && !S_ISREG(status.st_mode)))
		error = open_in_place(output, path);
	else
		error = open_anew(output, path, exists);
	if (!error)
		return 0;
	output_close(output);
	return output_problem(output, error, problem);
}

int output_begin(struct output *output, struct problem *problem)
{
	int error = output->fd < 0 ? open_named(output) : 0;

	return error ? output_problem(output, error, problem) : output->fd;
}

int output_commit(struct output *output, struct problem *problem)
{
	int error = output->target ? give_name(output) : 0;

	if (error)
		return output_problem(output, error, problem);
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

void output_close(struct output *output)
{
	drop(output);
	free(output->target);
	*output = (struct output){.path = output->path, .fd = -1};
}

int printed_all(FILE *file, struct problem *problem)
{
	const char *name = file == stderr ? "error" : "output";
	int error;

	errno = 0;
	error = fflush(file) != 0 || ferror(file) ? errno : 0;
	if (!error && !ferror(file))
		return 0;
	return problem_set(problem, error ? -error : -EIO, "cannot write to standard %s: %s", name,
		strerror(error ? error : EIO));
}
