/* What a host asks of a device whose memory is not coherent with it, whatever numbers it uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/core.h"

enum {
	FAR_BYTES = 64 * 1024,
	REGION_BYTES = 2 * NREG_ALIGN,
};

static struct {
	char *region;
	void *memory;
	struct ndev_device *device;
	const char *refreshed; /* in far memory, by the last exchange */
	uint64_t nbytes;
} world;

static void assert_in_region(const char *bytes, uint64_t nbytes)
{
	uint64_t offset = (uint64_t)(bytes - world.region);

	assert_in_range(offset, 0, NREG_ALIGN + FAR_BYTES - 1);
	assert_in_range(nbytes, 1, NREG_ALIGN + FAR_BYTES - offset);
}

static void publish(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	assert_in_region(bytes, nbytes);
}

static void refresh(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	assert_in_region(bytes, nbytes);
	if ((const char *)bytes < world.region + NREG_ALIGN)
		return;
	world.refreshed = bytes;
	world.nbytes = nbytes;
}

static const struct nchan_caches caches = {publish, refresh};

static void *zeroed(uint64_t nbytes)
{
	uint64_t rounded = nreg_align_up(nbytes, NREG_ALIGN);
	void *bytes = aligned_alloc(NREG_ALIGN, rounded);

	assert_non_null(bytes);
	return memset(bytes, 0, rounded);
}

static int open_world(void **state)
{
	const struct ndev_platform platform = {.caches = &caches};
	struct nreg_identity *identity;

	(void)state;
	world.region = zeroed(REGION_BYTES);
	identity = (void *)world.region;
	*identity = (struct nreg_identity){
		.base = (uintptr_t)world.region,
		.far_offset = NREG_ALIGN,
		.far_bytes = FAR_BYTES,
		.region_bytes = REGION_BYTES,
		.generation = 1,
		.core_count = 2,
		.processes_max = 4,
		.pipes_max = 4,
		.cells_max = 64,
		.grant_sets_max = 4,
		.frame_bytes_max = 64 * 1024,
	};
	world.memory = zeroed(ndev_memory_bytes(identity));
	world.device = ndev_init(world.memory, world.region, &platform);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	ndev_close(world.device);
	free(world.memory);
	free(world.region);
	return 0;
}

static void ask(uint64_t offset, uint64_t nbytes, uint64_t serial)
{
	*nreg_recall(world.region) =
		(struct nreg_recall){.offset = offset, .nbytes = nbytes, .serial = serial};
	world.refreshed = NULL;
	ndev_exchange(world.device);
	assert_int_equal(nreg_offer(world.region)->recalled, serial);
}

static void what_is_recalled_is_let_go_once(void **state)
{
	(void)state;
	ask(4096, 100, 7);
	assert_ptr_equal(world.refreshed, world.region + NREG_ALIGN + 4096);
	assert_int_equal(world.nbytes, 100);
	ask(8192, 100, 7);
	assert_null(world.refreshed);
	ask(0, FAR_BYTES, 8);
	assert_int_equal(world.nbytes, FAR_BYTES);
}

static void nothing_outside_far_memory_is_touched(void **state)
{
	static const uint64_t numbers[] = {0, 1, FAR_BYTES - 1, FAR_BYTES, FAR_BYTES + 1,
		UINT64_MAX / 2, UINT64_MAX - NREG_ALIGN, UINT64_MAX};
	enum {
		COUNT = sizeof(numbers) / sizeof(numbers[0])
	};
	(void)state;

	for (uint64_t i = 0; i < (uint64_t)COUNT * COUNT; i++)
		if (numbers[i % COUNT])
			ask(numbers[i / COUNT], numbers[i % COUNT], i + 1);
}

/* Each core's word, and no earlier than somebody has exchanged. */
static void counts_are_told_and_victims_heard_by_the_exchange(void **state)
{
	(void)state;
	nreg_core(world.region, 1)->attention.victim = 5;
	assert_true(ndev_core_may_sleep(ndev_core(world.device, 1)));
	ndev_exchange(world.device);
	assert_false(ndev_core_may_sleep(ndev_core(world.device, 1)));
	assert_true(ndev_core_may_sleep(ndev_core(world.device, 0)));
}

#define CLAIM(function) cmocka_unit_test_setup_teardown(function, open_world, close_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(what_is_recalled_is_let_go_once),
		CLAIM(nothing_outside_far_memory_is_touched),
		CLAIM(counts_are_told_and_victims_heard_by_the_exchange),
	};

	return cmocka_run_group_tests_name("recall", tests, NULL, NULL);
}
