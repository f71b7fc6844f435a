/* What a spawn sends, and when it sends nothing. */
#include "tests/runtime/fake.h"

/*
 * Kernel count(const far uint64_t *keys, int32_t n, double limit, struct pair pair) of
 * small_image.h.
 */
static int spawn_count(int core, const void *keys, struct nproc **process)
{
	const char pair[12] = "pairpairpair";
	const struct nproc_attr attr = {core, 0, NULL, 0, 0};

	return nproc_spawn(fake.device, fake.image, "count", &attr, process, keys, -5, 2.5,
		nproc_arg_struct(pair, sizeof pair));
}

static struct nproc *spawn_nothing(int core)
{
	const struct nproc_attr attr = {core, 0, NULL, 0, 0};
	struct nproc *process;

	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &process), 0);
	return process;
}

static void *alloc(void)
{
	void *memory;

	assert_int_equal(nmem_alloc(fake.device, 100, &memory), 0);
	return memory;
}

static void arguments_travel_as_words(void **state)
{
	struct nproc *process;
	struct nmsg_spawn head;
	struct nchan_line line;
	void *keys = alloc();
	double limit = 2.5;
	(void)state;

	assert_int_equal(spawn_count(0, keys, &process), 0);

	fake_take(0, NCHAN_GRANT);
	line = fake_take(0, NCHAN_SPAWN);
	memcpy(&head, line.word, sizeof head);
	assert_int_equal(nchan_head_length(line.head), 16 + 5 * 8);
	assert_int_equal(nchan_head_arg(line.head), 0);
	assert_int_equal(head.kernel, 1);
	assert_int_equal(head.end_count, 0);
	assert_int_equal(head.word_count, 5);
	assert_int_equal(line.word[2], (uintptr_t)keys);
	assert_int_equal(line.word[3], (uint64_t)-5);
	assert_memory_equal(&line.word[4], &limit, 8);
	assert_memory_equal(&line.word[5], "pairpairpair\0\0\0\0", 16);
	fake_assert_silent(0);
}

static void grants_are_sent_once_for_each_core(void **state)
{
	struct nproc *process;
	struct nmsg_grant grant;
	struct nchan_line line;
	char *keys = alloc();
	(void)state;

	assert_int_equal(spawn_count(0, keys + 10, &process), 0);
	assert_int_equal(spawn_count(0, keys + 20, &process), 0);
	assert_int_equal(spawn_count(1, keys, &process), 0);

	line = fake_take(0, NCHAN_GRANT);
	memcpy(&grant, line.word, sizeof grant);
	assert_int_equal(grant.base, (uintptr_t)keys);
	assert_int_equal(grant.len, 100);
	assert_int_equal(grant.writable, 0);
	assert_int_equal(grant.index, 0);
	assert_int_equal(grant.count, 1);
	fake_take_spawn(0);
	fake_take_spawn(0);
	fake_assert_silent(0);
	fake_take(1, NCHAN_GRANT);
	fake_take_spawn(1);
}

static void memory_that_was_freed_is_revoked_before_its_number_is_used_again(void **state)
{
	struct nproc *process;
	void *keys = alloc();
	(void)state;
	assert_int_equal(spawn_count(0, keys, &process), 0);
	fake_take(0, NCHAN_GRANT);
	fake_exit(0, fake_take_spawn(0), 0);
	assert_int_equal(nproc_wait(process, NULL, 0), 0);
	assert_int_equal(nmem_free(fake.device, keys), 0);

	assert_int_equal(spawn_count(0, alloc(), &process), 0);

	fake_take(0, NCHAN_REVOKE);
	fake_take(0, NCHAN_GRANT);
	fake_take_spawn(0);
}

