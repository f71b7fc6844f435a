/*
 * test_kernels.c - what compiled kernels make of their arguments, segments and log, at every level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_device.h"

static const char levels[] = {'0', '1', '2', '3', 's'};

struct target {
	struct fake_image *image;
	struct world world;
};

static struct target target;

/* ---- builders -------------------------------------------------------------------------------- */

static void run(struct fake_process *process, const char *kernel, const uint64_t *words)
{
	process->world = &target.world;
	target.world.output_nbytes = 0;
	fake_run(target.image, kernel, process, words);
}

/* Far memory of nbytes that the kernel knows as `base`. */
static void grant(
	struct fake_process *process, uint64_t base, void *memory, uint64_t nbytes, bool writable)
{
	process->segments[process->segment_count++] = (struct nk_segment){
		.base = base,
		.len = nbytes,
		.writable = writable ? nbytes : 0,
		.delta = (uint64_t)(uintptr_t)memory - base,
	};
}

static void assert_exits(const struct fake_process *process, int64_t code)
{
	assert_int_equal(process->ending, FAKE_EXITED);
	assert_int_equal(process->code, code);
}

static void assert_faults(const struct fake_process *process, enum nk_fault fault, uint64_t address)
{
	assert_int_equal(process->ending, FAKE_FAULTED);
	assert_int_equal(process->fault, fault);
	assert_int_equal(process->address, address);
}

static uint64_t bits_of_float(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return 0xdeadbeef00000000 | bits; /* only the low half counts */
}

