/*
 * Scratch memory, copies between it and far memory, and far memory near a core; copies by the host.
 */
#include "tests/conformance/suite.h"

enum {
	ALL = 65536 /* NPROC_SCRATCH_MAX, of kernel.h */
};

static uint8_t *make_bytes(size_t nbytes)
{
	void *bytes;

	must(nmem_alloc(suite.device, nbytes, &bytes));
	return bytes;
}

static struct nproc_stats stats(void)
{
	struct nproc_stats now;

	must(nproc_stats(suite.device, &now));
	return now;
}

static void what_goes_through_scratch_memory_arrives_whole(void **state)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 100000};
	uint8_t *from = make_bytes(100000), *to = make_bytes(100001);
	(void)state;

	for (size_t i = 0; i < 100000; i++)
		from[i] = stream_byte(i);
	publish(from, 100000);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		const struct nproc_stats before = stats();
		struct nproc *process;

		memset(to, 0, 100001);
		publish(to, 100001);
		must(nproc_spawn(HERE, "add_through_scratch", NULL, &process, to, from, sizes[i]));
		assert_int_equal(exit_code_of(process), 0);
		refresh(to, 100001);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(to[j], (uint8_t)(stream_byte(j) + 1));
		assert_int_equal(to[sizes[i]], 0);
		assert_int_equal(stats().far_bytes_read - before.far_bytes_read, sizes[i]);
		assert_int_equal(stats().far_bytes_written - before.far_bytes_written, sizes[i]);
	}
	must(nmem_free(suite.device, from));
	must(nmem_free(suite.device, to));
}

static void copies_are_completed_before_an_exit_is_told(void **state)
{
	uint8_t *to = make_bytes(ALL);
	(void)state;

	for (unsigned value = 1; value <= 20; value++) {
		struct nproc *process;

		must(nproc_spawn(HERE, "put_and", NULL, &process, to, value, 0));
		assert_int_equal(exit_code_of(process), 0);
		refresh(to, ALL);
		for (size_t i = 0; i < ALL; i++)
			assert_int_equal(to[i], value);
	}
	must(nmem_free(suite.device, to));
}

static void a_killed_process_writes_nothing_any_more(void **state)
{
	(void)state;

	for (unsigned round = 0; round < 50; round++) {
		uint8_t *to = make_bytes(ALL);
		struct nproc *process;
		uint64_t switches = stats().switches;

		must(nproc_spawn(HERE, "put_and", NULL, &process, to, 9, 1));
		while (stats().switches < switches + 1 + round % 4)
			nproc_device_dispatch(suite.device);
		must(nproc_kill(process));
		assert_int_equal(ending_of(process).state, NPROC_KILLED);
		refresh(to, ALL);
		memset(to, 0, ALL);
		publish(to, ALL);
		must(nproc_spawn(HERE, "exit_with", NULL, &process, 3));
		assert_int_equal(exit_code_of(process), 3);
		refresh(to, ALL);
		for (size_t i = 0; i < ALL; i++)
			assert_int_equal(to[i], 0);
		must(nmem_free(suite.device, to));
	}
}

static void a_copy_outside_what_was_granted_is_a_fault(void **state)
{
	uint8_t *bytes = make_bytes(1000), *next = make_bytes(1000);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "get_outside", NULL, &process, bytes, 1000));
	assert_int_equal(exit_code_of(process), 0);
	must(nproc_spawn(HERE, "get_outside", NULL, &process, bytes, 1001));
	assert_int_equal(ending_of(process).state, NPROC_FAULTED);
	must(nproc_spawn(HERE, "get_outside", NULL, &process, bytes, ALL + 1));
	assert_string_equal(ending_of(process).fault, "access outside a private object");
	must(nproc_spawn(HERE, "put_where_read_only", NULL, &process, bytes));
	assert_string_equal(ending_of(process).fault, "write to far memory granted read-only");
	must(nmem_free(suite.device, bytes));
	must(nmem_free(suite.device, next));
}

static void copies_of_a_process_are_done_in_order_and_eight_at_a_time(void **state)
{
	uint8_t *to = make_bytes(64 + 8 * 8);
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "put_often", NULL, &process, to));
	assert_int_equal(exit_code_of(process), -EAGAIN);
	refresh(to, 64 + 8 * 8);
	for (unsigned i = 0; i < 7 * 8; i++)
		assert_int_equal(to[i], i / 8 + 1);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(to[7 * 8 + i], 8);
	assert_int_equal(to[15 * 8], 0);
	must(nmem_free(suite.device, to));
}

static struct nproc *start_holder(struct ends *go, struct ends *here)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process;
	struct npipe *ends[2];

	*go = make_pipe();
	*here = make_pipe();
	ends[0] = go->read;
	ends[1] = here->write;
	attr.core = 0;
	attr.end_count = 2;
	attr.ends = ends;
	must(nproc_spawn(HERE, "hold_scratch", &attr, &process));
	npipe_close(go->read);
	npipe_close(here->write);
	return process;
}

static bool has_scratch(const struct ends *here)
{
	uint8_t byte;

	return must(npipe_read(here->read, &byte, 1)) == 1;
}

