/*
 * machine.h - the firmware and a host's place in one thread, with kernels written by hand: for
 * tests of device/.
 *
 * A hand-written kernel is a resume function on a frame that starts with its address, as nprocc
 * makes it. Its "image" is a table of struct nk_code; image 1 is loaded when the machine is
 * created.
 */
#ifndef NEARSIDE_TESTS_DEVICE_MACHINE_H
#define NEARSIDE_TESTS_DEVICE_MACHINE_H

#include "channels/place.h"
#include "device/abi/message.h"
#include "device/core.h"

enum {
	MACHINE_PROCESSES = 300,
	MACHINE_PIPES = 64,
	MACHINE_CELLS = 4096,
	MACHINE_SCRATCH = 128 * 1024,
	MACHINE_FAR_BYTES = 1 << 20,
	MACHINE_EXITS_MAX = 4096,
	MACHINE_IMAGE = 1,
};

struct machine {
	struct ndev_device *device;
	void *memory;
	char *region;
	unsigned cores;
	struct nchan_place host;
	struct nchan_link links[NCHAN_PLACES_MAX];
	struct nchan_cell cells[MACHINE_CELLS + 1];
	uint32_t ends[MACHINE_PIPES + 1];
	struct nmsg_exit exits[MACHINE_EXITS_MAX];
	unsigned exit_count;
	struct nmsg_loaded loaded;
	unsigned loaded_count;
	struct nmsg_state states[MACHINE_EXITS_MAX]; /* answers to ASK */
	unsigned state_count;
	char log[1024]; /* messages, each with a newline */
	unsigned log_length;
	int load_status; /* what the platform answers to load */
	unsigned unloads;
};

struct machine *machine_create(
	unsigned cores, const struct nk_code *kernels, unsigned kernel_count);
void machine_destroy(struct machine *machine);

/* One round of each core and of the host, until none does anything. */
void machine_settle(struct machine *machine);
/* One round of one core; the host does not take what it sends. */
bool machine_step_core(struct machine *machine, unsigned core);
/* The host takes lines, flushes, reports. */
bool machine_step_host(struct machine *machine);

struct machine_spawn {
	unsigned core;
	uint64_t self;
	unsigned image, kernel, grant_set;
	unsigned end_count;
	const uint32_t *ends; /* pipe ids, with NMSG_END_WRITES */
	unsigned word_count;
	const uint64_t *words;
	unsigned weight; /* 0: 1 */
};

/* Sends SPAWN lines and passes the ends, each of which is moved. */
void machine_spawn(struct machine *machine, const struct machine_spawn *spawn);
/* The simplest one: kernel `kernel` on core 0 with process id `id`, no ends. */
uint64_t machine_spawn_simple(struct machine *machine, uint32_t id, unsigned kernel);

/* How this process ended, or NULL. */
const struct nmsg_exit *machine_exit(const struct machine *machine, uint64_t self);

void machine_create_pipe(struct machine *machine, uint32_t pipe);
int64_t machine_write(struct machine *machine, uint32_t pipe, const void *bytes, uint64_t nbytes);
int64_t machine_read(struct machine *machine, uint32_t pipe, void *bytes, uint64_t nbytes);
void machine_send(struct machine *machine, unsigned core, enum nchan_kind kind, const void *payload,
	unsigned nbytes);
void machine_set_attention(struct machine *machine, unsigned core, uint64_t self);

uint64_t machine_far(const struct machine *machine); /* address of far memory */

#endif
