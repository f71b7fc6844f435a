#include "emu/vm/watch.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "host/wait.h"

static sigset_t watched(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaddset(&set, signals[i]);
	return set;
}

bool vm_watch_begin(struct vm_watch *watch, unsigned timeout_s)
{
	sigset_t set = watched();

	*watch = (struct vm_watch){
		.deadline_ns = timeout_s ? nhost_deadline_ns((int64_t)timeout_s * 1000000000) : -1,
	};
	watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return watch->signals >= 0 && !sigprocmask(SIG_BLOCK, &set, NULL);
}

void vm_watch_end(struct vm_watch *watch)
{
	if (watch->signals >= 0)
		close(watch->signals);
}

struct vm_pump *vm_watch_add(struct vm_watch *watch, int from, int to)
{
	struct vm_pump *pump = &watch->pump[watch->count++];

	*pump = (struct vm_pump){.from = from, .to = to};
	return pump;
}

static int time_left_ms(const struct vm_watch *watch)
{
	int64_t left_ns = watch->deadline_ns - nhost_clock_ns();

	if (watch->deadline_ns < 0)
		return -1;
	return left_ns < 0 ? 0 : (int)(left_ns / 1000000) + 1;
}

/* Children that end are seen elsewhere; here they only end the wait. */
static void take_signals(struct vm_watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGCHLD)
			watch->signal = (int)info.ssi_signo;
}

bool vm_watch_step(struct vm_watch *watch)
{
	struct pollfd seen[VM_PUMPS_MAX + 1];
	int count;

	for (unsigned i = 0; i < watch->count; i++)
		seen[i] = vm_pump_wish(&watch->pump[i]);
	seen[watch->count] = (struct pollfd){.fd = watch->signals, .events = POLLIN};
	count = poll(seen, watch->count + 1, time_left_ms(watch));
	if (count < 0 && errno != EINTR) {
		watch->error = errno;
		return false;
	}
	take_signals(watch);
	for (unsigned i = 0; i < watch->count && count > 0; i++)
		vm_pump_move(&watch->pump[i], &seen[i]);
	watch->is_late = watch->deadline_ns >= 0 && nhost_clock_ns() >= watch->deadline_ns;
	return !watch->signal && !watch->is_late;
}
