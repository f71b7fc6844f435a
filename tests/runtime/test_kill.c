/* One victim a core at a time, and who goes first. */
#include "tests/runtime/fake.h"

static struct nproc *process[3];
static uint64_t self[3];

static int open_with_processes(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};

	fake_open(state);
	for (int i = 0; i < 3; i++) {
		if (nproc_spawn(fake.device, fake.image, "nothing", &attr, &process[i]))
			return -1;
		self[i] = fake_take_spawn(0);
	}
	return 0;
}

static uint64_t victim(void)
{
	return nreg_core(fake.region, 0)->attention.victim;
}

static void kill_it(int i)
{
	assert_int_equal(nproc_kill(process[i]), 0);
}

static void end_it(int i)
{
	const struct nmsg_exit how = {.self = self[i], .ending = NMSG_KILLED};

	fake_send(0, NCHAN_EXIT, 0, 0, &how, sizeof how);
	assert_int_equal(nproc_wait(process[i], NULL, 0), 0);
}

static void a_victim_is_named_until_its_exit_has_come(void **state)
{
	(void)state;
	kill_it(0);
	assert_int_equal(victim(), self[0]);
	fake_take(0, NCHAN_KILL);
	end_it(0);
	assert_int_equal(victim(), 0);
	fake_assert_silent(0);
}

static void a_kill_that_nobody_asked_for_says_why(void **state)
{
	struct nproc_status status;
	char text[160];
	(void)state;
	end_it(0);
	kill_it(1);
	end_it(1);

	assert_int_equal(nproc_status(process[0], &status), 0);
	assert_int_equal(status.state, NPROC_KILLED);
	assert_non_null(strstr(nproc_status_text(&status, text, sizeof text),
		"was killed: the device ended it, as it ran for too long without waiting"));
	assert_int_equal(nproc_status(process[1], &status), 0);
	assert_string_equal(nproc_status_text(&status, text, sizeof text), "was killed");
}

static void victims_are_named_one_after_the_other(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		kill_it(i);
	fake_take(0, NCHAN_KILL);
	fake_assert_silent(0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(victim(), self[i]);
		end_it(i);
	}
	assert_int_equal(victim(), 0);
	fake_take(0, NCHAN_KILL);
	fake_take(0, NCHAN_KILL);
	fake_assert_silent(0);
}

static void a_victim_is_queued_once(void **state)
{
	(void)state;
	kill_it(0);
	kill_it(0);
	end_it(0);
	assert_int_equal(victim(), 0);
	kill_it(0);
	assert_int_equal(victim(), 0);
}

static void a_victim_that_ends_while_it_queues_is_never_named(void **state)
{
	(void)state;
	kill_it(0);
	kill_it(1);
	end_it(1);
	assert_int_equal(victim(), self[0]);
	end_it(0);
	assert_int_equal(victim(), 0);
}

/* The first victim may be behind the running one, which would never let it be seen. */
static void a_victim_that_runs_goes_first(void **state)
{
	(void)state;
	kill_it(0);
	nreg_core(fake.region, 0)->status.running = self[1];
	kill_it(1);
	assert_int_equal(victim(), self[1]);
	end_it(1);
	assert_int_equal(victim(), self[0]);
}

/* It began to run only after both were to be killed: who waits looks again. */
static void a_victim_that_runs_later_goes_first_then(void **state)
{
	(void)state;
	kill_it(0);
	kill_it(1);
	nreg_core(fake.region, 0)->status.running = self[1];

	assert_int_equal(nproc_wait(process[0], NULL, 5 * 1000 * 1000), -ETIMEDOUT);

	assert_int_equal(victim(), self[1]);
}

/* Kills come from another thread while one waits; the second victim runs only then. */
static bool kill_two_then_look(void)
{
	if (!victim()) {
		kill_it(0);
		kill_it(1);
		nreg_core(fake.region, 0)->status.running = self[1];
		return true;
	}
	assert_int_equal(victim(), self[1]);
	fake_exit(0, self[2], 0);
	return true;
}

static void who_waited_before_the_kills_looks_after_them_too(void **state)
{
	(void)state;
	fake.on_wait = kill_two_then_look;

	assert_int_equal(nproc_wait(process[2], NULL, NPROC_FOREVER), 0);
}

static void what_the_core_says_runs_is_not_believed(void **state)
{
	(void)state;
	kill_it(0);
	nreg_core(fake.region, 0)->status.running = UINT64_MAX;
	kill_it(1);
	assert_int_equal(victim(), self[0]);
	nreg_core(fake.region, 0)->status.running = self[2]; /* no victim */
	kill_it(1);
	assert_int_equal(victim(), self[0]);
}

static bool take_all(void)
{
	return fake_take_all(0);
}

/* The word needs no room in the FIFO; the line that wakes the core follows when there is some. */
static void a_full_fifo_does_not_hold_up_a_kill(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};
	struct nproc *more;
	(void)state;
	take_all();
	assert_int_equal(nproc_wait(process[0], NULL, 0), -EAGAIN);
	for (int i = 0; i < NCHAN_FIFO_LINES - 1; i++)
		assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &more), 0);

	kill_it(0);
	assert_int_equal(victim(), self[0]);
	for (int i = 0; i < NCHAN_FIFO_LINES - 1; i++)
		fake_take_spawn(0);
	fake_assert_silent(0);
	fake_report(0);
	assert_int_equal(nproc_wait(process[0], NULL, 0), -EAGAIN);

	fake_take(0, NCHAN_KILL);
}

#undef CLAIM
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, open_with_processes, fake_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_victim_is_named_until_its_exit_has_come),
		CLAIM(a_kill_that_nobody_asked_for_says_why),
		CLAIM(victims_are_named_one_after_the_other),
		CLAIM(a_victim_is_queued_once),
		CLAIM(a_victim_that_ends_while_it_queues_is_never_named),
		CLAIM(a_victim_that_runs_goes_first),
		CLAIM(a_victim_that_runs_later_goes_first_then),
		CLAIM(who_waited_before_the_kills_looks_after_them_too),
		CLAIM(what_the_core_says_runs_is_not_believed),
		CLAIM(a_full_fifo_does_not_hold_up_a_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
