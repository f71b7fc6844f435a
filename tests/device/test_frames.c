#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/frames.h"

enum {
	SLABS = 24,
	BLOCKS_MAX = SLABS * NDEV_SLAB_BYTES / NDEV_BLOCK_BYTES
};

struct heap {
	struct ndev_frames frames;
	struct ndev_slab slabs[SLABS];
	char *memory;
};

static int create_heap(void **state)
{
	struct heap *heap = calloc(1, sizeof(*heap));

	heap->memory = aligned_alloc(4096, SLABS * NDEV_SLAB_BYTES);
	ndev_frames_init(&heap->frames, heap->memory, SLABS * NDEV_SLAB_BYTES, heap->slabs);
	*state = heap;
	return 0;
}

static int destroy_heap(void **state)
{
	struct heap *heap = *state;

	free(heap->memory);
	free(heap);
	return 0;
}

static unsigned fill(struct heap *heap, uint64_t nbytes, void **blocks)
{
	unsigned count = 0;

	while ((blocks[count] = ndev_frames_take(&heap->frames, nbytes)))
		count++;
	return count;
}

static void blocks_are_aligned_and_do_not_overlap(void **state)
{
	struct heap *heap = *state;
	static void *blocks[BLOCKS_MAX + 1];
	unsigned count = fill(heap, 200, blocks);

	assert_int_equal(count, SLABS * (NDEV_SLAB_BYTES / 256));
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal((uintptr_t)blocks[i] % NDEV_BLOCK_BYTES, 0);
		memset(blocks[i], (int)(i & 0xff), 200);
	}
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(((unsigned char *)blocks[i])[199], i & 0xff);
}

/* Full, empty, and full again with another size: nothing is lost between sizes (case_98). */
static void case_98_memory_of_one_size_serves_another_when_it_is_free(void **state)
{
	struct heap *heap = *state;
	static void *blocks[BLOCKS_MAX + 1];

	for (uint64_t nbytes = 64; nbytes <= 4288; nbytes += 64) {
		unsigned count = fill(heap, nbytes, blocks);

		assert_int_equal(count, SLABS * (NDEV_SLAB_BYTES / nbytes));
		for (unsigned i = count; i-- > 0;)
			ndev_frames_put(&heap->frames, blocks[i]);
	}
}

static void blocks_that_cannot_be_are_refused(void **state)
{
	struct heap *heap = *state;

	assert_null(ndev_frames_take(&heap->frames, 0));
	assert_null(ndev_frames_take(&heap->frames, NDEV_BLOCK_CLASSES * NDEV_BLOCK_BYTES));
	assert_null(ndev_frames_take(&heap->frames, UINT64_MAX - 100));
}

static void random_lives_never_share_a_block(void **state)
{
	struct heap *heap = *state;
	unsigned char *live[300] = {0};
	uint64_t sizes[300];

	srand(1);
	for (unsigned step = 0; step < 100000; step++) {
		unsigned i = (unsigned)rand() % 300;

		if (live[i]) {
			assert_int_equal(live[i][0], i & 0xff);
			assert_int_equal(live[i][sizes[i] - 1], i & 0xff);
			ndev_frames_put(&heap->frames, live[i]);
			live[i] = NULL;
			continue;
		}
		sizes[i] = 64 + (unsigned)rand() % 700;
		live[i] = ndev_frames_take(&heap->frames, sizes[i]);
		assert_non_null(live[i]);
		memset(live[i], (int)(i & 0xff), sizes[i]);
	}
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, create_heap, destroy_heap)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(blocks_are_aligned_and_do_not_overlap),
		CLAIM(case_98_memory_of_one_size_serves_another_when_it_is_free),
		CLAIM(blocks_that_cannot_be_are_refused),
		CLAIM(random_lives_never_share_a_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
