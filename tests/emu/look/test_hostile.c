/* test_hostile.c - regions whose device lies to who looks at its processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/command/command.h"
#include "emu/command/snapshot.h"
#include "host/attach.h"

const struct program this_program = {.name = "test"};

enum {
	PROCESSES_MAX = 10000,
	NBYTES = NREG_ALIGN * 2,
};

/* Writes one answer, to the question that has this first id. */
typedef void answer_fn(struct nreg_look *look, uint32_t first_id);

struct liar {
	char path[64];
	char name[80];
	void *region;
	answer_fn *answer;
	bool is_over;
	pthread_t thread;
	struct view view;
};

/* ---- a device without cores ------------------------------------------------------------------ */

static void *lie(void *context)
{
	struct liar *liar = context;
	struct nreg_look *look = &nreg_core(liar->region, 0)->look;

	while (!__atomic_load_n(&liar->is_over, __ATOMIC_ACQUIRE)) {
		uint64_t wanted = nchan_load_acquire(&look->wanted);

		if (wanted == nchan_load(&look->done)) {
			sched_yield();
			continue;
		}
		nchan_store(&look->done, 0);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		liar->answer(look, nreg_look_first(wanted));
		nchan_store_release(&look->done, wanted);
	}
	return NULL;
}

static void fill_in(void *region)
{
	struct nreg_identity identity = {
		.magic = NREG_MAGIC,
		.version = NREG_VERSION,
		.abi_version = NK_ABI_VERSION,
		.base = UINT64_C(1) << 40,
		.far_bytes = 4096,
		.generation = 1,
		.capabilities = NREG_COHERENT,
		.core_count = 1,
		.processes_max = PROCESSES_MAX,
		.pipes_max = 1,
		.cells_max = 1,
		.grant_sets_max = 1,
	};

	nreg_lay_out(&identity);
	memcpy(region, &identity, sizeof identity);
	nreg_offer(region)->owner = 1;
	nreg_offer(region)->ready = 1;
}

static void begin(struct liar *liar, answer_fn *answer)
{
	struct nhost_error error;
	int fd;

	snprintf(liar->path, sizeof liar->path, "/tmp/nearside-liar-XXXXXX");
	fd = mkstemp(liar->path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, NBYTES), 0);
	liar->region = mmap(NULL, NBYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(liar->region, MAP_FAILED);
	close(fd);
	fill_in(liar->region);
	liar->answer = answer;
	liar->is_over = false;
	assert_int_equal(pthread_create(&liar->thread, NULL, lie, liar), 0);
	snprintf(liar->name, sizeof liar->name, "file:%s", liar->path);
	assert_int_equal(view_open(liar->name, &liar->view, &error), 1);
}

static void end(struct liar *liar)
{
	view_close(&liar->view);
	__atomic_store_n(&liar->is_over, true, __ATOMIC_RELEASE);
	pthread_join(liar->thread, NULL);
	munmap(liar->region, NBYTES);
	unlink(liar->path);
}

/* ---- lies ------------------------------------------------------------------------------------ */

static void tell(struct nreg_look *look, unsigned index, uint32_t id)
{
	look->process[index] = (struct nreg_process){.self = nreg_self(id, 1)};
}

static void finish(struct nreg_look *look, uint64_t count, uint64_t next)
{
	nchan_store(&look->count, count);
	nchan_store(&look->next, next);
}

static void too_many(struct nreg_look *look, uint32_t first_id)
{
	tell(look, 0, first_id);
	finish(look, UINT64_MAX, 0);
}

static void ids_that_go_back(struct nreg_look *look, uint32_t first_id)
{
	tell(look, 0, first_id + 5);
	tell(look, 1, first_id + 4);
	finish(look, 2, 0);
}

static void no_end_in_sight(struct nreg_look *look, uint32_t first_id)
{
	finish(look, 0, first_id);
}

static void the_next_is_out_of_range(struct nreg_look *look, uint32_t first_id)
{
	(void)first_id;
	finish(look, 0, PROCESSES_MAX * 2 + 1);
}

static void does_what_nobody_does(struct nreg_look *look, uint32_t first_id)
{
	tell(look, 0, first_id);
	look->process[0].doing = NREG_DOING_COUNT;
	finish(look, 1, 0);
}

