/*
 * kernels_turns.c - kernels that share a core: with weights, and with yield points.
 */
#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

/* Says that it is there, if it has an end for that; then notes `count` turns of its own. */
NPROC_KERNEL int64_t take_turns(far struct turns *turns, uint8_t name, uint64_t count)
{
	npipe_write(0, &name, sizeof name);
	for (nmem_refresh(turns, sizeof *turns); !turns->open;
		nmem_refresh(&turns->open, sizeof turns->open))
		nproc_yield();
	for (uint64_t i = 0; i < count; i++) {
		turns->name[turns->count++ % sizeof turns->name] = name;
		nproc_yield();
	}
	nmem_publish(turns, sizeof *turns);
	return 0;
}

/* Starts three that take turns, with weights 1, 3 and 8. */
NPROC_KERNEL int64_t start_with_weights(far struct turns *turns, uint64_t count)
{
	static const uint32_t weights[] = {1, 3, 8};

	for (uint8_t i = 0; i < 3; i++) {
		struct nproc_start how = NPROC_START_INIT;

		how.weight = weights[i];
		if (nproc_spawn(how, take_turns(turns, i, count)) != i)
			return -1;
	}
	for (int i = 0; i < 3; i++)
		if (nproc_wait(i, NULL) != i)
			return -2;
	return 0;
}

enum {
	PINGS = 1000,
	STEPS_PER_TURN = 16,
};

/* Works until it is told to stop, or for so long that nobody can have told it. */
NPROC_KERNEL int64_t work_and_yield(far struct turns *turns)
{
	uint64_t total = 0;

	nmem_refresh(turns, sizeof *turns);
	for (turns->count = 0; !turns->open && turns->count < 3000000; turns->count++) {
		NPROC_YIELD_AFTER(STEPS_PER_TURN);
		for (unsigned i = 0; i < sizeof turns->name; i++)
			total += turns->name[i];
	}
	return turns->open ? (int64_t)total : -1;
}

NPROC_KERNEL int64_t add_one(void);

/* Pings a server of its own beside a process that works: how many steps that made meanwhile. */
NPROC_KERNEL int64_t ping_beside_work(far struct turns *turns)
{
	struct nproc_start how = NPROC_START_INIT;
	int ask[2], answer[2];

	if (npipe_create(ask) || npipe_create(answer))
		return -1;
	how.end_count = 2;
	how.ends[0] = ask[0];
	how.ends[1] = answer[1];
	if (nproc_spawn(how, add_one()) != 0 || nproc_spawn(NPROC_HERE, work_and_yield(turns)) != 1)
		return -2;
	for (uint64_t i = 0, word; i < PINGS; i++) {
		word = i;
		if (npipe_write(ask[1], &word, sizeof word) != sizeof word ||
			npipe_read(answer[0], &word, sizeof word) != sizeof word || word != i + 1)
			return -3;
	}
	turns->open = 1;
	struct nproc_outcome outcome;
	if (nproc_wait(1, &outcome) != 1 || outcome.state != NPROC_EXITED || outcome.exit_code < 0)
		return -4;
	npipe_close(ask[1]);
	return nproc_wait(0, NULL) ? -5 : (int64_t)turns->count;
}

NPROC_KERNEL int64_t start_too_heavy(far struct turns *turns)
{
	struct nproc_start how = NPROC_START_INIT;

	how.weight = NPROC_WEIGHT_MAX + 1;
	return nproc_spawn(how, take_turns(turns, 0, 1));
}
