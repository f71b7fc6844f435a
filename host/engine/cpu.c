/* cpu.c - the engine of the calling processor: done when submitted. */
#include <inttypes.h>
#include <stdio.h>

#include "host/engine/parts.h"

/* state counts what has been completed since the last poll. */
static size_t take_completed(struct nhost_engine *engine)
{
	size_t count = (size_t)(uintptr_t)engine->state;

	engine->state = NULL;
	return count;
}

static int cpu_open(struct nhost_engine *engine, const struct nhost_engine_options *options,
	struct nhost_error *error)
{
	(void)options;
	(void)error;
	engine->state = NULL;
	nhost_copy_facts();
	return 0;
}

static void cpu_close(struct nhost_engine *engine)
{
	(void)engine;
}

static int cpu_submit(struct nhost_engine *engine, struct nhost_op *ops, size_t count)
{
	int result = ops_begin(ops, count);

	if (result)
		return result;
	for (size_t i = 0; i < count; i++) {
		uint64_t nbytes = ops[i].nbytes;

		nhost_op_by_cpu(&ops[i]);
		engine->counts.bytes += nbytes;
		engine->counts.cpu_bytes += nbytes;
	}
	engine->counts.ops += count;
	engine->counts.cpu_ops += count;
	engine->state = (void *)((uintptr_t)engine->state + count);
	return 0;
}

static int cpu_wait(
	struct nhost_engine *engine, struct nhost_op *ops, size_t count, int64_t timeout_ns)
{
	(void)ops;
	(void)count;
	(void)timeout_ns;
	take_completed(engine);
	return 0;
}

static int64_t cpu_due_ns(const struct nhost_engine *engine)
{
	return engine->state ? 0 : -1;
}

static void cpu_explain(const struct nhost_engine *engine, char *text, size_t nbytes)
{
	const struct nhost_copy_facts *facts = nhost_copy_facts();

	snprintf(text, nbytes,
		"cpu: the calling processor; %" PRIu64 " operations, %" PRIu64 " bytes\n"
		"cpu: last-level cache %zu KiB; copies go past it from %zu KiB on (%zu KiB: "
		"libc %.1f GB/s, past the cache %.1f GB/s)\n"
		"cpu: CRC32C by %s\n",
		engine->counts.ops, engine->counts.bytes, facts->cache_nbytes / 1024,
		facts->stream_from / 1024, facts->sample_nbytes / 1024, facts->libc_gb_s,
		facts->stream_gb_s, facts->crc_method);
}

const struct nhost_engine_ops cpu_engine = {
	.name = "cpu",
	.summary = "the calling processor, at once",
	.open = cpu_open,
	.close = cpu_close,
	.submit = cpu_submit,
	.poll = take_completed,
	.wait = cpu_wait,
	.due_ns = cpu_due_ns,
	.explain = cpu_explain,
};
