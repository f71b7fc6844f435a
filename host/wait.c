#include "host/wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#error "host/wait.c reads the time stamp counter of x86-64"
#endif

int64_t nhost_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

int64_t nhost_deadline_ns(int64_t timeout_ns)
{
	int64_t now_ns = nhost_clock_ns();

	return timeout_ns < 0 || timeout_ns > INT64_MAX - now_ns ? -1 : now_ns + timeout_ns;
}

bool nhost_fence_prepare(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void nhost_fence(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* The half of a wake word that holds its 1: processors here are little-endian. */
static uint32_t *futex_of(uint64_t *word)
{
	return (uint32_t *)(void *)word;
}

void nhost_sleep(uint64_t *word, int64_t deadline_ns)
{
	struct timespec until = {
		.tv_sec = deadline_ns / 1000000000,
		.tv_nsec = deadline_ns % 1000000000,
	};

	syscall(SYS_futex, futex_of(word), FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 1,
		deadline_ns < 0 ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

void nhost_wake(uint64_t *word)
{
	syscall(SYS_futex, futex_of(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

/* ---- with other programs --------------------------------------------------------------------- */

bool nhost_fence_prepare_shared(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

void nhost_fence_shared(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

void nhost_sleep_shared(uint64_t *word, uint32_t value, int64_t deadline_ns)
{
	struct timespec until = {
		.tv_sec = deadline_ns / 1000000000,
		.tv_nsec = deadline_ns % 1000000000,
	};

	syscall(SYS_futex, futex_of(word), FUTEX_WAIT_BITSET, value,
		deadline_ns < 0 ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

void nhost_wake_shared(uint64_t *word)
{
	syscall(SYS_futex, futex_of(word), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- spinning -------------------------------------------------------------------------------- */

/*
 * In ticks of the time stamp counter, some 20 us and 1 us: a sleep and its end cost about as much
 * as the longest spin. A wait that took at most SHORT_WAIT, sleep included, was worth spinning
 * through.
 */
enum {
	SPIN_MAX = 60 * 1000,
	SPIN_MIN = 3 * 1000,
	SHORT_WAIT = 4 * SPIN_MAX,
};

/*
 * Processors belong to the whole program, and so does this count. Read often, so it has its cache
 * line to itself.
 */
static struct {
	_Alignas(64) int threads;
} awake;

unsigned nhost_processors(void)
{
	cpu_set_t set;

	/* More processors than the set holds are more than enough. */
	return sched_getaffinity(0, sizeof set, &set) ? CPU_SETSIZE : (unsigned)CPU_COUNT(&set);
}

void nhost_awake_add(int threads)
{
	__atomic_fetch_add(&awake.threads, threads, __ATOMIC_RELAXED);
}

bool nhost_is_crowded(const struct nhost_spin *spin)
{
	return 1 + __atomic_load_n(&awake.threads, __ATOMIC_RELAXED) > (int)spin->processors;
}

static bool is_long_enough(struct nhost_spin *spin)
{
	uint64_t now = __rdtsc();

	if (!spin->is_waiting) {
		spin->is_waiting = true;
		spin->began = now;
	}
	return spin->processors == 1 || now - spin->began >= spin->limit;
}

bool nhost_spin(struct nhost_spin *spin)
{
	if (spin->gave_up || is_long_enough(spin)) {
		spin->gave_up = true;
		return false;
	}
	if (nhost_is_crowded(spin))
		sched_yield();
	else
		nhost_pause();
	return true;
}

/* What was found while spinning was found soon; after sleep the clock tells. */
void nhost_spin_found(struct nhost_spin *spin)
{
	bool was_short;

	if (!spin->is_waiting)
		return;
	was_short = !spin->gave_up || __rdtsc() - spin->began <= SHORT_WAIT;
	spin->limit = was_short ? SPIN_MAX : SPIN_MIN;
	spin->is_waiting = false;
	spin->gave_up = false;
}
