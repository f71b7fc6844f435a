/*
 * Several host threads on one device. Run on one processor, too (taskset), where a lost wake-up
 * shows.
 */
#include <pthread.h>

#include "tests/conformance/suite.h"

enum {
	THREADS = 6,
	ROUNDS = 300
};

static const char one_thread[] = "both ends are one thread";

/* Assertions of cmocka belong to its own thread: these threads count what is wrong. */
struct worker {
	pthread_t thread;
	unsigned index;
	struct ends in, out;
	struct nproc *process;
	uint64_t wrong;
};

static void start(struct worker *worker, void *(*run)(void *))
{
	assert_int_equal(pthread_create(&worker->thread, NULL, run, worker), 0);
}

static void join(struct worker *worker)
{
	assert_int_equal(pthread_join(worker->thread, NULL), 0);
	assert_int_equal(worker->wrong, 0);
}

static void *ask_own_process(void *argument)
{
	struct worker *worker = argument;
	uint64_t word = worker->index;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		worker->wrong += npipe_write(worker->in.write, &word, sizeof word) != sizeof word;
		worker->wrong +=
			npipe_read_full(worker->out.read, &word, sizeof word) != sizeof word;
	}
	worker->wrong += word != worker->index + ROUNDS;
	npipe_close(worker->in.write);
	return NULL;
}

/* Case 58: each thread waits for its own answers, and somebody takes them for all. */
static void case_58_each_thread_talks_to_its_own_process(void **state)
{
	struct worker worker[THREADS] = {{0}};
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].index = i;
		worker[i].in = make_pipe();
		worker[i].out = make_pipe();
		must(nproc_spawn(HERE, "add_one", ENDS(worker[i].in.read, worker[i].out.write),
			&worker[i].process));
		start(&worker[i], ask_own_process);
	}

	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(exit_code_of(worker[i].process), 0);
}

static void *spawn_and_wait(void *argument)
{
	struct worker *worker = argument;
	struct nproc_status status;
	struct nproc *process;

	for (int64_t i = 0; i < ROUNDS; i++) {
		worker->wrong += nproc_spawn(HERE, "exit_with", NULL, &process, i) != 0;
		worker->wrong += nproc_wait(process, &status, NPROC_FOREVER) != 0;
		worker->wrong += status.state != NPROC_EXITED || status.exit_code != i;
		nproc_close(process);
	}
	return NULL;
}

static void threads_spawn_and_wait_at_once(void **state)
{
	struct worker worker[THREADS] = {{0}};
	(void)state;
	skip_unless(!is_simulation(), one_thread);

	for (unsigned i = 0; i < THREADS; i++)
		start(&worker[i], spawn_and_wait);
	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);
}

static void *write_records(void *argument)
{
	struct worker *worker = argument;
	uint8_t record[RECORD_BYTES];

	memset(record, (int)worker->index, sizeof record);
	for (int i = 0; i < ROUNDS; i++)
		worker->wrong +=
			npipe_write(worker->in.write, record, sizeof record) != sizeof record;
	return NULL;
}

/* Records of several threads through one handle stay whole. */
static void threads_write_one_end(void **state)
{
	struct worker worker[THREADS] = {{0}};
	struct ends in = make_pipe(), out = make_pipe();
	unsigned seen[THREADS] = {0};
	struct nproc *process;
	uint8_t record[RECORD_BYTES];
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	must(nproc_spawn(HERE, "echo", ENDS(in.read, out.write), &process, RECORD_BYTES));
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].index = i;
		worker[i].in = in;
		start(&worker[i], write_records);
	}

	for (unsigned n = 0; n < THREADS * ROUNDS; n++) {
		assert_int_equal(
			must(npipe_read_full(out.read, record, sizeof record)), sizeof record);
		for (unsigned i = 1; i < sizeof record; i++)
			assert_int_equal(record[i], record[0]);
		seen[record[0] % THREADS]++;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		join(&worker[i]);
		assert_int_equal(seen[i], ROUNDS);
	}
	npipe_close(in.write);
	assert_int_equal(exit_code_of(process), THREADS * ROUNDS * RECORD_BYTES);
}

static uint64_t read_total;

static void *read_words(void *argument)
{
	struct worker *worker = argument;
	uint64_t word, sum = 0;
	int64_t nbytes;

	while ((nbytes = npipe_read_full(worker->out.read, &word, sizeof word)) == sizeof word)
		sum += word;
	worker->wrong += nbytes != 0;
	__atomic_fetch_add(&read_total, sum, __ATOMIC_RELAXED);
	return NULL;
}

/* Each word is read by exactly one of several threads, and all see the end. */
static void threads_read_one_end(void **state)
{
	struct worker worker[THREADS] = {{0}};
	struct ends in = make_pipe(), out = make_pipe();
	struct nproc *process;
	uint64_t sum = 0;
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	read_total = 0;
	must(nproc_spawn(HERE, "add_one", ENDS(in.read, out.write), &process));
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].out = out;
		start(&worker[i], read_words);
	}

	for (uint64_t i = 0; i < 1000; i++) {
		must(npipe_write(in.write, &i, sizeof i));
		sum += i + 1;
	}
	npipe_close(in.write);
	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);

	assert_int_equal(read_total, sum);
	assert_int_equal(exit_code_of(process), 0);
}

static void *echo_at_the_host(void *argument)
{
	struct worker *worker = argument;
	uint64_t word;

	while (npipe_read_full(worker->in.read, &word, sizeof word) == sizeof word) {
		word++;
		worker->wrong += npipe_write(worker->out.write, &word, sizeof word) != sizeof word;
	}
	npipe_close(worker->out.write);
	return NULL;
}

