/*
 * schedule.h - one thread plays a host and several cores, in an order drawn from a seed.
 *
 *     host (place 0)      the thread that created the schedule, on its own stack
 *     cores (place 1..)   fibers
 *
 * Whoever runs calls nemu_schedule_pause() where others may run in between: after each store of a
 * line, by way of struct nchan_pause. The same seed and the same calls give the same run; the trace
 * is a hash of all that was decided. Some seeds switch at almost every pause, others seldom.
 *
 * Time is virtual. A turn of a core takes NEMU_TURN_NS; beyond that, time passes only when nobody
 * can do anything, and then to the next moment that somebody waits for. When there is no such
 * moment, it is a deadlock.
 *
 * One side can be slower than the other, by any factor: then its turns are as much longer, and so
 * many turns of the other side go by between two of its own.
 *
 * With faults, cores are late (a turn is lost for some microseconds), one core is slow (most of its
 * turns are skipped), and sleepers wake without a reason.
 *
 * Only the thread that created it may run the cores; calls of other threads do nothing.
 */
#ifndef NEARSIDE_EMU_SCHEDULE_H
#define NEARSIDE_EMU_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct nemu_schedule;

enum {
	NEMU_TURN_NS = 20,
	NEMU_LATE_NS_MAX = 50 * 1000
};

/* -ENOMEM. Cores are added with nemu_schedule_add(). */
int nemu_schedule_create(
	uint64_t seed, bool faults, unsigned core_count, struct nemu_schedule **schedule);
void nemu_schedule_destroy(struct nemu_schedule *schedule);

/* How much slower the host and the cores are than they were: 1 or more. Before anything runs. */
void nemu_schedule_slow_down(struct nemu_schedule *schedule, unsigned host, unsigned cores);

/* The next place runs body(context), which may return. -ENOMEM; -EINVAL: all cores are there. */
int nemu_schedule_add(struct nemu_schedule *schedule, void (*body)(void *context), void *context);

/* Others may run now. The argument is the schedule. */
void nemu_schedule_pause(void *schedule);

/*
 * The turn of a core that goes on now, by number and place; place 0: the host's. For any thread.
 */
uint64_t nemu_schedule_turn(const struct nemu_schedule *schedule);

static inline unsigned nemu_turn_place(uint64_t turn)
{
	return turn & 0xff;
}

/* A core has nothing to do: others run until it is woken, perhaps earlier. */
void nemu_schedule_sleep(struct nemu_schedule *schedule);

/*
 * The host has nothing to do until deadline_ns (negative: for ever). 0: woken, perhaps without a
 * reason. -ETIMEDOUT. -EDEADLK: every core sleeps, the host is not woken and waits for no moment.
 * -EPERM: not the thread that created the schedule.
 */
int nemu_schedule_host_sleep(struct nemu_schedule *schedule, int64_t deadline_ns);

/* Lets the cores have some turns. */
void nemu_schedule_host_yield(struct nemu_schedule *schedule);

/* Wakes a place that sleeps; nothing else. */
void nemu_schedule_wake(struct nemu_schedule *schedule, unsigned place);

/* Ends the host's sleep, or its next one. Any thread may call this. */
void nemu_schedule_interrupt(struct nemu_schedule *schedule);

/* Nobody but the host can do anything, now or later. */
bool nemu_schedule_is_idle(const struct nemu_schedule *schedule);

/* The calling thread created the schedule. */
bool nemu_schedule_is_mine(const struct nemu_schedule *schedule);

int64_t nemu_schedule_now(const struct nemu_schedule *schedule);
uint64_t nemu_schedule_trace(const struct nemu_schedule *schedule);

#endif
