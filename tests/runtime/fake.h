/*
 * fake.h - a device whose cores do what a test says, for claims about the host's side alone.
 *
 * The test is both ends: it calls the library, then looks at the lines that came (fake_take()) and
 * answers (fake_send()). While a call waits, fake.on_wait is asked to do the next thing. Time is a
 * number that only passes when a wait has nothing else to do. nproc_device_open("fake:...") opens
 * it.
 */
#ifndef NEARSIDE_TESTS_RUNTIME_FAKE_H
#define NEARSIDE_TESTS_RUNTIME_FAKE_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "channels/fifo.h"
#include "device/abi/message.h"
#include "device/abi/region.h"
#include "host/bell.h"
#include "host/device.h"
#include "tests/host/small_image.h"

enum {
	FAKE_CORES_MAX = 4
};

struct fake {
	struct nproc_device *device;
	struct nproc_image *image; /* small_image.h, loaded */
	void *region;
	struct nreg_identity
		identity; /* what the next device will say; fake_reset() sets usual numbers */
	struct nchan_rx down[FAKE_CORES_MAX];
	struct nchan_tx up[FAKE_CORES_MAX];
	int64_t now;
	unsigned clock_reads;
	unsigned waits;
	unsigned wakes;
	unsigned listens;
	struct nhost_bell *
		bell; /* rung with each line, as the firmware does; NULL: the host never listened */
	bool answers_loads;
	int load_status;
	int wait_result; /* not 0: what every wait says */
	/*
	 * Does something while a call waits; false: nothing more will happen. NULL: nothing ever
	 * does.
	 */
	bool (*on_wait)(void);
};

extern struct fake fake;

/* Setup and teardown of a test: a device with two cores and the small image. */
int fake_open(void **state);
int fake_close(void **state);
/* For tests that choose the device's numbers first: fake_reset(), changes, fake_start(). */
void fake_reset(void);
void fake_start(void);

#define CLAIM(function) cmocka_unit_test_setup_teardown(function, fake_open, fake_close)

/* The next line for the core that is no CURSOR; the test fails if there is none. */
struct nchan_line fake_take(unsigned core, enum nchan_kind kind);
/* There is no such line. */
void fake_assert_silent(unsigned core);
/* Takes the next such line, if there is one. */
bool fake_try_take(unsigned core, struct nchan_line *line);
/* Takes all and reports that; false: there was nothing to report. */
bool fake_take_all(unsigned core);
void fake_send(unsigned core, enum nchan_kind kind, uint32_t pipe, uint32_t arg,
	const void *payload, unsigned nbytes);
/* Tells the host that all its lines were taken. */
void fake_report(unsigned core);

/* The process of a SPAWN line. */
uint64_t fake_take_spawn(unsigned core);
void fake_exit(unsigned core, uint64_t self, int64_t code);

void assert_detail(const char *text);

#endif
