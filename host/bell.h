/*
 * bell.h - a file descriptor that becomes readable when the host has something to do: for threads
 * that wait in an event loop and not on a futex (wait.h).
 *
 *     nhost_bell_quiet()      the listener: what rang before is about to be looked at
 *     nhost_bell_arm()        from now on the next ring counts
 *     look for lines          a ring that came before was about these
 *     poll(fd)
 *
 *     store a line; nhost_bell_ring()     who has something: a system call only when armed
 */
#ifndef NEARSIDE_HOST_BELL_H
#define NEARSIDE_HOST_BELL_H

#include <stdbool.h>
#include <stdint.h>

struct nhost_bell {
	int event; /* an eventfd */
	int timer; /* a timerfd: rings by itself, for what nobody rings for */
	uint32_t is_armed;
};

/* 0 or a negative errno. Zeroed but for failure, when nothing is left. */
int nhost_bell_create(struct nhost_bell *bell);
void nhost_bell_destroy(struct nhost_bell *bell);

static inline bool nhost_bell_is_armed(const struct nhost_bell *bell)
{
	return __atomic_load_n(&bell->is_armed, __ATOMIC_RELAXED);
}

void nhost_bell_arm(struct nhost_bell *bell);

/* Any thread. Rings once for each time it is armed. */
void nhost_bell_ring(struct nhost_bell *bell);

/* Rings in so many ns, whatever else happens. */
void nhost_bell_ring_after(struct nhost_bell *bell, int64_t ns);

/* Neither descriptor is readable any more. */
void nhost_bell_quiet(struct nhost_bell *bell);

/* ---- eventfds that are set or not ------------------------------------------------------------ */

/* A new one, not set; or a negative errno. */
int nhost_event_create(void);
void nhost_event_set(int event);
void nhost_event_clear(int event);
/*
 * Until it is set, or the clock of nhost_clock_ns() reaches deadline_ns (negative: never), or a
 * signal.
 */
void nhost_event_wait(int event, int64_t deadline_ns);

/* Also of every other descriptor. */
void nhost_event_close(int event);

#endif
