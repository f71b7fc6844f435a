/* Far memory: what the host and processes see of it, and who may touch it. */
#include "tests/conformance/suite.h"

static uint8_t *alloc(size_t nbytes)
{
	void *memory;

	must(nmem_alloc(suite.device, nbytes, &memory));
	return memory;
}

static uint64_t free_nbytes(struct nproc_device *device)
{
	struct nproc_device_info info;

	must(nproc_device_info(device, &info));
	return info.far_free_nbytes;
}

static void allocations_are_aligned_and_zeroed(void **state)
{
	(void)state;
	for (size_t nbytes = 1; nbytes < 300; nbytes += 13) {
		uint8_t *memory = alloc(nbytes);

		assert_int_equal((uintptr_t)memory % NMEM_ALIGN, 0);
		for (size_t i = 0; i < nbytes; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, nbytes);
		if (nbytes % 2)
			must(nmem_free(suite.device, memory));
	}
}

static void freed_memory_comes_back_zeroed(void **state)
{
	uint8_t *memory = alloc(100000), *again;
	(void)state;
	memset(memory, 0xab, 100000);
	must(nmem_free(suite.device, memory));

	again = alloc(100000);

	assert_ptr_equal(again, memory);
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(again[i], 0);
}

static void nothing_is_no_allocation(void **state)
{
	void *memory;
	(void)state;

	assert_int_equal(nmem_alloc(suite.device, 0, &memory), -EINVAL);
	assert_null(memory);
}

static void freeing_what_is_no_start_gives_einval(void **state)
{
	uint8_t *memory = alloc(100);
	int local;
	(void)state;

	assert_int_equal(nmem_free(suite.device, memory + 1), -EINVAL);
	assert_int_equal(nmem_free(suite.device, &local), -EINVAL);
	must(nmem_free(suite.device, memory));
	assert_int_equal(nmem_free(suite.device, memory), -EINVAL);
}

static void a_process_reads_what_the_host_wrote(void **state)
{
	uint8_t *memory = alloc(1000);
	struct nproc *process;
	(void)state;
	memset(memory, 3, 1000);
	publish(memory, 1000);

	must(nproc_spawn(HERE, "sum", NULL, &process, memory, 1000));

	assert_int_equal(exit_code_of(process), 3000);
}

static void the_host_reads_what_a_process_wrote(void **state)
{
	uint8_t *memory = alloc(1000);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "fill", NULL, &process, memory, 1000, 7));
	assert_int_equal(exit_code_of(process), 0);

	refresh(memory, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(memory[i], 7);
}

static void what_was_written_before_a_pipe_write_is_seen_after_the_read(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	uint64_t *word = (uint64_t *)(void *)alloc(8), seen;
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "read_when_asked", ENDS(in.read, out.write), &process, word));

	for (uint64_t i = 1; i <= 500; i++) {
		*word = i;
		publish(word, sizeof *word);
		must(npipe_write(in.write, "?", 1));
		must(npipe_read_full(out.read, &seen, sizeof seen));
		assert_int_equal(seen, i);
	}
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), 0);
}

static void interior_pointers_grant_the_whole_allocation(void **state)
{
	uint8_t *memory = alloc(100);
	struct nproc *process;
	(void)state;
	memory[0] = 11;
	memory[99] = 22;
	hand_over(memory, 100);

	must(nproc_spawn(HERE, "read_at", NULL, &process, memory + 50, -50));
	assert_int_equal(exit_code_of(process), 11);
	must(nproc_spawn(HERE, "read_at", NULL, &process, memory + 50, 49));
	assert_int_equal(exit_code_of(process), 22);
	must(nproc_spawn(HERE, "read_at", NULL, &process, memory + 99, 0));
	assert_int_equal(exit_code_of(process), 22);
	must(nproc_spawn(HERE, "read_at", NULL, &process, memory + 50, 50));
	assert_fault(process, "read outside");
	must(nproc_spawn(HERE, "read_at", NULL, &process, memory + 50, -51));
	assert_fault(process, "read outside");
}

