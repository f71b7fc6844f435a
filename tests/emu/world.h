/*
 * world.h - a device of a kind, and a small host at it: what most tests here arrange.
 */
#ifndef NEARSIDE_TESTS_EMU_WORLD_H
#define NEARSIDE_TESTS_EMU_WORLD_H

#include "host/device.h"
#include "tests/emu/small_host.h"

struct world {
	struct nhost_device device;
	struct nhost_error error;
	struct small_host host;
	int64_t patience_ns; /* of each wait, in the device's time; negative: for ever */
};

enum {
	WORLD_IMAGE = 1
};

/*
 * Opens the device by its name with options; it has to succeed. NULL-terminated name as in
 * nhost_device_open().
 */
struct world *world_open(const char *name);

/* As world_open(), and the test kernels are loaded as image WORLD_IMAGE. */
struct world *world_with_kernels(const char *name);
void world_close(struct world *world);

/* An echo process number `process` on that core, between pipes request and reply. */
void world_spawn_echo(
	struct world *world, unsigned core, uint32_t process, uint32_t request, uint32_t reply);

/*
 * Sends a message and wants it back. What read or write say when something is wrong, else nbytes.
 */
int64_t world_round_trip(struct world *world, uint32_t request, uint32_t reply, uint64_t message);

/* The bytes of a file; the caller frees them. */
void *world_read_file(const char *path, uint64_t *nbytes);

#endif
