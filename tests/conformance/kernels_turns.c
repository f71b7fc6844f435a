/*
 * kernels_turns.c - kernels that share a core: with weights, and with yield points.
 */
#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

/* Says that it is there, if it has an end for that; then notes `count` turns of its own. */
NPROC_KERNEL int64_t take_turns(far struct turns *turns, uint8_t name, uint64_t count)
{
	npipe_write(0, &name, sizeof name);
	while (!turns->open)
		nproc_yield();
	for (uint64_t i = 0; i < count; i++) {
		turns->name[turns->count++ % sizeof turns->name] = name;
		nproc_yield();
	}
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

NPROC_KERNEL int64_t start_too_heavy(far struct turns *turns)
{
	struct nproc_start how = NPROC_START_INIT;

	how.weight = NPROC_WEIGHT_MAX + 1;
	return nproc_spawn(how, take_turns(turns, 0, 1));
}
