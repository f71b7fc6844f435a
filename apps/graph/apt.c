/*
 * The package lists of this machine, read through apt itself, which knows where they are, how they
 * are compressed, and which version of a package counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/graph/packages.h"

extern char **environ;

/* Starts apt-cache, without a shell. *out: what it prints. */
static int start(pid_t *pid, int *out, struct problem *problem)
{
	char program[] = "apt-cache", verb[] = "dumpavail";
	char *const command[] = {program, verb, NULL};
	posix_spawn_file_actions_t actions;
	int pipe_fd[2], error;

	if (pipe2(pipe_fd, O_CLOEXEC) != 0)
		return problem_set(problem, -errno, "cannot run apt-cache: %s", strerror(errno));
	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO);
		if (!error)
			error = posix_spawnp(pid, program, &actions, NULL, command, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(pipe_fd[1]);
	*out = pipe_fd[0];
	if (!error)
		return 0;
	close(pipe_fd[0]);
	return problem_set(problem, -error,
		"cannot run apt-cache: %s; --from-apt needs apt, as on Debian", strerror(error));
}

static int wait_for(pid_t pid, struct problem *problem)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return problem_set(
				problem, -errno, "cannot wait for apt-cache: %s", strerror(errno));
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return problem_set(problem, -EIO,
			"`apt-cache dumpavail` failed with exit status %d", WEXITSTATUS(status));
	return problem_set(
		problem, -EIO, "`apt-cache dumpavail` was ended by signal %d", WTERMSIG(status));
}

int packages_from_apt(struct edges *edges, uint64_t *unknown_count, struct problem *problem)
{
	struct problem of_apt;
	struct lines lines;
	pid_t pid;
	int out = -1, error, apt_error;

	*unknown_count = 0;
	error = start(&pid, &out, problem);
	if (error)
		return error;
	error = lines_open(&lines, out, "apt-cache dumpavail", problem);
	if (!error) {
		error = packages_read(&lines, edges, unknown_count, problem);
		lines_close(&lines); /* if that failed half way, apt-cache ends by SIGPIPE */
	}
	apt_error = wait_for(pid, &of_apt);
	if (!error && apt_error) {
		*problem = of_apt;
		error = apt_error;
	}
	if (!error && edges->vertex_count == 0)
		return problem_set(problem, -ENOENT,
			"apt has no package lists; get them by typing: apt-get update");
	return error;
}
