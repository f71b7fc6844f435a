/*
 * test_accepted_device.c - each kernel of accepted/ at each level of optimisation as a process of a
 * real device, which NEARSIDE_DEVICE chooses: what it does must be what it does as a C function.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>

#include "native.h"

static const char levels[] = {'0', '1', '2', '3', 's'};

enum {
	NBYTES = 4096 + 64,
	SEED = 5
};

struct level {
	struct nproc_device *device;
	struct nproc_image *image;
	const struct native *native;
};

/* ---- the host's part ------------------------------------------------------------------------- */

struct feeder {
	struct npipe *end;
	const struct world *world;
};

/* Writes the whole input, or as much as the process takes. */
static void *feed(void *argument)
{
	struct feeder *feeder = argument;
	npipe_write(feeder->end, feeder->world->input, feeder->world->input_nbytes);
	npipe_close(feeder->end);
	return NULL;
}

static void collect(struct npipe *end, struct world *world)
{
	int64_t got;
	while ((got = npipe_read(end, world->output + world->output_nbytes,
			sizeof world->output - world->output_nbytes)) > 0)
		world->output_nbytes += (size_t)got;
	assert_int_equal(got, 0);
	npipe_close(end);
}

static int64_t run_process(const struct level *level, struct world *world, uint8_t *memory)
{
	struct npipe *in[2], *out[2];
	struct nproc *process;
	struct nproc_status status;
	assert_int_equal(npipe_create(level->device, in), 0);
	assert_int_equal(npipe_create(level->device, out), 0);
	struct npipe *ends[] = {in[0], out[1]};
	struct nproc_attr attr = NPROC_ATTR_INIT;
	attr.ends = ends;
	attr.end_count = 2;
	assert_int_equal(nproc_spawn(level->device, level->image, level->native->name, &attr,
				 &process, memory, (uint64_t)NBYTES, (uint64_t)SEED),
		0);
	npipe_close(in[0]);
	npipe_close(out[1]);
	struct feeder feeder = {in[1], world};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
	collect(out[0], world);
	assert_int_equal(nproc_wait(process, &status, NPROC_FOREVER), 0);
	pthread_join(thread, NULL);
	nproc_close(process);
	char text[200];
	if (status.state != NPROC_EXITED)
		fail_msg("%s", nproc_status_text(&status, text, sizeof text));
	return status.exit_code;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void process_does_what_the_function_does(void **state)
{
	const struct level *level = *state;
	static struct world world, before;
	void *memory;
	assert_int_equal(nmem_alloc(level->device, NBYTES, &memory), 0);
	world_open(&before, NBYTES, SEED);
	world_open(&world, NBYTES, SEED);
	memcpy(memory, before.memory, NBYTES);
	int64_t code = run_process(level, &world, memory);
	memcpy(world.memory, memory, NBYTES);

	/* The function in the same memory, so that stored pointers are equal. */
	struct world native = before;
	memcpy(memory, before.memory, NBYTES);
	native.memory = memory;
	assert_int_equal(code, native_run(level->native->kernel, &native, SEED));
	world.input_at = native.input_at;
	memcpy(world.open, native.open, sizeof world.open);
	world_assert_equal(&world, &native);

	assert_int_equal(nmem_free(level->device, memory), 0);
	world_close(&before);
	world_close(&world);
}

static void open_level(struct level *level, struct nproc_device *device, char name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/accepted-O%c.nk", IMAGES, name);
	level->device = device;
	assert_int_equal(nproc_image_open(device, path, &level->image), 0);
}

static void add_test(struct CMUnitTest *test, const struct level *level, char level_name)
{
	char *name = malloc(100);
	struct level *state = malloc(sizeof *state);
	*state = *level;
	snprintf(name, 100, "%s -O%c", level->native->name, level_name);
	*test = (struct CMUnitTest){
		.name = name,
		.test_func = process_does_what_the_function_does,
		.initial_state = state,
	};
}

int main(void)
{
	enum {
		TESTS_MAX = 1000
	};
	static struct CMUnitTest tests[TESTS_MAX];
	size_t count = 0;
	struct nproc_device *device;
	assert_int_equal(nproc_device_open(NULL, &device), 0);
	for (size_t i = 0; i < sizeof levels; i++) {
		struct level level;
		open_level(&level, device, levels[i]);
		for (level.native = native_kernels; level.native->name; level.native++)
			add_test(&tests[count++], &level, levels[i]);
	}
	int failed = _cmocka_run_group_tests("accepted on a device", tests, count, NULL, NULL);
	nproc_device_close(device);
	return failed;
}