static void null_is_null_to_the_kernel(void **state)
{
	uint8_t *memory = alloc(1);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "is_null", NULL, &process, NULL));
	assert_int_equal(exit_code_of(process), 1);
	must(nproc_spawn(HERE, "is_null", NULL, &process, memory));
	assert_int_equal(exit_code_of(process), 0);
}

static void pointers_outside_allocations_give_efault(void **state)
{
	uint8_t *memory = alloc(100), *freed = alloc(100);
	struct nproc *process;
	int local = 0;
	(void)state;
	must(nmem_free(suite.device, freed));

	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, &local), -EFAULT);
	assert_detail("is in no allocation");
	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, freed), -EFAULT);
	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, memory + 100), -EFAULT);
	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, memory - 1), -EFAULT);
	assert_int_equal(
		nproc_spawn(HERE, "is_null", NULL, &process, (void *)UINTPTR_MAX), -EFAULT);
	assert_int_equal(nproc_spawn(HERE, "is_null", NULL, &process, (void *)1), -EFAULT);
}

/* Cases 92 and 103: any length, any alignment, head and tail; one byte further is a fault. */
static void cases_92_and_103_every_length_to_the_byte(void **state)
{
	uint8_t *from, *to;
	struct nproc *process;
	(void)state;

	for (size_t nbytes = 1; nbytes <= 300; nbytes += nbytes < 20 ? 1 : 17) {
		from = alloc(nbytes);
		to = alloc(nbytes);
		for (size_t i = 0; i < nbytes; i++)
			from[i] = stream_byte(i + nbytes);
		hand_over(from, nbytes);
		hand_over(to, nbytes);
		must(nproc_spawn(HERE, "copy_far", NULL, &process, to, from, nbytes));
		assert_int_equal(exit_code_of(process), 0);
		take_back(to, nbytes);
		assert_memory_equal(to, from, nbytes);
		must(nproc_spawn(HERE, "copy_far", NULL, &process, to, from, nbytes + 1));
		assert_fault(process, "in copy_far: read outside");
		must(nmem_free(suite.device, from));
		must(nmem_free(suite.device, to));
	}
}

static void a_word_across_the_end_faults(void **state)
{
	uint8_t *memory = alloc(15);
	struct nproc *process;
	(void)state;
	memory[8] = 1;
	hand_over(memory, 15);

	must(nproc_spawn(HERE, "read_words_at", NULL, &process, memory, 0));
	assert_int_equal(exit_code_of(process), 0);
	must(nproc_spawn(HERE, "read_words_at", NULL, &process, memory, 1));
	assert_fault(process, "read outside");
	must(nproc_spawn(HERE, "read_words_at", NULL, &process, memory, INT64_MIN / 8));
	assert_fault(process, "read outside");
	must(nproc_spawn(HERE, "read_words_at", NULL, &process, memory, INT64_MAX / 8));
	assert_fault(process, "read outside");
}

static void granted_memory_is_busy_until_the_process_ends(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	uint8_t *memory = alloc(8);
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "read_when_asked", ENDS(in.read, out.write), &process, memory));

	assert_int_equal(nmem_free(suite.device, memory), -EBUSY);
	assert_detail("wait for it");
	npipe_close(in.write);
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	must(nmem_free(suite.device, memory));
	nproc_close(process);
}

/* A grant is not remembered for memory that was freed and allocated anew, at the same place. */
static void grants_end_with_their_allocation(void **state)
{
	struct nproc *process;
	(void)state;

	for (size_t nbytes = 64; nbytes < 64 + 40; nbytes++) {
		uint8_t *memory = alloc(nbytes);

		must(nproc_spawn(HERE, "write_at", NULL, &process, memory, nbytes - 1, 1));
		assert_int_equal(exit_code_of(process), 0);
		must(nproc_spawn(HERE, "write_at", NULL, &process, memory, nbytes, 1));
		assert_fault(process, "write outside");
		must(nproc_spawn(HERE, "write_to_const", NULL, &process, memory));
		assert_fault(process, "read-only");
		must(nmem_free(suite.device, memory));
	}
}

