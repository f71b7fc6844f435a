#include "tests/conformance/served.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ARGUMENTS_MAX = 32
};

static struct served {
	pid_t pid; /* 0: free */
	char name[64];
} served[SERVED_MAX];

/* "cores=2,far=1M" becomes "--cores" "2" "--far" "1M"; what `text` holds is used up. */
static unsigned split(char *text, char names[][32], char **arguments)
{
	unsigned count = 0;
	char *rest = NULL;

	for (char *option = strtok_r(text, ",", &rest); option;
		option = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(option, '=');

		if (!value || count + 2 > ARGUMENTS_MAX - 8)
			continue;
		*value++ = '\0';
		snprintf(names[count], 32, "--%.29s", option);
		arguments[count] = names[count];
		arguments[count + 1] = value;
		count += 2;
	}
	return count;
}

/* Its first line. */
static int is_ready(int fd)
{
	ssize_t nbytes;
	char byte;

	do
		nbytes = read(fd, &byte, 1);
	while (nbytes < 0 && errno == EINTR);
	return nbytes == 1;
}

pid_t served_run(char **arguments)
{
	int ready[2], is_well;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(ready[1], STDOUT_FILENO);
		close(ready[0]);
		close(ready[1]);
		execv(*arguments, arguments);
		_exit(127);
	}
	close(ready[1]);
	is_well = pid > 0 && is_ready(ready[0]);
	close(ready[0]);
	if (!is_well && pid > 0)
		served_end(pid, SIGKILL);
	return is_well ? pid : -1;
}

void served_end(pid_t pid, int signal)
{
	if (pid <= 0) /* more than one process */
		return;
	kill(pid, signal);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static pid_t serve(char *path, unsigned index, const char *options)
{
	char program[] = TEST_DEVICE_PROGRAM, command[] = "serve", file[] = "--file";
	char base_name[] = "--base", base[32], names[ARGUMENTS_MAX][32], text[256];
	char *arguments[ARGUMENTS_MAX] = {program, command, file, path};
	unsigned count;

	/* Addresses of their own, because a test may open several. */
	snprintf(base, sizeof base, "0x%llx", 0x7ee000000000ull + index * 0x200000000ull);
	snprintf(text, sizeof text, "%s", options);
	count = 4 + split(text, names, arguments + 4);
	arguments[count++] = base_name;
	arguments[count] = base;
	return served_run(arguments);
}

const char *served_start(const char *options)
{
	for (unsigned i = 0; i < SERVED_MAX; i++) {
		struct served *one = &served[i];

		if (one->pid)
			continue;
		snprintf(one->name, sizeof one->name, "file:/dev/shm/conformance-%d-%u",
			(int)getpid(), i);
		one->pid = serve(strchr(one->name, ':') + 1, i, options);
		if (one->pid > 0)
			return one->name;
		one->pid = 0;
		return NULL;
	}
	fprintf(stderr, "more than %d devices are served\n", SERVED_MAX);
	return NULL;
}

void served_stop(const char *name)
{
	for (unsigned i = 0; i < SERVED_MAX; i++) {
		if (!served[i].pid || (name && strcmp(served[i].name, name) != 0))
			continue;
		served_end(served[i].pid, SIGTERM);
		served[i].pid = 0;
	}
}
