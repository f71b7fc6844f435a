/*
 * explain.h - who waits for whom: what the cores report (ASK, STATE) joined with what the host
 * knows.
 *
 *     explain_ask()          two reports of each core; the second counts, the first tells whether
 *                            anything moved
 *     explain_index()        sorts, without the lock
 *     explain_find_stuck()   who can never go on, if nothing moved
 *     explain_text()         all of it in words
 */
#ifndef NEARSIDE_RUNTIME_EXPLAIN_H
#define NEARSIDE_RUNTIME_EXPLAIN_H

#include <stdio.h>

#include "device/abi/message.h"
#include "runtime/port.h"

struct explain_state {
	struct nmsg_state line;
	unsigned core;
};

/* An end that a process holds or waits at, by explain_key(), and which of states[] says so. */
struct explain_end {
	uint64_t end;
	uint32_t state;
};

struct explain {
	struct nproc_device *device;
	struct port_waiters asking; /* the one call that asks */
	uint16_t number;
	uint64_t answered; /* bit per core */
	bool has_no_memory;
	bool is_still; /* no process was resumed between the reports */
	struct explain_state *states;
	uint32_t count, capacity;
	/* Sorted. A process that waits for children is in `waiting` once for each. */
	struct explain_end *held, *waiting;
	uint32_t held_count, waiting_count;
	uint32_t waiters; /* processes that wait */
	bool *can_go_on;  /* [count], of states that begin a process */
};

/* With the lock. *patience is for all of it; who is late is not in `answered`. */
int explain_ask(struct explain *explain, struct port_patience *patience);
/* -ENOMEM */
int explain_index(struct explain *explain);
void explain_free(struct explain *explain);

/* With the lock: marks in can_go_on who could, if the host did all that it can. */
void explain_find_stuck(struct explain *explain);

/* One name for an end, whoever speaks of it. With NMSG_END_WRITES flipped: the pipe's other end. */
static inline uint64_t explain_key(unsigned core, uint32_t end)
{
	return end & NMSG_END_LOCAL ? (uint64_t)(core + 1) << 32 | end : end;
}

/* One name for a process that others wait for. */
static inline uint64_t explain_process_key(unsigned core, uint32_t id)
{
	return UINT64_C(1) << 63 | (uint64_t)(core + 1) << 32 | id;
}

/* A line about children, in place of ends. */
static inline bool explain_is_of_children(const struct nmsg_state *line)
{
	return line->first_end == NMSG_STATE_CHILDREN;
}

/* A handle of the host is open at this end. With the lock. */
bool explain_host_holds(const struct explain *explain, uint64_t end);

/* The first entry of a sorted array at this end, or where it would be. */
const struct explain_end *explain_first(
	const struct explain_end *ends, uint32_t count, uint64_t end);

/* With the lock. At most a bounded number of processes. */
void explain_text(const struct explain *explain, FILE *out);

/* STATE; false: it makes no sense. With the lock. */
bool explain_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line);

/* A wait that can never end: into the device's detail. With the lock. Returns -EDEADLK. */
int explain_deadlock(struct nproc_device *device);

#endif
