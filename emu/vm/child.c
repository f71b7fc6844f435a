#include "emu/vm/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOT_FOUND = 127, /* as shells say it */
};

/* In the child: it ends with its parent. Only functions that are safe after fork(). */
static _Noreturn void become(const char *const *arguments, pid_t parent, int output)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(NOT_FOUND);
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	execvp(arguments[0], (char *const *)arguments);
	_exit(NOT_FOUND);
}

/* What does not fit is read, too, so that the writer comes to its end. */
static void read_all(int from, char *output, size_t nbytes)
{
	size_t used = 0;
	char rest[512];

	for (;;) {
		size_t room = nbytes - 1 - used;
		ssize_t got = read(from, room ? output + used : rest, room ? room : sizeof rest);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += room ? (size_t)got : 0;
	}
	output[used] = '\0';
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return NOT_FOUND;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int vm_capture(const char *const *arguments, char *output, size_t nbytes)
{
	pid_t parent = getpid(), child;
	int ends[2];

	*output = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return NOT_FOUND;
	child = fork();
	if (child == 0)
		become(arguments, parent, ends[1]);
	close(ends[1]);
	if (child > 0)
		read_all(ends[0], output, nbytes);
	close(ends[0]);
	return child > 0 ? wait_for(child) : NOT_FOUND;
}
