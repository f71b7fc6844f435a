/*
 * thread.c - the engine of a helper: a thread on another core that does what it is handed.
 *
 *     caller                         ring of pointers           helper
 *     submit()   ->  waiting list ->  | op | op | op |    ->    nhost_op_by_cpu()
 *     poll()     <-  a count of what has been completed   <-    op->status, then the count
 *
 * The ring has one writer and one reader. Both spin for a while, then sleep on a wake word; who has
 * something for the other only looks at that word (channels/wake.h says why that is enough).
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channels/wake.h"
#include "host/bell.h"
#include "host/engine/parts.h"
#include "host/thread.h"
#include "host/wait.h"

enum {
	DEPTH_DEFAULT = 64,
	DEPTH_MAX = 4096,
	STACK_BYTES = 256 * 1024,
	UNFENCED_SLEEP_NS = 1000 * 1000, /* where a wake-up may be lost */
	LOOK_NS = 50 * 1000,             /* between looks of who has no bell */
};

/* What one side writes again and again lies in no cache line that the other one reads. */
struct helper {
	/* ---- of the caller ---- */
	_Alignas(64) uint64_t put; /* operations handed over, ever */
	bool is_over;
	struct nhost_op *first, *last; /* that wait for room in the ring */
	uint64_t taken;                /* completions that the caller knows of */
	struct nhost_spin caller_spin;
	_Alignas(64) uint64_t caller_sleeps; /* wake words */
	_Alignas(64) uint64_t helper_sleeps;
	/* ---- of the helper ---- */
	_Alignas(64) uint64_t done;
	uint64_t bytes; /* of all those */
	uint64_t wakes;
	struct nhost_spin helper_spin;
	_Alignas(64) struct nhost_bell *bell; /* written before the helper starts, as all below */
	bool can_fence;
	int processor; /* -1: any */
	uint64_t depth;
	pthread_t thread;
	struct nhost_op *ring[];
};

static void sleep_on(const struct helper *helper, uint64_t *word, int64_t deadline_ns)
{
	int64_t soon = nhost_clock_ns() + UNFENCED_SLEEP_NS;

	nhost_sleep(word,
		helper->can_fence || (deadline_ns >= 0 && deadline_ns < soon) ? deadline_ns : soon);
}

/* ---- the helper ------------------------------------------------------------------------------ */

static bool has_work(const struct helper *helper)
{
	return __atomic_load_n(&helper->put, __ATOMIC_ACQUIRE) != helper->done;
}

static bool is_over(const struct helper *helper)
{
	return __atomic_load_n(&helper->is_over, __ATOMIC_RELAXED);
}

static void do_next(struct helper *helper)
{
	struct nhost_op *op = helper->ring[helper->done % helper->depth];

	__atomic_store_n(&helper->bytes, helper->bytes + op->nbytes, __ATOMIC_RELAXED);
	op->by = NHOST_BY_THREAD;
	op_end(op, op_rest(op)); /* from here on it is the caller's again */
	__atomic_store_n(&helper->done, helper->done + 1, __ATOMIC_RELEASE);
	if (nchan_wake_needed(&helper->caller_sleeps))
		nhost_wake(&helper->caller_sleeps);
	if (helper->bell)
		nhost_bell_ring(helper->bell);
}

static void sleep_until_work(struct helper *helper)
{
	nchan_wake_announce(&helper->helper_sleeps);
	nhost_fence();
	if (!has_work(helper) && !is_over(helper)) {
		nhost_awake_add(-1);
		sleep_on(helper, &helper->helper_sleeps, -1);
		nhost_awake_add(1);
		__atomic_store_n(&helper->wakes, helper->wakes + 1, __ATOMIC_RELAXED);
	}
	nchan_wake_withdraw(&helper->helper_sleeps);
}

static void *run_helper(void *argument)
{
	struct helper *helper = argument;

	pthread_setname_np(pthread_self(), "nearside/copy");
	nhost_awake_add(1);
	while (!is_over(helper) || has_work(helper)) {
		if (has_work(helper)) {
			nhost_spin_found(&helper->helper_spin);
			do_next(helper);
		} else if (!nhost_spin(&helper->helper_spin)) {
			sleep_until_work(helper);
		}
	}
	nhost_awake_add(-1);
	return NULL;
}

/* ---- the caller ------------------------------------------------------------------------------ */

static void wake_helper(struct helper *helper)
{
	if (nchan_wake_needed(&helper->helper_sleeps))
		nhost_wake(&helper->helper_sleeps);
}

/* Hands over what the ring has room for. */
static void hand_over(struct helper *helper)
{
	uint64_t done = __atomic_load_n(&helper->done, __ATOMIC_ACQUIRE);
	uint64_t put = helper->put;

	while (helper->first && put - done < helper->depth) {
		struct nhost_op *op = helper->first;

		helper->first = op->next;
		helper->ring[put++ % helper->depth] = op;
	}
	if (put == helper->put)
		return;
	__atomic_store_n(&helper->put, put, __ATOMIC_RELEASE);
	wake_helper(helper);
}

static int thread_submit(struct nhost_engine *engine, struct nhost_op *ops, size_t count)
{
	struct helper *helper = engine->state;
	int result = ops_begin(ops, count);

	if (result || !count)
		return result;
	for (size_t i = 0; i + 1 < count; i++)
		ops[i].next = &ops[i + 1];
	if (helper->first)
		helper->last->next = ops;
	else
		helper->first = ops;
	helper->last = &ops[count - 1];
	hand_over(helper);
	return 0;
}

