#include "bench/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

extern char **environ;

static double nanoseconds(const struct timeval *time)
{
	return (double)time->tv_sec * 1e9 + (double)time->tv_usec * 1e3;
}

/* Both streams into a pipe. False: there is no such program. */
static bool start(const char *const *arguments, pid_t *child, int *output)
{
	posix_spawn_file_actions_t actions;
	int files[2], error;

	if (pipe2(files, O_CLOEXEC))
		bench_die("no file descriptors");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, files[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, files[1], STDERR_FILENO);
	error = posix_spawnp(
		child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(files[1]);
	*output = files[0];
	if (error)
		close(files[0]);
	return !error;
}

static void read_all(int file, char *text, size_t room)
{
	char rest[4096];
	size_t used = 0;
	ssize_t nbytes;

	while ((nbytes = read(file, rest, sizeof(rest))) > 0) {
		size_t take = (size_t)nbytes < room - 1 - used ? (size_t)nbytes : room - 1 - used;

		memcpy(text + used, rest, take);
		used += take;
	}
	while (used && text[used - 1] == '\n')
		used--;
	text[used] = 0;
	for (char *end = text; (end = strchr(end, '\n'));)
		*end = ' ';
}

void bench_command(const char *const *arguments, struct bench_command_result *result)
{
	double began = bench_now_ns();
	struct rusage usage;
	int output, status;
	pid_t child;
	bool started;

	*result = (struct bench_command_result){.exit_code = 127};
	bench_pin_self_to_both(); /* which the program inherits */
	started = start(arguments, &child, &output);
	bench_pin_self(0);
	if (!started)
		return;
	read_all(output, result->output, sizeof(result->output));
	close(output);
	if (wait4(child, &status, 0, &usage) != child)
		bench_die("cannot wait for %s", arguments[0]);
	result->ns = bench_now_ns() - began;
	result->cpu_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
	result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

const char *bench_beside(const char *name, char *buffer, size_t nbytes)
{
	ssize_t length = readlink("/proc/self/exe", buffer, nbytes - 1);
	char *slash;

	buffer[length > 0 ? length : 0] = 0;
	slash = strrchr(buffer, '/');
	if (slash)
		snprintf(slash + 1, nbytes - (size_t)(slash + 1 - buffer), "%s", name);
	return buffer;
}
