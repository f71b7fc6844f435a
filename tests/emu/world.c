#include "tests/emu/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/emu/kernels/kernels.h"

static bool is_ready(void *context)
{
	const struct small_host *host = context;

	return nchan_place_has_lines(&host->place);
}

static bool may_sleep(void *context)
{
	return small_host_may_sleep(context);
}

static int wait_at_device(struct small_host *host)
{
	struct world *world = host->platform.context;
	const struct nhost_condition condition = {is_ready, may_sleep, host};
	int64_t deadline = -1;

	if (world->patience_ns >= 0)
		deadline = world->device.ops->now(&world->device) + world->patience_ns;
	return world->device.ops->wait(&world->device, deadline, &condition);
}

static void wake_core(void *context, unsigned core)
{
	struct world *world = context;

	world->device.ops->wake(&world->device, core);
}

struct world *world_open(const char *name)
{
	struct world *world = calloc(1, sizeof *world);
	struct small_host_platform platform;

	assert_non_null(world);
	world->patience_ns = -1;
	if (nhost_device_open(name, &world->device, &world->error))
		fail_msg("%s: %s", name, world->error.text);
	platform =
		(struct small_host_platform){wait_at_device, wake_core, world->device.pause, world};
	small_host_init(&world->host, world->device.region, &platform);
	return world;
}

void *world_read_file(const char *path, uint64_t *nbytes)
{
	FILE *file = fopen(path, "rb");
	void *bytes;
	long size;

	if (!file)
		fail_msg("cannot read %s", path);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	*nbytes = fread(bytes, 1, (size_t)size, file);
	assert_int_equal(*nbytes, size);
	fclose(file);
	return bytes;
}

struct world *world_with_kernels(const char *name)
{
	struct world *world = world_open(name);
	uint64_t nbytes;
	void *code = world_read_file(TEST_KERNELS_PATH, &nbytes);

	memcpy((char *)world->device.region + world->device.identity.far_offset, code, nbytes);
	free(code);
	assert_int_equal(
		small_host_load(&world->host, WORLD_IMAGE, 0, nbytes, TEST_KERNEL_COUNT), 0);
	return world;
}

void world_close(struct world *world)
{
	nhost_device_close(&world->device);
	free(world);
}

void world_spawn_echo(
	struct world *world, unsigned core, uint32_t process, uint32_t request, uint32_t reply)
{
	const struct small_spawn spawn = {
		.core = core,
		.image = WORLD_IMAGE,
		.kernel = TEST_ECHO,
		.self = nreg_self(process, 1),
		.end_count = 2,
		.ends = {request, reply | NMSG_END_WRITES},
	};

	small_host_pipe(&world->host, request);
	small_host_pipe(&world->host, reply);
	assert_int_equal(small_host_spawn(&world->host, &spawn), 0);
}

int64_t world_round_trip(struct world *world, uint32_t request, uint32_t reply, uint64_t message)
{
	uint64_t answer = ~message;
	int64_t nbytes = small_host_write(&world->host, request, &message, sizeof message);

	if (nbytes < 0)
		return nbytes;
	nbytes = small_host_read(&world->host, reply, &answer, sizeof answer);
	if (nbytes == sizeof answer)
		assert_int_equal(answer, message);
	return nbytes;
}
