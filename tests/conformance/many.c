/* As many processes as a device holds. */
#include "tests/conformance/suite.h"

struct crowd {
	unsigned count;
	struct nproc **process;
	struct ends *in, *out; /* the host's ends */
};

static struct crowd make_crowd(unsigned count)
{
	struct crowd crowd = {count, calloc(count, sizeof *crowd.process),
		calloc(count, sizeof *crowd.in), calloc(count, sizeof *crowd.out)};

	assert_non_null(crowd.process);
	assert_non_null(crowd.in);
	assert_non_null(crowd.out);
	return crowd;
}

static void free_crowd(struct crowd *crowd)
{
	free(crowd->process);
	free(crowd->in);
	free(crowd->out);
}

static void spawn_one(struct crowd *crowd, unsigned i)
{
	struct ends in = make_pipe(), out = make_pipe();

	must(nproc_spawn(HERE, "answer_once", ENDS(in.read, out.write), &crowd->process[i], i));
	npipe_close(in.read);
	npipe_close(out.write);
	crowd->in[i] = in;
	crowd->out[i] = out;
}

/* All are asked before the first answer is read. */
static void ask_all(const struct crowd *crowd)
{
	for (unsigned i = 0; i < crowd->count; i++)
		must(npipe_write(crowd->in[i].write, &(uint32_t){7 * i}, sizeof(uint32_t)));
}

static void hear_all(const struct crowd *crowd)
{
	for (unsigned i = 0; i < crowd->count; i++) {
		uint32_t answer = 0;

		must(npipe_read_full(crowd->out[i].read, &answer, sizeof answer));
		assert_int_equal(answer, 8 * i);
		assert_int_equal(exit_code_of(crowd->process[i]), 0);
		npipe_close(crowd->in[i].write);
		npipe_close(crowd->out[i].read);
	}
}

static void crowd_answers(unsigned count)
{
	struct crowd crowd = make_crowd(count);
	struct nproc_status status;

	for (unsigned i = 0; i < count; i++)
		spawn_one(&crowd, i);
	must(nproc_status(crowd.process[0], &status));
	assert_int_equal(status.state, NPROC_RUNNING);
	ask_all(&crowd);
	hear_all(&crowd);
	free_crowd(&crowd);
}

static void a_hundred_thousand_blocked_processes_answer_once_each(void **state)
{
	(void)state;
	skip_unless(!is_simulation(), "a hundred thousand processes take too long");
	crowd_answers(100000);
}

static void a_thousand_blocked_processes_answer_once_each(void **state)
{
	(void)state;
	crowd_answers(1000);
}

/* As many as the device holds, thrice. */
static void a_full_device_empties_and_fills_again(void **state)
{
	enum {
		MOST = 500
	};
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process[MOST], *more;
	(void)state;
	open_another("processes=500", &device);
	must(nproc_image_open(device, TEST_KERNELS_PATH, &image));

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MOST; i++)
			must(nproc_spawn(device, image, "yield_for_ever", NULL, &process[i]));
		assert_int_equal(nproc_spawn(device, image, "exit_with", NULL, &more, 0), -EAGAIN);
		for (int i = 0; i < MOST; i++)
			must(nproc_kill(process[i]));
		for (int i = 0; i < MOST; i++)
			assert_int_equal(ending_of(process[i]).state, NPROC_KILLED);
	}
	nproc_device_close(device);
}

int run_many(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_thousand_blocked_processes_answer_once_each),
		CLAIM(a_hundred_thousand_blocked_processes_answer_once_each),
		CLAIM(a_full_device_empties_and_fills_again),
	};

	return cmocka_run_group_tests_name("many", tests, NULL, NULL);
}
