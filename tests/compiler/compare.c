#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"

static void run_compiled(const struct comparison *comparison, struct world *world, uint64_t va,
	uint64_t seed, struct fake_process *process)
{
	process->world = world;
	process->segments[0] = (struct nk_segment){
		.base = va,
		.len = world->nbytes,
		.writable = world->nbytes,
		.delta = (uint64_t)(uintptr_t)world->memory - va,
	};
	process->segment_count = 1;
	const uint64_t words[] = {va, world->nbytes, seed};
	fake_run(comparison->image, comparison->name, process, words);
}

void compare(const struct comparison *comparison, size_t nbytes, uint64_t seed, bool blocks)
{
	static struct world native, device;
	world_open(&native, nbytes, seed);
	world_open(&device, nbytes, seed);
	device.blocks = blocks;
	struct fake_process process = {0};
	/* Pointers that are stored must be equal, and the device must not use them as they are. */
	uint64_t va = (uint64_t)(uintptr_t)native.memory;
	world_hide(&native, true);
	run_compiled(comparison, &device, va, seed, &process);
	world_hide(&native, false);
	int64_t code = native_run(comparison->kernel, &native, seed);
	if (process.ending == FAKE_FAULTED)
		fail_msg("fault %d at line %u", (int)process.fault,
			fake_image_site(comparison->image, process.site)->line);
	assert_int_equal(process.ending, FAKE_EXITED);
	assert_int_equal(process.code, code);
	world_assert_equal(&device, &native);
	world_close(&native);
	world_close(&device);
}
