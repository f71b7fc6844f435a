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

static void run(char *path, unsigned index, const char *options, int ready)
{
	char program[] = TEST_DEVICE_PROGRAM, serve[] = "serve", file[] = "--file";
	char base_name[] = "--base";
	char *arguments[ARGUMENTS_MAX] = {program, serve, file, path};
	char names[ARGUMENTS_MAX][32], text[256], base[32];
	unsigned count;

	/* Addresses of their own, because a test may open several. */
	snprintf(base, sizeof base, "0x%llx", 0x7ee000000000ull + index * 0x200000000ull);
	snprintf(text, sizeof text, "%s", options);
	count = 4 + split(text, names, arguments + 4);
	arguments[count++] = base_name;
	arguments[count] = base;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(ready, STDOUT_FILENO);
	execv(program, arguments);
	_exit(127);
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

static int start(struct served *one, unsigned index, const char *options)
{
	char *path = strchr(one->name, ':') + 1;
	int ready[2], result;

	if (pipe(ready))
		return 0;
	one->pid = fork();
	if (!one->pid) {
		close(ready[0]);
		run(path, index, options, ready[1]);
	}
	close(ready[1]);
	result = is_ready(ready[0]);
	close(ready[0]);
	return result;
}

const char *served_start(const char *options)
{
	for (unsigned i = 0; i < SERVED_MAX; i++) {
		struct served *one = &served[i];

		if (one->pid)
			continue;
		snprintf(one->name, sizeof one->name, "file:/dev/shm/conformance-%d-%u",
			(int)getpid(), i);
		if (start(one, i, options))
			return one->name;
		served_stop(one->name);
		return NULL;
	}
	fprintf(stderr, "more than %d devices are served\n", SERVED_MAX);
	return NULL;
}

pid_t served_process(const char *name)
{
	for (unsigned i = 0; i < SERVED_MAX; i++)
		if (served[i].pid && !strcmp(served[i].name, name))
			return served[i].pid;
	return 0;
}

void served_stop(const char *name)
{
	for (unsigned i = 0; i < SERVED_MAX; i++) {
		if (!served[i].pid || (name && strcmp(served[i].name, name) != 0))
			continue;
		kill(served[i].pid, SIGTERM);
		while (waitpid(served[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		served[i].pid = 0;
	}
}
