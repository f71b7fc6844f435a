#include "tests/conformance/chains.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <nearside/npipe.h>
#include <nearside/nproc.h>

enum {
	CHAINS_MAX = 5,
	STAGES_MAX = 5, /* source, echos, sink */
	STREAM_MAX = 3000,
	PIPES = CHAINS_PIPES,
	PATIENCE = 20 * 1000 * 1000, /* things done by the host until all chains have ended */
};

_Static_assert(PIPES == CHAINS_MAX * (STAGES_MAX - 1), "as many as there can be at once");

struct stage {
	bool is_host; /* else a process */
	bool is_spawned;
	struct nproc *process;
};

/* Pipe i joins stage i and stage i + 1. */
struct chain {
	unsigned count; /* of stages */
	uint64_t nbytes;
	struct stage stage[STAGES_MAX];
	struct npipe *reads[STAGES_MAX - 1], *writes[STAGES_MAX - 1];
	uint64_t written, read; /* by the host */
	bool is_of_packets;     /* its pipes */
	bool is_broken;         /* something was killed or closed early */
	bool is_over;
};

struct world {
	struct nproc_device *device;
	struct nproc_image *image;
	unsigned cores;
	uint64_t random;
	unsigned chain_count;
	struct chain chain[CHAINS_MAX];
	char *error;
	size_t error_nbytes;
};

__attribute__((format(printf, 2, 3))) static int fail(struct world *world, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(world->error, world->error_nbytes, format, args);
	va_end(args);
	return -1;
}

static int fail_call(struct world *world, const char *what, int64_t result)
{
	char detail[256];

	return fail(world, "%s: %" PRId64 " (%s)", what, result,
		nproc_detail(world->device, detail, sizeof detail));
}

static unsigned draw(struct world *world, unsigned below)
{
	world->random = world->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(world->random >> 33) % below;
}

static uint8_t byte_at(uint64_t i)
{
	return (uint8_t)(i * 31 + (i >> 8));
}

/* ---- making chains --------------------------------------------------------------------------- */

static int make_chain(struct world *world, struct chain *chain)
{
	struct npipe_attr attr = NPIPE_ATTR_INIT;
	struct npipe *end[2];
	int result;

	*chain = (struct chain){.count = 2 + draw(world, STAGES_MAX - 1),
		.nbytes = draw(world, STREAM_MAX),
		.is_of_packets = !draw(world, 3)};
	attr.flags = chain->is_of_packets ? NPIPE_PACKET : 0;
	chain->stage[0].is_host = !draw(world, 3);
	chain->stage[chain->count - 1].is_host = !draw(world, 3);
	for (unsigned i = 0; i + 1 < chain->count; i++) {
		attr.capacity = draw(world, 2) ? 1 + draw(world, 8) : 0;
		result = npipe_create_with(world->device, end, &attr);
		if (result)
			return fail_call(world, "create", result);
		chain->reads[i] = end[0];
		chain->writes[i] = end[1];
		npipe_set_timeout(end[0], 0);
		npipe_set_timeout(end[1], 0);
	}
	return 0;
}

static void close_end(struct npipe **end)
{
	npipe_close(*end);
	*end = NULL;
}

/* How much a call asks for or gives: a message must be taken whole. */
static uint32_t draw_count(
	struct world *world, const struct chain *chain, bool reads, uint32_t count_max)
{
	if (!chain->is_of_packets)
		return 1 + draw(world, count_max);
	return reads ? NPIPE_BUF + draw(world, count_max - NPIPE_BUF + 1)
		     : 1 + draw(world, NPIPE_BUF);
}