/* More grant sets than a core can hold at once are told and forgotten in turn. */
static void many_grant_sets_one_after_another(void **state)
{
	enum {
		COUNT = 300
	};
	uint8_t *memory[COUNT];
	struct nproc *process;
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		memory[i] = alloc(1);
		*memory[i] = (uint8_t)i;
		hand_over(memory[i], 1);
	}

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < COUNT; i++) {
			must(nproc_spawn(HERE, "read_at", NULL, &process, memory[i], 0));
			assert_int_equal(exit_code_of(process), i % 256);
		}
	}
	for (int i = 0; i < COUNT; i++)
		must(nmem_free(suite.device, memory[i]));
}

/* ---- arenas ---------------------------------------------------------------------------------- */

static void a_list_in_an_arena_is_granted_whole(void **state)
{
	enum {
		COUNT = 1000
	};
	struct list_node *first = NULL;
	struct nmem_arena *arena;
	struct nproc *process;
	void *memory;
	(void)state;
	must(nmem_arena_create(suite.device, COUNT * sizeof *first, &arena));
	for (int64_t i = 0; i < COUNT; i++) {
		must(nmem_arena_alloc(arena, sizeof *first, 0, &memory));
		*(struct list_node *)memory = (struct list_node){first, i};
		first = memory;
		publish(first, sizeof *first);
	}

	must(nproc_spawn(HERE, "sum_list", NULL, &process, first));

	assert_int_equal(exit_code_of(process), COUNT * (COUNT - 1) / 2);
	must(nmem_arena_destroy(arena));
}

static void arenas_align_and_zero(void **state)
{
	struct nmem_arena *arena;
	void *memory;
	(void)state;
	must(nmem_arena_create(suite.device, 100000, &arena));

	for (size_t align = 1; align <= 4096; align *= 2) {
		must(nmem_arena_alloc(arena, 3, align, &memory));
		assert_int_equal((uintptr_t)memory % align, 0);
		assert_memory_equal(memory, "\0\0", 3);
	}
	must(nmem_arena_alloc(arena, 3, 0, &memory));
	assert_int_equal((uintptr_t)memory % 16, 0);
	assert_int_equal(nmem_arena_alloc(arena, 1, 8192, &memory), -EINVAL);
	assert_int_equal(nmem_arena_alloc(arena, 1, 3, &memory), -EINVAL);
	assert_int_equal(nmem_arena_alloc(arena, 0, 0, &memory), -EINVAL);
	assert_null(memory);
}

static void a_full_arena_gives_enomem(void **state)
{
	struct nmem_arena *arena;
	void *memory;
	(void)state;
	must(nmem_arena_create(suite.device, 100, &arena));
	must(nmem_arena_alloc(arena, 96, 0, &memory));

	assert_int_equal(nmem_arena_alloc(arena, 5, 0, &memory), -ENOMEM);
	assert_detail("the arena of 100 bytes has 4 left");
	assert_int_equal(nmem_arena_alloc(arena, SIZE_MAX, 0, &memory), -ENOMEM);
	must(nmem_arena_alloc(arena, 4, 1, &memory));
	assert_int_equal(nmem_arena_alloc(arena, 1, 1, &memory), -ENOMEM);
}

static void a_granted_arena_is_busy(void **state)
{
	struct ends in = make_pipe(), out = make_pipe();
	struct nmem_arena *arena;
	struct nproc *process;
	void *memory;
	(void)state;
	must(nmem_arena_create(suite.device, 64, &arena));
	must(nmem_arena_alloc(arena, 8, 0, &memory));
	must(nproc_spawn(HERE, "read_when_asked", ENDS(in.read, out.write), &process, memory));

	assert_int_equal(nmem_arena_destroy(arena), -EBUSY);
	assert_int_equal(nmem_free(suite.device, memory), -EINVAL);
	npipe_close(in.write);
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	must(nmem_arena_destroy(arena));
}

