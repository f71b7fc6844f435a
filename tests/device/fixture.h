/* fixture.h - a machine of two cores for each claim, and the usual things to do with it. */
#ifndef NEARSIDE_TESTS_DEVICE_FIXTURE_H
#define NEARSIDE_TESTS_DEVICE_FIXTURE_H

#include "tests/device/kernels.h"
#include "tests/device/machine.h"

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, create_machine, destroy_machine)

int create_machine(void **state);
int destroy_machine(void **state);

void expect_exit(struct machine *machine, uint64_t self, enum nmsg_ending ending, int64_t value);

/* Process id `id` of this kernel on core 0, with arguments. Returns its self. */
uint64_t spawn(struct machine *machine, unsigned kernel, uint32_t id, const uint64_t *words,
	unsigned count);

/* A process that reads pipe 1 and writes pipe 2. */
uint64_t spawn_server(struct machine *machine, unsigned kernel, unsigned core);

/* GRANT of a set of one segment. */
void grant(struct machine *machine, unsigned set, uint64_t base, uint64_t len, bool writable);

/* A process with that grant set and an address as its argument, run until it stops. */
uint64_t spawn_granted(struct machine *machine, unsigned kernel, unsigned set, uint64_t address);

/* A process that waits at pipe 1, which is there. */
void spawn_reader(struct machine *machine, uint32_t id);
/* Makes pipe 1, which processes 1 to `count` read. */
void spawn_readers(struct machine *machine, uint32_t count);

/* A process that puts its scratch memory `to` far memory, of which grant set 1 is. */
uint64_t spawn_copies(struct machine *machine, uint32_t id, uint64_t to, enum copies what);

void expect_fault(struct machine *machine, uint64_t self, enum nk_fault fault, uint64_t address,
	uint32_t site);

#endif
