#include "tests/device/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

int create_machine(void **state)
{
	*state = machine_create(2, kernels, KERNELS);
	return 0;
}

int destroy_machine(void **state)
{
	machine_destroy(*state);
	return 0;
}

void expect_exit(struct machine *machine, uint64_t self, enum nmsg_ending ending, int64_t value)
{
	const struct nmsg_exit *exit = machine_exit(machine, self);

	assert_non_null(exit);
	assert_int_equal(exit->ending, ending);
	assert_int_equal(exit->value, value);
}

uint64_t spawn(struct machine *machine, unsigned kernel, uint32_t id, const uint64_t *words,
	unsigned count)
{
	struct machine_spawn spawn = {.self = nreg_self(id, 9),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.words = words,
		.word_count = count};

	machine_spawn(machine, &spawn);
	return spawn.self;
}

/* A process of `kernel` that reads pipe 1 and writes pipe 2. */
uint64_t spawn_server(struct machine *machine, unsigned kernel, unsigned core)
{
	const uint32_t ends[] = {1, 2 | NMSG_END_WRITES};
	const uint64_t words[4] = {0};
	struct machine_spawn spawn = {.core = core,
		.self = nreg_self(3, 1),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.ends = ends,
		.end_count = 2,
		.words = words,
		.word_count = 4};

	machine_create_pipe(machine, 1);
	machine_create_pipe(machine, 2);
	machine_spawn(machine, &spawn);
	machine_settle(machine);
	return spawn.self;
}

void grant(struct machine *machine, unsigned set, uint64_t base, uint64_t len, bool writable)
{
	struct nmsg_grant message = {.base = base,
		.len = len,
		.writable = writable ? len : 0,
		.set = (uint16_t)set,
		.index = 0,
		.count = 1};

	machine_send(machine, 0, NCHAN_GRANT, &message, sizeof(message));
}

uint64_t spawn_granted(struct machine *machine, unsigned kernel, unsigned set, uint64_t address)
{
	const uint64_t words[4] = {address};
	struct machine_spawn spawn = {.self = nreg_self(4, address),
		.image = MACHINE_IMAGE,
		.kernel = kernel,
		.grant_set = set,
		.words = words,
		.word_count = 4};

	machine_spawn(machine, &spawn);
	machine_settle(machine);
	return spawn.self;
}

void spawn_reader(struct machine *machine, uint32_t id)
{
	const uint32_t end = 1;
	const uint64_t words[4] = {0};
	const struct machine_spawn reader = {.self = nreg_self(id, 1),
		.image = MACHINE_IMAGE,
		.kernel = ONCE,
		.ends = &end,
		.end_count = 1,
		.words = words,
		.word_count = 4};

	machine_spawn(machine, &reader);
	machine_settle(machine);
}

void spawn_readers(struct machine *machine, uint32_t count)
{
	machine_create_pipe(machine, 1);
	for (uint32_t i = 1; i < count; i++)
		nchan_dup(nchan_find(&machine->host, 1), false);
	for (uint32_t id = 1; id <= count; id++)
		spawn_reader(machine, id);
}

uint64_t spawn_copies(struct machine *machine, uint32_t id, uint64_t to, enum copies what)
{
	const uint64_t words[4] = {to, NK_SCRATCH_MAX, what};
	struct machine_spawn spawn = {.self = nreg_self(id, 1),
		.image = MACHINE_IMAGE,
		.kernel = COPIES,
		.grant_set = 1,
		.words = words,
		.word_count = 4};

	machine_spawn(machine, &spawn);
	return spawn.self;
}

void expect_fault(struct machine *machine, uint64_t self, enum nk_fault fault, uint64_t address,
	uint32_t site)
{
	const struct nmsg_exit *exit = machine_exit(machine, self);

	assert_non_null(exit);
	assert_int_equal(exit->ending, NMSG_FAULTED);
	assert_int_equal(exit->fault, fault);
	assert_int_equal(exit->address, address);
	assert_int_equal(exit->site, site);
}
