#include "host/bell.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/wait.h"

/* ---- eventfds -------------------------------------------------------------------------------- */

int nhost_event_create(void)
{
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return event < 0 ? -errno : event;
}

void nhost_event_set(int event)
{
	const uint64_t one = 1;
	int cancel = nhost_cancel_hold();

	/* It cannot fail but when 2^64 - 2 is reached, and then it is set. */
	while (write(event, &one, sizeof one) < 0 && errno == EINTR)
		;
	nhost_cancel_release(cancel);
}

/* Of an eventfd or a timerfd. */
void nhost_event_clear(int event)
{
	int cancel = nhost_cancel_hold();
	uint64_t count;

	while (read(event, &count, sizeof count) < 0 && errno == EINTR)
		;
	nhost_cancel_release(cancel);
}

void nhost_event_close(int event)
{
	int cancel = nhost_cancel_hold();

	close(event);
	nhost_cancel_release(cancel);
}

void nhost_event_wait(int event, int64_t deadline_ns)
{
	struct pollfd wanted = {.fd = event, .events = POLLIN};
	int64_t left = deadline_ns < 0 ? 0 : deadline_ns - nhost_clock_ns();
	struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
	int cancel = nhost_cancel_hold();

	if (left >= 0)
		ppoll(&wanted, 1, deadline_ns < 0 ? NULL : &timeout, NULL);
	nhost_cancel_release(cancel);
}

/* ---- bells ----------------------------------------------------------------------------------- */

int nhost_bell_create(struct nhost_bell *bell)
{
	int event = nhost_event_create();
	int timer;

	*bell = (struct nhost_bell){-1, -1, 0};
	if (event < 0)
		return event;
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer < 0) {
		int error = errno;

		nhost_event_close(event);
		return -error;
	}
	bell->event = event;
	bell->timer = timer;
	return 0;
}

void nhost_bell_destroy(struct nhost_bell *bell)
{
	nhost_event_close(bell->event);
	nhost_event_close(bell->timer);
}

void nhost_bell_arm(struct nhost_bell *bell)
{
	__atomic_store_n(&bell->is_armed, 1, __ATOMIC_SEQ_CST);
}

void nhost_bell_ring(struct nhost_bell *bell)
{
	if (nhost_bell_is_armed(bell) && __atomic_exchange_n(&bell->is_armed, 0, __ATOMIC_ACQ_REL))
		nhost_event_set(bell->event);
}

void nhost_bell_ring_after(struct nhost_bell *bell, int64_t ns)
{
	const struct itimerspec once = {
		.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};

	timerfd_settime(bell->timer, 0, &once, NULL);
}

void nhost_bell_quiet(struct nhost_bell *bell)
{
	nhost_event_clear(bell->event);
	nhost_event_clear(bell->timer);
}