static void granted_bytes_are_counted_for_each_spawn(void **state)
{
	struct nproc_stats stats;
	struct nproc *process;
	void *keys = alloc();
	(void)state;

	assert_int_equal(spawn_count(0, keys, &process), 0);
	assert_int_equal(spawn_count(0, NULL, &process), 0);
	assert_int_equal(spawn_count(1, keys, &process), 0);

	assert_int_equal(nproc_stats(fake.device, &stats), 0);
	assert_int_equal(stats.far_bytes_granted, 200);
	assert_int_equal(stats.spawns, 3);
}

static void the_least_loaded_core_is_chosen(void **state)
{
	struct nproc *first;
	(void)state;

	first = spawn_nothing(NPROC_ANY_CORE);
	spawn_nothing(NPROC_ANY_CORE);
	fake_exit(0, fake_take_spawn(0), 0);
	fake_take_spawn(1);
	assert_int_equal(nproc_wait(first, NULL, 0), 0);
	spawn_nothing(NPROC_ANY_CORE);

	fake_take_spawn(0);
	fake_assert_silent(1);
}

static void serials_differ_when_an_id_is_used_again(void **state)
{
	uint64_t last = 0;
	(void)state;

	for (int i = 0; i < 10; i++) {
		struct nproc *process = spawn_nothing(0);
		uint64_t self = fake_take_spawn(0);

		assert_int_equal(nreg_self_process(self), 1);
		assert_true(self > last);
		last = self;
		fake_exit(0, self, 0);
		assert_int_equal(nproc_wait(process, NULL, 0), 0);
		nproc_close(process);
	}
}

/* Ends follow their SPAWN line, and nothing of their pipe goes before it. */
static void ends_go_after_the_spawn(void **state)
{
	struct npipe *in[2], *out[2];
	struct nproc_attr attr = {0, 2, (struct npipe *[2]){NULL}, 0, 0};
	struct nproc *process;
	struct nchan_line line;
	uint32_t ends[2];
	(void)state;
	assert_int_equal(npipe_create(fake.device, in), 0);
	assert_int_equal(npipe_create(fake.device, out), 0);
	assert_int_equal(npipe_write(in[1], "before", 6), 6);
	attr.ends[0] = in[0];
	attr.ends[1] = out[1];

	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &process), 0);

	line = fake_take(0, NCHAN_SPAWN);
	memcpy(ends, &line.word[2], sizeof ends);
	assert_int_equal(ends[0], 1);
	assert_int_equal(ends[1], 2 | NMSG_END_WRITES);
	line = fake_take(0, NCHAN_DATA);
	assert_int_equal(nchan_head_pipe(line.head), 1);
	assert_memory_equal(line.word, "before", 6);
	line = fake_take(0, NCHAN_CREDIT);
	assert_int_equal(nchan_head_pipe(line.head), 2);
}

static bool take_all(void)
{
	return fake_take_all(0);
}

/* 63 lines fit; the 64th spawn waits, and then is stored whole. */
static void a_full_fifo_makes_a_spawn_wait(void **state)
{
	(void)state;
	take_all();
	for (int i = 0; i < NCHAN_FIFO_LINES - 1; i++)
		spawn_nothing(0);
	fake.on_wait = take_all;

	spawn_nothing(0);

	assert_true(fake.waits > 0);
	fake_take_spawn(0);
	fake_assert_silent(0);
}

/*
 * Nobody takes lines: after ten seconds of the device's time the spawn is given up, without a
 * trace.
 */
static void a_core_that_takes_no_lines_gives_eagain(void **state)
{
	struct nproc *process;
	void *keys = alloc();
	int64_t began = fake.now;
	(void)state;
	take_all();
	for (int i = 0; i < NCHAN_FIFO_LINES - 2; i++)
		spawn_nothing(0);

	assert_int_equal(spawn_count(0, keys, &process), -EAGAIN);

	assert_null(process);
	assert_detail("core 0 has taken no line for 10 s");
	assert_int_equal(fake.now - began, 10000000000);
	for (int i = 0; i < NCHAN_FIFO_LINES - 2; i++)
		fake_take_spawn(0);
	fake_assert_silent(0);
	assert_int_equal(nmem_free(fake.device, keys), 0); /* nobody was granted it */
}