static uint64_t bits_of_double(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* What a kernel should have written, appended piece by piece. */
struct expected {
	uint8_t bytes[500];
	size_t nbytes;
};

static void expect(struct expected *expected, const void *bytes, size_t nbytes)
{
	memcpy(expected->bytes + expected->nbytes, bytes, nbytes);
	expected->nbytes += nbytes;
}

static void assert_sent(const struct expected *expected)
{
	assert_int_equal(target.world.output_nbytes, expected->nbytes);
	assert_memory_equal(target.world.output, expected->bytes, expected->nbytes);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void every_number_arrives(void **state)
{
	(void)state;
	static const size_t sizes[16] = {1, 1, 2, 2, 4, 4, 8, 8, 1, 4, 8, 8, 8, 1, 4, 1};
	uint64_t words[16] = {(uint64_t)-5, 250, (uint64_t)-30000, 60000, (uint64_t)INT32_MIN,
		UINT32_MAX, (uint64_t)INT64_MIN, UINT64_MAX, 1, bits_of_float(-1.5f),
		bits_of_double(1e300), 0x123456789000, 0, (uint64_t)-1, bits_of_float(3.25f), 0};
	struct fake_process process = {.segment_count = 2};
	struct expected expected = {0};
	run(&process, "numbers", words);
	for (int i = 0; i < 16; i++)
		expect(&expected, &words[i], sizes[i]);
	assert_exits(&process,
		-5 + 250 - 30000 + 60000 + INT32_MIN + (int64_t)UINT32_MAX + INT64_MIN - 1);
	assert_sent(&expected);
}

static void small_structs_arrive(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 3, 8, 12, 12, 9};
	uint64_t words[9];
	struct fake_process process = {0};
	struct expected expected = {0};
	for (unsigned i = 0; i < 9; i++)
		words[i] = 0x0102030405060708u * (i + 1);
	run(&process, "small_structs", words);
	const uint64_t *at = words;
	for (int i = 0; i < 6; i++) {
		expect(&expected, at, sizes[i]);
		at += (sizes[i] + 7) / 8;
	}
	assert_exits(&process, 0);
	assert_sent(&expected);
}

static void large_structs_arrive(void **state)
{
	(void)state;
	static const size_t sizes[] = {24, 9, 12, 12, 12, 12, 32, 4};
	uint64_t words[18];
	struct fake_process process = {0};
	struct expected expected = {0};
	for (unsigned i = 0; i < 18; i++)
		words[i] = 0x1112131415161718u * (i + 1);
	run(&process, "large_structs", words);
	const uint64_t *at = words;
	for (int i = 0; i < 8; i++) {
		expect(&expected, at, sizes[i]);
		at += (sizes[i] + 7) / 8;
	}
	/* The kernel counts one byte of the last struct up: its copy, after all. */
	expected.bytes[24 + 9 + 4 * 12 + 16 + (uint32_t)words[17] % 16]++;
	assert_exits(&process, 0);
	assert_sent(&expected);
}

static void kernel_without_parameters_runs(void **state)
{
	(void)state;
	struct fake_process process = {0};
	run(&process, "nothing", NULL);
	assert_exits(&process, 42);
}

/* ---- meaning --------------------------------------------------------------------------------- */

static void undefined_behaviour_has_one_meaning(void **state)
{
	(void)state;
	struct fake_process process = {0};
	run(&process, "semantics", (const uint64_t[]){0});
	assert_exits(&process, 0);
}

static void builtins_of_clang_work(void **state)
{
	(void)state;
	_Alignas(64) uint64_t words[64] = {0};
	struct fake_process process = {.segment_count = 1};
	uint64_t base = 0x40000;
	process.segments[0] = (struct nk_segment){
		base, sizeof words, sizeof words, (uint64_t)(uintptr_t)words - base};
	run(&process, "clang_builtins", (const uint64_t[]){base, 0});
	assert_exits(&process, 0);
}

static void pointer_that_was_aligned_is_checked(void **state)
{
	(void)state;
	for (uint64_t by = 0; by <= 33; by += 33) {
		struct fake_process process = {0};
		run(&process, "misaligned_up", (const uint64_t[]){by});
		if (by == 0)
			assert_exits(&process, 1);
		else
			assert_faults(&process, NK_FAULT_BOUNDS, 0);
	}
}

/* ---- segments -------------------------------------------------------------------------------- */

enum {
	BASE = 0x10000,
	OTHER = 0x5000000
};

static void pointers_find_their_segments_without_search(void **state)
{
	(void)state;
	uint64_t a[300], b[300];
	for (unsigned i = 0; i < 300; i++) {
		a[i] = i;
		b[i] = 1000;
	}
	struct fake_process process = {0};
	grant(&process, BASE, a, sizeof a, false);
	grant(&process, OTHER, b, sizeof b, true);
	run(&process, "add", (const uint64_t[]){BASE, OTHER, 300});
	assert_exits(&process, 1299);
	assert_int_equal(process.searches, 0);
	assert_int_equal(b[7], 1007);
}

static void pointer_of_unknown_origin_is_searched_for(void **state)
{
	(void)state;
	uint8_t a[8] = {1, 2, 3, 4}, b[8] = {5, 6, 7, 8};
	for (uint64_t which = 0; which < 2; which++) {
		struct fake_process process = {0};
		grant(&process, BASE, a, sizeof a, false);
		grant(&process, OTHER, b, sizeof b, false);
		run(&process, "choose", (const uint64_t[]){BASE, OTHER, which});
		assert_exits(&process, which ? 4 : 8);
	}
}

static void pointer_in_far_memory_is_guessed_to_stay_there(void **state)
{
	(void)state;
	uint64_t words[4] = {BASE + 24, 0, 0, 99};
	struct fake_process process = {0};
	grant(&process, BASE, words, sizeof words, true);
	run(&process, "through_memory", (const uint64_t[]){BASE});
	assert_exits(&process, 99);
	assert_int_equal(process.searches, 0);
}

static void list_stays_in_the_segment_of_its_parameter(void **state)
{
	(void)state;
	uint8_t other = 1;
	uint64_t items[6] = {OTHER + 16, 2, OTHER + 32, 3, 0, 4};
	struct fake_process process = {0};
	grant(&process, BASE, &other, 1, false);
	grant(&process, OTHER, items, sizeof items, true);
	run(&process, "second_list", (const uint64_t[]){BASE, OTHER});
	assert_exits(&process, ((1 * 10 + 2 + 300) * 10 + 3 + 400) * 10 + 4);
	assert_int_equal(process.searches, 0);
}

static void null_grants_nothing(void **state)
{
	(void)state;
	struct fake_process process = {.segment_count = 1}; /* the empty segment */
	run(&process, "is_null", (const uint64_t[]){0});
	assert_exits(&process, 1);
	for (int64_t index = -1; index < 2; index++) {
		struct fake_process reader = {.segment_count = 1};
		run(&reader, "byte_at", (const uint64_t[]){0, (uint64_t)index});
		assert_faults(&reader, NK_FAULT_FAR_READ, (uint64_t)index);
	}
}

static void segment_of_one_byte_holds_one_byte(void **state)
{
	(void)state;
	uint8_t byte = 77;
	struct fake_process process = {0};
	grant(&process, BASE, &byte, 1, false);
	run(&process, "byte_at", (const uint64_t[]){BASE, 0});
	assert_exits(&process, 77);
	for (int64_t index = -1; index < 2; index++) {
		struct fake_process wide = {0};
		grant(&wide, BASE, &byte, 1, false);
		run(&wide, "half_at", (const uint64_t[]){BASE, (uint64_t)index});
		assert_faults(&wide, NK_FAULT_FAR_READ, (uint64_t)(BASE + index));
	}
}

static void edges_of_a_segment_hold(void **state)
{
	(void)state;
	uint8_t bytes[100] = {[0] = 1, [99] = 2};
	static const struct {
		int64_t index;
		bool inside;
	} cases[] = {{0, true}, {99, true}, {100, false}, {-1, false}, {INT64_MAX, false},
		{INT64_MIN, false}, {98, true}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fake_process process = {0};
		grant(&process, BASE, bytes, sizeof bytes, true);
		run(&process, "store_at", (const uint64_t[]){BASE, (uint64_t)cases[i].index, 9});
		if (cases[i].inside)
			assert_exits(&process, 9);
		else
			assert_faults(
				&process, NK_FAULT_FAR_WRITE, BASE + (uint64_t)cases[i].index);
	}
}

static void segment_may_end_at_the_last_address(void **state)
{
	(void)state;
	uint8_t bytes[16] = {[15] = 5};
	uint64_t base = UINT64_MAX - 15;
	struct fake_process process = {0}, behind = {0};
	grant(&process, base, bytes, sizeof bytes, false);
	grant(&behind, base, bytes, sizeof bytes, false);
	run(&process, "byte_at", (const uint64_t[]){base, 15});
	assert_exits(&process, 5);
	run(&behind, "byte_at", (const uint64_t[]){base, 16});
	assert_faults(&behind, NK_FAULT_FAR_READ, 0);
}

/* Members that are checked together fault one by one: the first that is outside, with its line. */
static void group_that_is_cut_off_faults_at_the_right_member(void **state)
{
	(void)state;
	static const struct {
		uint64_t nbytes; /* granted: one too few for the member */
		uint64_t offset;
		unsigned line;
	} members[] = {{7, 0, 75}, {11, 8, 75}, {13, 12, 76}, {14, 14, 77}};
	uint64_t record[2] = {1, 2 | 3ull << 32 | 4ull << 48};
	for (size_t i = 0; i < 4; i++) {
		struct fake_process process = {0};
		grant(&process, BASE, record, members[i].nbytes, false);
		run(&process, "sum_record", (const uint64_t[]){BASE});
		assert_faults(&process, NK_FAULT_FAR_READ, BASE + members[i].offset);
		assert_int_equal(
			fake_image_site(target.image, process.site)->line, members[i].line);
	}
	struct fake_process whole = {0};
	grant(&whole, BASE, record, sizeof record, false);
	run(&whole, "sum_record", (const uint64_t[]){BASE});
	assert_exits(&whole, 10);
}

/* ---- traffic --------------------------------------------------------------------------------- */

static void far_bytes_are_counted_at_every_level(void **state)
{
	(void)state;
	static uint32_t from[403];
	static uint64_t to[100];
	for (uint64_t n = 0; n <= 403; n += 31) {
		struct fake_process process = {0};
		grant(&process, BASE, from, sizeof from, false);
		grant(&process, 2 * BASE, to, sizeof to, true);
		run(&process, "traffic", (const uint64_t[]){BASE, 2 * BASE, n});
		assert_exits(&process, n % 2);
		assert_int_equal(process.far_bytes.read, 4 * n + 8 * (n / 4));
		assert_int_equal(process.far_bytes.written, n + 8 * (n / 4));
	}
}

/* ---- log ------------------------------------------------------------------------------------- */

static void log_arguments_become_words(void **state)
{
	(void)state;
	uint32_t word = 0x80000000;
	struct fake_process process = {0};
	grant(&process, BASE, &word, sizeof word, false);
	run(&process, "logs", (const uint64_t[]){BASE, 5, bits_of_double(1.0)});
	assert_exits(&process, 0);
	char *line = strtok(process.log, "\n");
	assert_string_equal(line, "plain");
	assert_string_equal(strtok(NULL, "\n"), "%ld %d %c 5 fffffffffffffffd 78");
	assert_string_equal(strtok(NULL, "\n"), "%g %f 3ff0000000000000 3fe0000000000000");
	assert_int_equal(strncmp(strtok(NULL, "\n"), "%s ", 3), 0);
	assert_string_equal(strtok(NULL, "\n"), "%p 10000");
	assert_non_null(strstr(strtok(NULL, "\n"), "%u 1 2 3 4 5 6 7 8 9 a b c d e f 80000000"));
	assert_null(strtok(NULL, "\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_arrives),
		cmocka_unit_test(small_structs_arrive),
		cmocka_unit_test(large_structs_arrive),
		cmocka_unit_test(kernel_without_parameters_runs),
		cmocka_unit_test(undefined_behaviour_has_one_meaning),
		cmocka_unit_test(builtins_of_clang_work),
		cmocka_unit_test(pointer_that_was_aligned_is_checked),
		cmocka_unit_test(pointers_find_their_segments_without_search),
		cmocka_unit_test(pointer_of_unknown_origin_is_searched_for),
		cmocka_unit_test(pointer_in_far_memory_is_guessed_to_stay_there),
		cmocka_unit_test(list_stays_in_the_segment_of_its_parameter),
		cmocka_unit_test(null_grants_nothing),
		cmocka_unit_test(segment_of_one_byte_holds_one_byte),
		cmocka_unit_test(edges_of_a_segment_hold),
		cmocka_unit_test(segment_may_end_at_the_last_address),
		cmocka_unit_test(group_that_is_cut_off_faults_at_the_right_member),
		cmocka_unit_test(far_bytes_are_counted_at_every_level),
		cmocka_unit_test(log_arguments_become_words),
	};
	int failed = 0;
	world_open(&target.world, 64, 1);
	for (size_t level = 0; level < sizeof levels; level++) {
		for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
			char path[4096];
			if (!fake_machine_runs((enum nimg_isa)isa))
				continue;
			snprintf(path, sizeof path, "%s/kernels-O%c.nk", IMAGES, levels[level]);
			fake_image_open(&target.image, path, (enum nimg_isa)isa);
			failed += cmocka_run_group_tests_name(path, tests, NULL, NULL);
			fake_image_close(target.image);
		}
	}
	world_close(&target.world);
	return failed;
}
