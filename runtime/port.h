/*
 * port.h - the host's place: its lock, who takes lines from the device, and how calls wait.
 *
 *     port_enter()                          the lock
 *     while ((r = attempt) == -EAGAIN && !(r = port_wait(...)))
 *             ;
 *     port_leave()                          takes what has come, unlocks, calls the log callback
 *
 * One lock guards all that a device has on the host; it is held for an attempt, never while
 * waiting. Of the threads that wait, one is the drainer: it waits for lines without the lock, and
 * nobody else takes any meanwhile. Lines that it then takes wake those waiters whom they concern. A
 * drainer whose own wait is over hands its part to another waiter when it leaves. docs/runtime.md
 * follows one call through all this.
 */
#ifndef NEARSIDE_RUNTIME_PORT_H
#define NEARSIDE_RUNTIME_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "channels/place.h"
#include "runtime/lock.h"
#include "runtime/loop.h"

struct nproc_device;
struct parts;

/* One call that waits; on its thread's stack. */
struct port_waiter {
	uint64_t state; /* enum waiter_state; the futex of a waiter that is not the drainer */
	struct port_waiters
		*object; /* what it waits for; it is in the lists while it has no lock */
	TAILQ_ENTRY(port_waiter) of_object;
	TAILQ_ENTRY(port_waiter) of_port; /* among all waiters */
	/* A reader's buffer, into which lines may go straight. */
	char *bytes;
	uint64_t nbytes;
	uint64_t done;
	bool wants_all;      /* not called before done is nbytes or the stream ends */
	struct parts *parts; /* the buffer is in several parts; NULL: at bytes */
};

TAILQ_HEAD(port_waiters, port_waiter);

/* How long a call may still wait. */
struct port_patience {
	int64_t timeout_ns; /* as in the public calls */
	int64_t deadline_ns;
	bool has_deadline; /* the clock was read */
	bool has_looked;
};

struct port {
	struct lock lock;
	struct nchan_place place;
	struct port_waiter *own; /* of the thread that holds the lock, if it waits for something */
	bool has_received;       /* since the lock was taken */
	bool is_draining;        /* the drainer waits without the lock */
	struct port_waiter *drainer; /* while is_draining */
	struct port_waiter *heir;    /* was called to become the drainer */
	struct port_waiters waiters; /* all of them, the drainer too */
	struct port_waiters
		room_waiters; /* those that wait for room in a FIFO, a core's answer, a pipe's id */
	int gone;             /* negative errno: the device can no longer be waited for */
	struct loop loop;
};

static inline struct port_patience port_patience(int64_t timeout_ns)
{
	return (struct port_patience){.timeout_ns = timeout_ns};
}

/* The events of the channels' place, in events.c. */
extern const struct nchan_events port_events;

/* -ENOMEM. Cells and ends for `pipes_max` pipes. */
int port_create(struct nproc_device *device);
void port_destroy(struct nproc_device *device);

void port_enter(struct nproc_device *device);
void port_leave(struct nproc_device *device);

/* Takes what has come, unless a drainer waits: it does that. True when lines were taken. */
bool port_receive(struct nproc_device *device);

/*
 * With the lock held, which is let go while waiting: 0 when it may be time for another attempt.
 * -EAGAIN, -ETIMEDOUT   patience is over
 * -EPROTO, -ENODEV, -EDEADLK   nothing will come any more (detail says why)
 * -EPERM   this thread may not wait at a simulation
 */
int port_wait(struct nproc_device *device, struct port_waiters *object, struct port_waiter *waiter,
	struct port_patience *patience);

/*
 * Waits for as long as spinning pays and nobody else wants the lock, which is kept: when the line
 * comes it need not be taken again. Only while no drainer waits. May be late for a deadline by as
 * long as nhost_spin() spins. True: there are lines.
 */
bool port_spin(struct nproc_device *device);

/* Nobody else waits for lines, or listens to a bell: what has come is of no concern to others. */
static inline bool port_is_alone(const struct port *port)
{
	return !port->is_draining && TAILQ_EMPTY(&port->waiters) && !port->loop.is_armed;
}

/* Until `lines` lines for this core can be stored. Errors as port_wait(). */
int port_wait_for_room(
	struct nproc_device *device, unsigned core, unsigned lines, struct port_patience *patience);

/*
 * Says why waiting has failed: what the device's wait() or listen() gave. Returns it, or -ENODEV.
 */
int port_fail_wait(struct nproc_device *device, int number);
/* 0, or why nothing will come any more: -EPROTO, -ENODEV. */
int port_check(struct nproc_device *device);

/* Something has happened that a program in an event loop may wait for. */
static inline void port_tell_loop(struct nproc_device *device, struct port *port)
{
	if (nchan_unlikely(port->loop.is_armed))
		loop_ring(device);
}

/*
 * The waiter of the thread that holds the lock, if it waits for this; else NULL. It stands behind
 * those in the list.
 */
static inline struct port_waiter *port_own(struct port *port, const struct port_waiters *object)
{
	return port->own && port->own->object == object ? port->own : NULL;
}

/* Lets a waiter try again. */
void port_call(struct nproc_device *device, struct port_waiter *waiter);
void port_call_all(struct nproc_device *device, struct port_waiters *waiters);

#endif
