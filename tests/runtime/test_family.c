/*
 * Processes that processes have started: what the host keeps for them, and what it does not believe
 * of them.
 */
#include "tests/runtime/fake.h"

static const struct nproc_attr in_group_5 = {.core = 0, .group = 5};

static struct nproc *process;
static uint64_t self;

static void spawn(const struct nproc_attr *attr)
{
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", attr, &process), 0);
	self = fake_take_spawn(0);
}

static void tell(unsigned core, uint64_t whose, unsigned ending)
{
	const struct nmsg_exit how = {.self = whose, .ending = (uint16_t)ending};

	fake_send(core, NCHAN_EXIT, 0, 0, &how, sizeof how);
}

static struct nproc_status status(void)
{
	struct nproc_status now;

	assert_int_equal(nproc_status(process, &now), 0);
	return now;
}

static struct nreg_core *core(void)
{
	return nreg_core(fake.region, 0);
}

static void a_head_that_has_ended_holds_its_image_until_its_family_has(void **state)
{
	(void)state;
	spawn(NULL);
	tell(0, self, NMSG_EXITED | NMSG_LEAVES_FAMILY);
	assert_int_equal(nproc_wait(process, NULL, 0), 0);
	assert_true(status().has_family);
	assert_int_equal(nproc_image_close(fake.image), -EBUSY);
	tell(0, self, NMSG_FAMILY_ENDED);
	assert_false(status().has_family);
	assert_int_equal(nproc_image_close(fake.image), 0);
	nproc_close(process);
}

/* Its handle may be closed before. */
static void a_family_needs_no_handle(void **state)
{
	(void)state;
	spawn(&in_group_5);
	tell(0, self, NMSG_EXITED | NMSG_LEAVES_FAMILY);
	nproc_close(process);
	assert_int_equal(nproc_wait_group(fake.device, 5, 0), -EAGAIN);
	tell(0, self, NMSG_FAMILY_ENDED);
	assert_int_equal(nproc_wait_group(fake.device, 5, 0), 0);
}

static void assert_senseless(void)
{
	struct nproc *other;

	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &in_group_5, &other), 0);
	assert_int_equal(nproc_wait(other, NULL, 1), -EPROTO);
}

static void a_family_does_not_end_that_was_not_left(void **state)
{
	(void)state;
	spawn(NULL);
	tell(0, self, NMSG_FAMILY_ENDED);
	assert_senseless();
	assert_int_equal(status().state, NPROC_RUNNING);
}

static void a_head_does_not_end_twice(void **state)
{
	(void)state;
	spawn(NULL);
	tell(0, self, NMSG_EXITED | NMSG_LEAVES_FAMILY);
	tell(0, self, NMSG_KILLED);
	assert_senseless();
	assert_int_equal(status().state, NPROC_EXITED);
	assert_true(status().has_family);
}

static void a_family_does_not_end_on_another_core(void **state)
{
	(void)state;
	spawn(&in_group_5);
	tell(0, self, NMSG_EXITED | NMSG_LEAVES_FAMILY);
	tell(1, self, NMSG_FAMILY_ENDED);
	assert_senseless();
	assert_true(status().has_family);
}

static void nobody_ends_whom_the_host_does_not_know(void **state)
{
	uint32_t above = fake.identity.processes_max + 1;
	(void)state;
	spawn(NULL);
	tell(0, nreg_self_born(above, nreg_self_process(self), 1), NMSG_EXITED);
	assert_senseless();
	assert_int_equal(status().state, NPROC_RUNNING);
}

static uint64_t take_family_kill(void)
{
	struct nchan_line line = fake_take(0, NCHAN_KILL);

	assert_int_equal(nchan_head_length(line.head), sizeof(struct nmsg_kill));
	return line.word[0];
}

static void a_group_is_killed_by_families(void **state)
{
	(void)state;
	spawn(&in_group_5);
	assert_int_equal(nproc_kill_group(fake.device, 6), 0);
	assert_int_equal(core()->attention.victim, 0);
	assert_int_equal(nproc_kill_group(fake.device, 5), 0);
	assert_int_equal(core()->attention.victim, self);
	assert_int_equal(take_family_kill(), self);
	fake_assert_silent(0);

	tell(0, self, NMSG_KILLED | NMSG_LEAVES_FAMILY);
	assert_true(status().has_family);
	assert_int_equal(core()->attention.victim, self);
	tell(0, self, NMSG_FAMILY_ENDED);
	assert_false(status().has_family);
	assert_int_equal(core()->attention.victim, 0);
	fake_assert_silent(0);
}

/* Else the core would never take the line. */
static void a_child_that_runs_is_named(void **state)
{
	uint64_t child;
	(void)state;
	spawn(&in_group_5);
	child = nreg_self_born(fake.identity.processes_max + 7, nreg_self_process(self), 3);
	tell(0, self, NMSG_EXITED | NMSG_LEAVES_FAMILY);
	assert_int_equal(nproc_wait(process, NULL, 0), 0);
	core()->status.running = child;
	assert_int_equal(nproc_kill_group(fake.device, 5), 0);
	assert_int_equal(core()->attention.victim, child);
	core()->status.running = child + 1;
	assert_int_equal(nproc_wait_group(fake.device, 5, 10 * 1000 * 1000), -ETIMEDOUT);
	assert_int_equal(core()->attention.victim, child + 1);
}

/* One that is killed alone leaves the word to others. */
static void a_victim_that_leaves_a_family_is_a_victim_no_more(void **state)
{
	(void)state;
	spawn(NULL);
	assert_int_equal(nproc_kill(process), 0);
	assert_int_equal(core()->attention.victim, self);
	tell(0, self, NMSG_KILLED | NMSG_LEAVES_FAMILY);
	assert_true(status().has_family);
	assert_int_equal(core()->attention.victim, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_head_that_has_ended_holds_its_image_until_its_family_has),
		CLAIM(a_family_needs_no_handle),
		CLAIM(a_family_does_not_end_that_was_not_left),
		CLAIM(a_head_does_not_end_twice),
		CLAIM(a_family_does_not_end_on_another_core),
		CLAIM(nobody_ends_whom_the_host_does_not_know),
		CLAIM(a_group_is_killed_by_families),
		CLAIM(a_child_that_runs_is_named),
		CLAIM(a_victim_that_leaves_a_family_is_a_victim_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