static int spawn(struct world *world, struct chain *chain, unsigned i)
{
	struct stage *stage = &chain->stage[i];
	struct npipe **in = i ? &chain->reads[i - 1] : NULL;
	struct npipe **out = i + 1 < chain->count ? &chain->writes[i] : NULL;
	uint32_t chunk = draw_count(world, chain, in != NULL, 120);
	struct npipe *ends[2] = {in ? *in : *out, in && out ? *out : NULL};
	struct nproc_attr attr = {
		(int)draw(world, world->cores + 1) - 1, in && out ? 2 : 1, ends, 0, 0};
	int result;

	if (!in)
		result = nproc_spawn(world->device, world->image, "source", &attr, &stage->process,
			chain->nbytes, chunk);
	else
		result = nproc_spawn(world->device, world->image, out ? "echo" : "sink", &attr,
			&stage->process, chunk);
	if (result)
		return fail_call(world, "spawn", result);
	stage->is_spawned = true;
	if (in)
		close_end(in);
	if (out)
		close_end(out);
	return 0;
}

/* ---- the host's part ------------------------------------------------------------------------- */

static int host_writes(struct world *world, struct chain *chain)
{
	uint8_t bytes[200];
	uint64_t now = draw_count(world, chain, false, sizeof bytes);
	int64_t result;

	if (!chain->writes[0])
		return 0;
	if (now > chain->nbytes - chain->written)
		now = chain->nbytes - chain->written;
	for (uint64_t i = 0; i < now; i++)
		bytes[i] = byte_at(chain->written + i);
	result = now ? npipe_write(chain->writes[0], bytes, now) : 0;
	if (result > 0)
		chain->written += (uint64_t)result;
	else if (result < 0 && result != -EAGAIN && !(result == -EPIPE && chain->is_broken))
		return fail_call(world, "write", result);
	if (chain->written == chain->nbytes || result == -EPIPE)
		close_end(&chain->writes[0]);
	return 0;
}

static int host_reads(struct world *world, struct chain *chain)
{
	struct npipe **end = &chain->reads[chain->count - 2];
	uint8_t bytes[200];
	int64_t result;

	if (!*end)
		return 0;
	result = npipe_read(*end, bytes, draw_count(world, chain, true, sizeof bytes));
	if (result < 0 && result != -EAGAIN)
		return fail_call(world, "read", result);
	for (int64_t i = 0; i < result; i++)
		if (bytes[i] != byte_at(chain->read++))
			return fail(world, "byte %" PRIu64 " is wrong", chain->read - 1);
	if (result)
		return 0;
	if (chain->read != chain->nbytes && !chain->is_broken)
		return fail(world, "the stream ended after %" PRIu64 " of %" PRIu64 " bytes",
			chain->read, chain->nbytes);
	close_end(end);
	return 0;
}

