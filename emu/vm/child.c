#include "emu/vm/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child is to become: all that it needs to know after fork(). */
struct plan {
	const char *const *arguments;
	pid_t parent;
	bool is_here;       /* with the parent's streams, and in its group */
	int output, errors; /* errors < 0: nowhere */
	const int *kept;
};

/* In the child. Only functions that are safe after fork(). */
static void take_streams(const struct plan *plan)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	dup2(nothing, STDIN_FILENO);
	dup2(plan->output, STDOUT_FILENO);
	dup2(plan->errors >= 0 ? plan->errors : nothing, STDERR_FILENO);
	for (const int *fd = plan->kept; fd && *fd >= 0; fd++)
		fcntl(*fd, F_SETFD, 0);
}

static _Noreturn void become(const struct plan *plan)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != plan->parent)
		_exit(VM_NOT_FOUND);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!plan->is_here)
		take_streams(plan);
	execvp(plan->arguments[0], (char *const *)plan->arguments);
	_exit(VM_NOT_FOUND);
}

static int code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return VM_NOT_FOUND;
	return code_of(status);
}

/* ---- to their end ---------------------------------------------------------------------------- */

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

int vm_capture(const char *const *arguments, char *output, size_t nbytes)
{
	struct plan plan = {.arguments = arguments, .parent = getpid(), .errors = -1};
	int ends[2];
	pid_t child;

	*output = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return VM_NOT_FOUND;
	plan.output = ends[1];
	child = fork();
	if (child == 0)
		become(&plan);
	close(ends[1]);
	if (child > 0)
		read_all(ends[0], output, nbytes);
	close(ends[0]);
	return child > 0 ? wait_for(child) : VM_NOT_FOUND;
}

/* ---- beside this one ------------------------------------------------------------------------- */

static bool start(struct vm_child *child, const struct plan *plan)
{
	pid_t pid = fork();

	if (pid == 0)
		become(plan);
	*child = (struct vm_child){.pid = pid > 0 ? pid : 0};
	return pid > 0;
}

bool vm_child_start(
	struct vm_child *child, const char *const *arguments, int output, const int *kept)
{
	const struct plan plan = {arguments, getpid(), false, output, output, kept};

	return start(child, &plan);
}

bool vm_child_start_here(struct vm_child *child, const char *const *arguments)
{
	const struct plan plan = {.arguments = arguments, .parent = getpid(), .is_here = true};

	return start(child, &plan);
}

bool vm_child_has_ended(struct vm_child *child)
{
	int status;

	if (child->pid && waitpid(child->pid, &status, WNOHANG) == child->pid) {
		child->status = code_of(status);
		child->pid = 0;
	}
	return !child->pid;
}

void vm_child_wait(struct vm_child *child)
{
	if (child->pid)
		child->status = wait_for(child->pid);
	child->pid = 0;
}

void vm_child_end(struct vm_child *child)
{
	if (!child->pid)
		return;
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL); /* it may not lead its group yet */
	vm_child_wait(child);
}