static void what_the_device_refuses_is_reported(void **state)
{
	struct nmsg_exit how = {.value = -ENOMEM, .ending = NMSG_REFUSED};
	struct nproc *process = spawn_nothing(0);
	struct nproc_status status;
	(void)state;
	how.self = fake_take_spawn(0);

	fake_send(0, NCHAN_EXIT, 0, 0, &how, sizeof how);

	assert_int_equal(nproc_wait(process, &status, 0), 0);
	assert_int_equal(status.state, NPROC_REFUSED);
	assert_int_equal(status.error, -ENOMEM);
}

static void faults_of_unknown_kind_and_place_are_reported_as_such(void **state)
{
	struct nmsg_exit how = {
		.fault = 999, .site = 1000000, .address = 5, .ending = NMSG_FAULTED};
	struct nproc *process = spawn_nothing(0);
	struct nproc_status status;
	(void)state;
	how.self = fake_take_spawn(0);

	fake_send(0, NCHAN_EXIT, 0, 0, &how, sizeof how);

	assert_int_equal(nproc_wait(process, &status, 0), 0);
	assert_int_equal(status.state, NPROC_FAULTED);
	assert_string_equal(status.fault, "a fault of a kind that this library does not know");
	assert_string_equal(status.file, "");
	assert_int_equal(status.line, 0);
}

static void sites_become_places(void **state)
{
	struct nmsg_exit how = {.fault = NK_FAULT_ASSERT, .site = 1, .ending = NMSG_FAULTED};
	struct nproc *process = spawn_nothing(0);
	struct nproc_status status;
	char text[128];
	(void)state;
	how.self = fake_take_spawn(0);

	fake_send(0, NCHAN_EXIT, 0, 0, &how, sizeof how);

	assert_int_equal(nproc_wait(process, &status, 0), 0);
	assert_string_equal(nproc_status_text(&status, text, sizeof text),
		"small.c:12:5: in count: assertion failed: n > 0");
}

/* ---- admission ------------------------------------------------------------------------------- */

/* Passes the reading end of a new pipe. */
static int spawn_reader(int core)
{
	struct npipe *end[2];
	struct nproc_attr attr = {core, 1, &end[0], 0, 0};
	struct nproc *process;
	int result;

	assert_int_equal(npipe_create(fake.device, end), 0);
	result = nproc_spawn(fake.device, fake.image, "nothing", &attr, &process);
	npipe_close(end[0]);
	npipe_close(end[1]);
	return result;
}

static void a_core_without_cells_gives_enomem(void **state)
{
	int spawned = 0, result;
	(void)state;
	fake_reset();
	fake.identity.cells_max = 100;
	fake_start();

	while (!(result = spawn_reader(0)) && spawned < 100) {
		spawned++;
		take_all();
	}

	assert_int_equal(result, -ENOMEM);
	assert_detail("core 0 has no line to promise");
	/* Half of the cells: one for the end, two for the host as a writer, two more in case. */
	assert_in_range(spawned, 10, 16);
	assert_int_equal(spawn_reader(1), 0);
	fake_close(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(arguments_travel_as_words),
		CLAIM(grants_are_sent_once_for_each_core),
		CLAIM(memory_that_was_freed_is_revoked_before_its_number_is_used_again),
		CLAIM(granted_bytes_are_counted_for_each_spawn),
		CLAIM(the_least_loaded_core_is_chosen),
		CLAIM(serials_differ_when_an_id_is_used_again),
		CLAIM(ends_go_after_the_spawn),
		CLAIM(a_full_fifo_makes_a_spawn_wait),
		CLAIM(a_core_that_takes_no_lines_gives_eagain),
		CLAIM(what_the_device_refuses_is_reported),
		CLAIM(faults_of_unknown_kind_and_place_are_reported_as_such),
		CLAIM(sites_become_places),
		cmocka_unit_test(a_core_without_cells_gives_enomem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