static void more_than_there_can_be(struct nreg_look *look, uint32_t first_id)
{
	for (unsigned i = 0; i < NREG_LOOK_PROCESSES; i++)
		tell(look, i, first_id + i);
	finish(look, NREG_LOOK_PROCESSES, first_id + NREG_LOOK_PROCESSES);
}

static void texts_without_end(struct nreg_look *look, uint32_t first_id)
{
	tell(look, 0, first_id);
	memset(look->process[0].kernel, '\033', sizeof look->process[0].kernel);
	memset(look->process[0].file, 0xff, sizeof look->process[0].file);
	look->process[0].line = 1;
	finish(look, 1, 0);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void an_answer_that_cannot_be_is_none(void **state)
{
	static answer_fn *const lies[] = {too_many, ids_that_go_back, no_end_in_sight,
		the_next_is_out_of_range, does_what_nobody_does, more_than_there_can_be};
	struct liar liar;
	struct look look;

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		begin(&liar, lies[i]);
		assert_int_equal(look_at_processes(&liar.view, &look), 0);
		assert_int_equal(look.silent, 1);
		assert_true(look.count <= PROCESSES_MAX * 2);
		look_free(&look);
		end(&liar);
	}
}

static void texts_are_cut_and_cannot_steer_a_terminal(void **state)
{
	struct liar liar;
	struct look look;

	(void)state;
	begin(&liar, texts_without_end);
	assert_int_equal(look_at_processes(&liar.view, &look), 0);
	assert_int_equal(look.silent, 0);
	assert_int_equal(look.count, 1);
	assert_int_equal(strspn(look.processes[0].process.kernel, "?"), NK_NAME_MAX);
	assert_int_equal(strlen(look.processes[0].process.kernel), NK_NAME_MAX);
	assert_int_equal(strspn(look.processes[0].process.file, "?"), NREG_FILE_MAX - 1);
	look_free(&look);
	end(&liar);
}

static void a_device_that_no_program_has_is_not_asked(void **state)
{
	struct liar liar;
	struct look look;

	(void)state;
	begin(&liar, too_many);
	nchan_store(&nreg_offer(liar.region)->owner, 0);
	assert_int_equal(look_at_processes(&liar.view, &look), 0);
	assert_int_equal(look.count, 0);
	assert_int_equal(look.silent, 0);
	assert_int_equal(nreg_core(liar.region, 0)->look.wanted, 0);
	end(&liar);
}

/* Its machine is no machine of ours, so only its heartbeat could tell. */
static void a_device_without_a_heartbeat_is_silent(void **state)
{
	struct liar liar;

	(void)state;
	begin(&liar, too_many);
	assert_false(view_has_ended(&liar.view));
	assert_int_equal(view_device(&liar.view), VIEW_SILENT);
	end(&liar);
}

/* Nobody holds the lock of a device of this machine. */
static void a_device_whose_lock_is_free_has_ended(void **state)
{
	struct liar liar;

	(void)state;
	begin(&liar, too_many);
	liar.view.identity.machine = nhost_machine();
	assert_int_equal(view_device(&liar.view), VIEW_ENDED);
	end(&liar);
}

/* Counts are whatever the region says. */
static void a_rate_that_is_too_large_is_the_largest(void **state)
{
	struct snapshot_device first = {.generation = 1, .core_count = 1}, next = first;
	struct snapshot before = {.devices = &first, .count = 1, .at_ns = 1000};
	struct snapshot now = {.devices = &next, .count = 1, .at_ns = 1000 + 100 * 1000 * 1000};
	struct view_counts rates;

	(void)state;
	next.counts[0] = (struct view_counts){.spawns = UINT64_MAX, .switches = 10};
	rates = snapshot_rates(&now, &before, &next, 0);
	assert_true(rates.spawns == UINT64_MAX);
	assert_int_equal(rates.switches, 100);
	rates = snapshot_rates(&before, &now, &first, 0);
	assert_int_equal(rates.spawns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_that_cannot_be_is_none),
		cmocka_unit_test(texts_are_cut_and_cannot_steer_a_terminal),
		cmocka_unit_test(a_device_that_no_program_has_is_not_asked),
		cmocka_unit_test(a_device_without_a_heartbeat_is_silent),
		cmocka_unit_test(a_device_whose_lock_is_free_has_ended),
		cmocka_unit_test(a_rate_that_is_too_large_is_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