/* Case 59: two threads wake each other through pipes that never leave the host. */
static void case_59_two_threads_talk_through_pipes_of_the_host(void **state)
{
	struct worker worker = {.in = make_pipe(), .out = make_pipe()};
	uint64_t word = 0;
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	start(&worker, echo_at_the_host);

	for (int i = 0; i < 2000; i++) {
		must(npipe_write(worker.in.write, &word, sizeof word));
		must(npipe_read_full(worker.out.read, &word, sizeof word));
	}
	npipe_close(worker.in.write);
	join(&worker);

	assert_int_equal(word, 2000);
	assert_int_equal(must(npipe_read(worker.out.read, &word, 8)), 0);
}

static void *wait_for_process(void *argument)
{
	struct worker *worker = argument;
	struct nproc_status status;

	worker->wrong += nproc_wait(worker->process, &status, NPROC_FOREVER) != 0;
	worker->wrong += status.state != NPROC_KILLED;
	return NULL;
}

static void many_threads_wait_for_one_process(void **state)
{
	struct worker worker[THREADS] = {{0}};
	struct nproc *process;
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	must(nproc_spawn(HERE, "wait_for_end", ENDS(make_pipe().read), &process));
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].process = process;
		start(&worker[i], wait_for_process);
	}

	must(nproc_kill(process));

	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);
}

/*
 * Two pipes and a process, again and again, on a device that has no more than two pipes a thread.
 */
static struct {
	struct nproc_device *device;
	struct nproc_image *image;
} full;

static void *make_and_close_pipes(void *argument)
{
	struct worker *worker = argument;
	struct npipe *in[2], *out[2];
	struct nproc *process;

	for (int round = 0; round < ROUNDS && !worker->wrong; round++) {
		worker->wrong += npipe_create(full.device, in) != 0;
		worker->wrong += npipe_create(full.device, out) != 0;
		if (worker->wrong)
			break;
		worker->wrong += nproc_spawn(full.device, full.image, "add_one",
					 ENDS(in[0], out[1]), &process) != 0;
		for (int i = 0; i < 2; i++) {
			npipe_close(in[i]);
			npipe_close(out[i]);
		}
		nproc_close(process);
	}
	return NULL;
}

static void threads_at_the_limit_of_pipes_get_those_that_they_closed(void **state)
{
	struct worker worker[THREADS] = {{0}};
	char limit[32];
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	snprintf(limit, sizeof limit, "pipes=%d", 2 * THREADS);
	open_another(limit, &full.device);
	must(nproc_image_open(full.device, TEST_KERNELS_PATH, &full.image));

	for (unsigned i = 0; i < THREADS; i++)
		start(&worker[i], make_and_close_pipes);
	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);

	nproc_device_close(full.device);
}

static void *alloc_and_free(void *argument)
{
	struct worker *worker = argument;
	void *memory[16];

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < 16; i++) {
			worker->wrong += nmem_alloc(suite.device, 64 * (i + 1), &memory[i]) != 0;
			worker->wrong += *(unsigned char *)memory[i];
			memset(memory[i], 0xff, 64 * (i + 1));
		}
		for (size_t i = 0; i < 16; i++)
			worker->wrong += nmem_free(suite.device, memory[i]) != 0;
	}
	return NULL;
}

static void threads_allocate_far_memory(void **state)
{
	struct worker worker[THREADS] = {{0}};
	(void)state;

	for (unsigned i = 0; i < THREADS; i++)
		start(&worker[i], alloc_and_free);
	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);
}

/* Case 65: more threads than processors, some with little time, all in one another's way. */
static void *ask_impatiently(void *argument)
{
	struct worker *worker = argument;
	uint64_t word = 0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		int64_t nbytes;

		worker->wrong += npipe_write(worker->in.write, &word, sizeof word) != sizeof word;
		do
			nbytes = npipe_read(worker->out.read, &word, sizeof word);
		while (nbytes == -ETIMEDOUT || nbytes == -EAGAIN);
		worker->wrong += nbytes != sizeof word;
	}
	worker->wrong += word != ROUNDS;
	return NULL;
}

static void case_65_impatient_threads_lose_nothing(void **state)
{
	struct worker worker[THREADS] = {{0}};
	(void)state;
	skip_unless(!is_simulation(), one_thread);
	for (unsigned i = 0; i < THREADS; i++) {
		worker[i].in = make_pipe();
		worker[i].out = make_pipe();
		must(nproc_spawn(HERE, "add_one", ENDS(worker[i].in.read, worker[i].out.write),
			&worker[i].process));
		must(npipe_set_timeout(worker[i].out.read, 1000 * (i + 1)));
		start(&worker[i], ask_impatiently);
	}

	for (unsigned i = 0; i < THREADS; i++)
		join(&worker[i]);
}

int run_threads(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(case_58_each_thread_talks_to_its_own_process),
		CLAIM(threads_spawn_and_wait_at_once),
		CLAIM(threads_write_one_end),
		CLAIM(threads_read_one_end),
		CLAIM(case_59_two_threads_talk_through_pipes_of_the_host),
		CLAIM(many_threads_wait_for_one_process),
		CLAIM(threads_allocate_far_memory),
		CLAIM(threads_at_the_limit_of_pipes_get_those_that_they_closed),
		CLAIM(case_65_impatient_threads_lose_nothing),
	};

	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