/* ---- fullness -------------------------------------------------------------------------------- */

/* Case 98: every byte can be allocated, counted, freed, and allocated again. */
static void case_98_far_memory_fills_to_the_last_byte(void **state)
{
	enum {
		FAR = 256 * 1024
	};
	struct nproc_device *device;
	void **memory, *more;
	char detail[512];
	(void)state;
	open_another("far=256K", &device);
	memory = calloc(FAR / NMEM_ALIGN, sizeof *memory);

	for (size_t i = 0; i < FAR / NMEM_ALIGN; i++)
		must(nmem_alloc(device, 1 + i % NMEM_ALIGN, &memory[i]));
	assert_int_equal(free_nbytes(device), 0);
	assert_int_equal(nmem_alloc(device, 1, &more), -ENOMEM);
	assert_null(more);
	assert_non_null(
		strstr(nproc_detail(device, detail, sizeof detail), "0 of 262144 are free"));
	for (size_t i = 0; i < FAR / NMEM_ALIGN; i++)
		must(nmem_free(device, memory[(i * 37) % (FAR / NMEM_ALIGN)]));
	assert_int_equal(free_nbytes(device), FAR);
	must(nmem_alloc(device, FAR, &more));
	assert_int_equal(free_nbytes(device), 0);
	nproc_device_close(device);
	free(memory);
}

static void a_piece_that_is_too_large_gives_enomem(void **state)
{
	struct nproc_device *device;
	void *memory;
	(void)state;
	open_another("far=64K", &device);

	assert_int_equal(nmem_alloc(device, 65537, &memory), -ENOMEM);
	assert_int_equal(nmem_alloc(device, SIZE_MAX, &memory), -ENOMEM);
	assert_int_equal(nmem_alloc(device, SIZE_MAX - 62, &memory), -ENOMEM);
	must(nmem_alloc(device, 65536, &memory));
	nproc_device_close(device);
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void atomics_of_host_and_processes_meet(void **state)
{
	enum {
		TIMES = 20000
	};
	uint64_t *word = (uint64_t *)(void *)alloc(8);
	struct nproc *process[2];
	(void)state;
	skip_unless(suite.info.has_atomics, "no atomics between host and device");
	for (int i = 0; i < 2; i++)
		must(nproc_spawn(HERE, "add_atomically", NULL, &process[i], word, TIMES));

	for (int i = 0; i < TIMES; i++)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	assert_int_equal(exit_code_of(process[0]) | exit_code_of(process[1]), 0);

	assert_int_equal(*word, 3 * TIMES);
}

int run_memory(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(allocations_are_aligned_and_zeroed),
		CLAIM(freed_memory_comes_back_zeroed),
		CLAIM(nothing_is_no_allocation),
		CLAIM(freeing_what_is_no_start_gives_einval),
		CLAIM(a_process_reads_what_the_host_wrote),
		CLAIM(the_host_reads_what_a_process_wrote),
		CLAIM(what_was_written_before_a_pipe_write_is_seen_after_the_read),
		CLAIM(interior_pointers_grant_the_whole_allocation),
		CLAIM(null_is_null_to_the_kernel),
		CLAIM(pointers_outside_allocations_give_efault),
		CLAIM(cases_92_and_103_every_length_to_the_byte),
		CLAIM(a_word_across_the_end_faults),
		CLAIM(granted_memory_is_busy_until_the_process_ends),
		CLAIM(grants_end_with_their_allocation),
		CLAIM(many_grant_sets_one_after_another),
		CLAIM(a_list_in_an_arena_is_granted_whole),
		CLAIM(arenas_align_and_zero),
		CLAIM(a_full_arena_gives_enomem),
		CLAIM(a_granted_arena_is_busy),
		CLAIM(case_98_far_memory_fills_to_the_last_byte),
		CLAIM(a_piece_that_is_too_large_gives_enomem),
		CLAIM(atomics_of_host_and_processes_meet),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