static void scratch_memory_is_leased_from_start_to_end(void **state)
{
	enum {
		HOLDERS = 64
	};
	unsigned count = (unsigned)(suite.info.scratch_nbytes / ALL);
	struct nproc *holder[HOLDERS], *refused;
	struct ends go[HOLDERS + 1], here[HOLDERS + 1];
	(void)state;

	assert_in_range(count, 1, HOLDERS);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < count; i++) {
			holder[i] = start_holder(&go[i], &here[i]);
			assert_true(has_scratch(&here[i]));
		}
		refused = start_holder(&go[count], &here[count]);
		assert_int_equal(ending_of(refused).error, -ENOMEM);
		for (unsigned i = 0; i <= count; i++)
			npipe_close(go[i].write);
		for (unsigned i = 0; i < count; i++)
			assert_int_equal(exit_code_of(holder[i]), 0);
		for (unsigned i = 0; i <= count; i++)
			npipe_close(here[i].read);
	}
}

static void children_are_refused_where_no_scratch_memory_is_left(void **state)
{
	struct nproc *process;
	(void)state;

	must(nproc_spawn(HERE, "start_with_scratch", NULL, &process));
	assert_int_equal(
		exit_code_of(process), (int64_t)(suite.info.scratch_nbytes / ALL) * 1000 + ENOMEM);
}

static void memory_near_a_core_is_memory_and_no_core_is_an_error(void **state)
{
	(void)state;

	assert_true(suite.info.memory_count >= 1);
	for (unsigned core = 0; core < suite.info.core_count; core++) {
		void *memory;

		must(nmem_alloc_near(suite.device, (int)core, 1000, &memory));
		for (unsigned i = 0; i < 1000; i++)
			assert_int_equal(((uint8_t *)memory)[i], 0);
		must(nmem_free(suite.device, memory));
	}
	for (int i = 0; i < 2; i++) {
		int wrong = i ? (int)suite.info.core_count : -1;
		void *memory = &wrong;

		assert_int_equal(nmem_alloc_near(suite.device, wrong, 1, &memory), -EINVAL);
		assert_null(memory);
	}
	assert_detail("the device has cores 0 to");
}

/* ---- by the host ----------------------------------------------------------------------------- */

static void copies_go_between_local_and_far_memory(void **state)
{
	uint8_t *first = make_bytes(1000), *second = make_bytes(1000);
	uint8_t local[1000];
	struct nproc *process;
	(void)state;
	for (size_t i = 0; i < sizeof local; i++)
		local[i] = stream_byte(i);

	must(nmem_copy(suite.device, first, local, sizeof local));
	must(nmem_copy(suite.device, second, first, sizeof local));
	hand_over(first, 500);
	hand_over(second, 1000);
	must(nproc_spawn(HERE, "copy_far", NULL, &process, first, second + 500, 500));
	assert_int_equal(exit_code_of(process), 0);
	take_back(first, 500);
	memset(local, 0, sizeof local);
	must(nmem_copy(suite.device, local, first, 500));
	must(nmem_copy(suite.device, local + 500, second + 500, 500));

	for (size_t i = 0; i < 500; i++) {
		assert_int_equal(local[i], stream_byte(500 + i));
		assert_int_equal(local[500 + i], stream_byte(500 + i));
	}
}

static void a_copy_may_overlap_itself(void **state)
{
	uint8_t *memory = make_bytes(100);
	(void)state;
	for (size_t i = 0; i < 100; i++)
		memory[i] = (uint8_t)i;

	must(nmem_copy(suite.device, memory + 10, memory, 90));

	for (size_t i = 0; i < 90; i++)
		assert_int_equal(memory[10 + i], i);
}

static void a_copy_stays_within_one_allocation(void **state)
{
	uint8_t *memory = make_bytes(100), *other = make_bytes(100);
	uint8_t local[200] = {0};
	struct nmem_arena *arena;
	void *object;
	(void)state;

	assert_int_equal(nmem_copy(suite.device, memory, local, 101), -EFAULT);
	assert_detail("the allocation of 100 bytes");
	assert_int_equal(nmem_copy(suite.device, memory + 1, local, 100), -EFAULT);
	assert_int_equal(nmem_copy(suite.device, memory + 100, local, 1), -EFAULT);
	assert_int_equal(nmem_copy(suite.device, local, memory, SIZE_MAX), -EINVAL);
	assert_int_equal(nmem_copy(suite.device, other, memory, 128), -EFAULT);
	assert_int_equal(nmem_copy(suite.device, local, local + 100, 1), -EFAULT);
	assert_detail("is in far memory");
	assert_int_equal(nmem_copy(suite.device, NULL, NULL, 0), 0);
	must(nmem_arena_create(suite.device, 300, &arena));
	must(nmem_arena_alloc(arena, 100, 0, &object));
	must(nmem_copy(suite.device, object, local, 200));
	must(nmem_free(suite.device, memory));
	assert_int_equal(nmem_copy(suite.device, local, memory, 1), -EFAULT);
	assert_detail("in no allocation");
}

int run_copies(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(what_goes_through_scratch_memory_arrives_whole),
		CLAIM(copies_are_completed_before_an_exit_is_told),
		CLAIM(a_killed_process_writes_nothing_any_more),
		CLAIM(a_copy_outside_what_was_granted_is_a_fault),
		CLAIM(copies_of_a_process_are_done_in_order_and_eight_at_a_time),
		CLAIM(scratch_memory_is_leased_from_start_to_end),
		CLAIM(children_are_refused_where_no_scratch_memory_is_left),
		CLAIM(memory_near_a_core_is_memory_and_no_core_is_an_error),
		CLAIM(copies_go_between_local_and_far_memory),
		CLAIM(a_copy_may_overlap_itself),
		CLAIM(a_copy_stays_within_one_allocation),
	};

	return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