/* Breaks the chain somewhere. */
static int break_it(struct world *world, struct chain *chain)
{
	unsigned i = draw(world, chain->count);
	struct stage *stage = &chain->stage[i];
	int result = 0;

	chain->is_broken = true;
	if (stage->process)
		result = nproc_kill(stage->process);
	else if (i && chain->reads[i - 1] && stage->is_host)
		close_end(&chain->reads[i - 1]);
	else if (!i && chain->writes[0] && stage->is_host)
		close_end(&chain->writes[0]);
	return result ? fail_call(world, "kill", result) : 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int check_exit(struct world *world, const struct chain *chain, unsigned i,
	const struct nproc_status *status)
{
	int64_t expected = i ? (int64_t)chain->nbytes : 0;
	char text[128];

	if (status->state == NPROC_EXITED && (chain->is_broken || status->exit_code == expected))
		return 0;
	if (status->state == NPROC_KILLED && chain->is_broken)
		return 0;
	return fail(world, "stage %u of %u %s, should have exited with %" PRId64, i, chain->count,
		nproc_status_text(status, text, sizeof text), expected);
}

/* -EAGAIN: something of the chain goes on. */
static int collect(struct world *world, struct chain *chain)
{
	if (chain->writes[0] && chain->stage[0].is_host)
		return -EAGAIN;
	if (chain->reads[chain->count - 2] && chain->stage[chain->count - 1].is_host)
		return -EAGAIN;
	for (unsigned i = 0; i < chain->count; i++) {
		struct stage *stage = &chain->stage[i];
		struct nproc_status status;
		int result;

		if (stage->is_host || (stage->is_spawned && !stage->process))
			continue;
		result = stage->process ? nproc_wait(stage->process, &status, 0) : -EAGAIN;
		if (result)
			return result == -EAGAIN ? result : fail_call(world, "wait", result);
		nproc_close(stage->process);
		stage->process = NULL;
		if (check_exit(world, chain, i, &status))
			return -1;
	}
	chain->is_over = true;
	return 0;
}

/* One random thing. */
static int act(struct world *world, struct chain *chain)
{
	unsigned i = draw(world, chain->count);
	struct stage *stage = &chain->stage[i];
	int result;

	if (!draw(world, 400))
		return break_it(world, chain);
	if (!stage->is_host && !stage->is_spawned)
		return spawn(world, chain, i);
	if (stage->is_host && (i == 0 ? host_writes(world, chain) : host_reads(world, chain)))
		return -1;
	result = collect(world, chain);
	return result == -EAGAIN ? 0 : result;
}

static unsigned count_running(const struct world *world)
{
	unsigned running = 0;

	for (unsigned i = 0; i < world->chain_count; i++)
		running += !world->chain[i].is_over;
	return running;
}

/* All ids come back when the last line about their pipes has been taken. */
static int check_that_all_pipes_are_free(struct world *world)
{
	struct npipe *end[PIPES][2];
	struct nproc_stats stats;
	unsigned made = 0;
	int result = 0;

	for (unsigned i = 0; made < PIPES && i < PATIENCE; i++) {
		result = npipe_create(world->device, end[made]);
		made += !result;
		if (result && result != -EMFILE)
			return fail_call(world, "create", result);
		nproc_stats(world->device, &stats);
	}
	for (unsigned i = 0; i < made; i++) {
		npipe_close(end[i][0]);
		npipe_close(end[i][1]);
	}
	return made == PIPES ? 0 : fail(world, "%u of %d pipes came back", made, PIPES);
}

static int run_round(struct world *world)
{
	world->chain_count = 1 + draw(world, CHAINS_MAX);
	for (unsigned i = 0; i < world->chain_count; i++)
		if (make_chain(world, &world->chain[i]))
			return -1;
	for (unsigned step = 0; count_running(world); step++) {
		struct chain *chain = &world->chain[draw(world, world->chain_count)];

		if (step == PATIENCE)
			return fail(world, "%u of %u chains do not end", count_running(world),
				world->chain_count);
		if (!chain->is_over && act(world, chain))
			return -1;
	}
	return check_that_all_pipes_are_free(world);
}

static int open_world(struct world *world, const char *device_name, const char *kernels_path)
{
	struct nproc_device_info info;
	char name[128];
	int result;

	snprintf(name, sizeof name, "%s", device_name);
	if (strncmp(name, "file:", 5) != 0)
		snprintf(name, sizeof name, "%s%spipes=%d", device_name,
			strchr(device_name, ':') ? "," : ":", PIPES);
	result = nproc_device_open(name, &world->device);
	if (!result)
		result = nproc_image_open(world->device, kernels_path, &world->image);
	if (!result)
		result = nproc_device_info(world->device, &info);
	if (result)
		return fail_call(world, "open", result);
	world->cores = info.core_count;
	return 0;
}

int chains_run(const char *device_name, const char *kernels_path, uint64_t seed, unsigned rounds,
	char *error, size_t nbytes)
{
	struct world world = {.random = seed, .error = error, .error_nbytes = nbytes};
	int result = open_world(&world, device_name, kernels_path);

	for (unsigned round = 0; !result && round < rounds; round++)
		result = run_round(&world);
	nproc_device_close(world.device);
	return result;
}