static size_t thread_poll(struct nhost_engine *engine)
{
	struct helper *helper = engine->state;
	uint64_t done = __atomic_load_n(&helper->done, __ATOMIC_ACQUIRE);
	uint64_t count = done - helper->taken;

	helper->taken = done;
	engine->counts.ops += count;
	engine->counts.helper_wakes = __atomic_load_n(&helper->wakes, __ATOMIC_RELAXED);
	engine->counts.bytes = __atomic_load_n(&helper->bytes, __ATOMIC_RELAXED);
	hand_over(helper);
	return count;
}

static bool all_done(const struct nhost_op *ops, size_t count)
{
	while (count && nhost_op_is_done(&ops[count - 1]))
		count--;
	return !count;
}

/* Each completion is a reason to look: the ring has room again. */
static void sleep_until_done(struct helper *helper, int64_t deadline_ns)
{
	nchan_wake_announce(&helper->caller_sleeps);
	nhost_fence();
	if (__atomic_load_n(&helper->done, __ATOMIC_ACQUIRE) == helper->taken)
		sleep_on(helper, &helper->caller_sleeps, deadline_ns);
	nchan_wake_withdraw(&helper->caller_sleeps);
}

static int thread_wait(
	struct nhost_engine *engine, struct nhost_op *ops, size_t count, int64_t timeout_ns)
{
	struct helper *helper = engine->state;
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);

	thread_poll(engine);
	while (!all_done(ops, count)) {
		if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns)
			return -ETIMEDOUT;
		if (!nhost_spin(&helper->caller_spin))
			sleep_until_done(helper, deadline_ns);
		thread_poll(engine);
	}
	nhost_spin_found(&helper->caller_spin);
	return 0;
}

static int64_t thread_due_ns(const struct nhost_engine *engine)
{
	const struct helper *helper = engine->state;

	if (__atomic_load_n(&helper->done, __ATOMIC_ACQUIRE) != helper->taken)
		return 0;
	return helper->bell || (helper->put == helper->taken && !helper->first) ? -1 : LOOK_NS;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int start(struct helper *helper, struct nhost_error *error)
{
	pthread_attr_t attributes;
	cpu_set_t set;
	int number = pthread_attr_init(&attributes);

	if (number)
		return nhost_fail(error, number, "a helper thread: %s", strerror(number));
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	CPU_ZERO(&set);
	if (helper->processor >= 0) {
		CPU_SET((unsigned)helper->processor, &set);
		pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
	}
	number = nhost_thread_start_as(&helper->thread, &attributes, run_helper, helper);
	pthread_attr_destroy(&attributes);
	if (number == EINVAL && helper->processor >= 0)
		return nhost_fail(error, number,
			"this program may not run on processor %d; 'taskset -p $$' shows where it may",
			helper->processor);
	if (number)
		return nhost_fail(error, number,
			"cannot start a helper thread: %s; raise the limit of threads (ulimit -u)",
			strerror(number));
	return 0;
}

static int thread_open(struct nhost_engine *engine, const struct nhost_engine_options *options,
	struct nhost_error *error)
{
	uint64_t depth = options->depth ? options->depth : DEPTH_DEFAULT;
	struct helper *helper;
	size_t nbytes;
	int result;

	if (depth > DEPTH_MAX)
		return nhost_fail(error, EINVAL, "a depth of %" PRIu64 ": 1 to %d are possible",
			depth, DEPTH_MAX);
	if (options->processor < 0 || options->processor > CPU_SETSIZE)
		return nhost_fail(error, EINVAL, "processor %d: 0 to %d are possible",
			options->processor - 1, CPU_SETSIZE - 1);
	nbytes = (sizeof *helper + depth * sizeof helper->ring[0] + 63) / 64 * 64;
	helper = aligned_alloc(64, nbytes);
	if (!helper)
		return nhost_fail(error, ENOMEM, "no memory for a ring of %" PRIu64, depth);
	memset(helper, 0, nbytes);
	helper->depth = depth;
	helper->bell = options->bell;
	helper->processor = options->processor - 1;
	helper->can_fence = nhost_fence_prepare();
	helper->caller_spin.processors = nhost_processors();
	helper->helper_spin.processors = helper->caller_spin.processors;
	nhost_copy_facts();
	result = start(helper, error);
	if (result) {
		free(helper);
		return result;
	}
	engine->state = helper;
	return 0;
}

static void thread_close(struct nhost_engine *engine)
{
	struct helper *helper = engine->state;

	while (helper->first) {
		hand_over(helper);
		if (helper->first)
			sched_yield();
	}
	__atomic_store_n(&helper->is_over, true, __ATOMIC_RELAXED);
	wake_helper(helper);
	pthread_join(helper->thread, NULL);
	free(helper);
}

static void thread_explain(const struct nhost_engine *engine, char *text, size_t nbytes)
{
	const struct helper *helper = engine->state;

	snprintf(text, nbytes,
		"thread: a helper thread%s; %" PRIu64 " operations, %" PRIu64
		" bytes, woken %" PRIu64 " times\n"
		"thread: %u processors for this program%s\n",
		helper->processor >= 0 ? ", pinned" : "", engine->counts.ops, engine->counts.bytes,
		engine->counts.helper_wakes, helper->caller_spin.processors,
		helper->caller_spin.processors == 1
			? ": caller and helper take turns, nothing is gained"
			: "");
}

const struct nhost_engine_ops thread_engine = {
	.name = "thread",
	.summary = "a helper thread on another core",
	.open = thread_open,
	.close = thread_close,
	.submit = thread_submit,
	.poll = thread_poll,
	.wait = thread_wait,
	.due_ns = thread_due_ns,
	.explain = thread_explain,
};
