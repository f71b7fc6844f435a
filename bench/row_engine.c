/*
 * row_engine.c - a copy into far memory by each copy engine, one after the other, as a caller that
 * waits sees it. DSA itself is not in this machine: its figure comes from the model, which says
 * nothing of speed, or from published costs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/methods.h"
#include "bench/session.h"

struct copies {
	struct bench_session session;
	void *far, *local;
};

/* Published for one copy by DSA, alone: 1.0 to 1.3 us and 28 to 29 ns for each KB. */
double bench_dsa_published_ns(uint64_t nbytes)
{
	return 1150 + 28.5 * (double)nbytes / 1024;
}

static const char *open_copies(struct bench_side *side, const char *engine)
{
	struct copies *copies = bench_session_open(side, "inproc:cores=1,far=64M", sizeof(*copies));
	struct nproc_device *device = copies->session.device;
	uint64_t nbytes = side->row->nbytes;
	char detail[512];

	bench_must(&copies->session, nmem_alloc(device, nbytes, &copies->far));
	copies->local = malloc(nbytes);
	if (!copies->local)
		bench_die("no memory for %llu bytes", (unsigned long long)nbytes);
	memset(copies->local, 1, nbytes);
	if (!engine || !nmem_copy_engine(device, engine))
		return NULL;
	snprintf(side->reason, sizeof side->reason, "%s",
		nproc_detail(device, detail, sizeof detail));
	free(copies->local);
	bench_session_close(side);
	return side->reason;
}

static const char *open_limit(struct bench_side *side)
{
	return open_copies(side, NULL);
}

static const char *open_cpu(struct bench_side *side)
{
	return open_copies(side, "cpu");
}

static const char *open_auto(struct bench_side *side)
{
	return open_copies(side, "auto");
}

static const char *open_thread(struct bench_side *side)
{
	bench_pin_self_to_both();
	return open_copies(side, "thread");
}

static const char *open_dsa(struct bench_side *side)
{
	return getenv("NEARSIDE_DSA_MODEL") ? "this DSA is a model: see the figure named so"
					    : open_copies(side, "dsa");
}

static const char *open_model(struct bench_side *side)
{
	return getenv("NEARSIDE_DSA_MODEL") ? open_copies(side, "dsa")
					    : "run this by nearside dsa-model -- nearside-bench";
}

static void close_copies(struct bench_side *side)
{
	struct copies *copies = side->state;

	free(copies->local);
	bench_session_close(side);
}

static void check(const struct bench_side *side, const struct copies *copies)
{
	bench_check(side, !memcmp(copies->far, copies->local, side->row->nbytes));
}

static void measure(struct bench_side *side)
{
	struct copies *copies = side->state;

	bench_begin(side);
	for (uint64_t i = 0; i < side->count; i++) {
		*(uint64_t *)copies->local = i;
		bench_must(&copies->session, nmem_copy(copies->session.device, copies->far,
						     copies->local, side->row->nbytes));
		bench_lap(side);
	}
	bench_end(side, side->count);
	check(side, copies);
}

static void measure_limit(struct bench_side *side)
{
	struct copies *copies = side->state;

	bench_begin(side);
	for (uint64_t i = 0; i < side->count; i++) {
		*(uint64_t *)copies->local = i;
		memcpy(copies->far, copies->local, side->row->nbytes);
		bench_lap(side);
	}
	bench_end(side, side->count);
	check(side, copies);
}

static void state_published(struct bench_side *side)
{
	side->value = bench_dsa_published_ns(side->row->nbytes);
}

const struct bench_method bench_engine_cpu = {"cpu", 200, open_cpu, measure, close_copies};
const struct bench_method bench_engine_limit = {
	"memcpy", 200, open_limit, measure_limit, close_copies};
const struct bench_method bench_engine_auto = {"auto", 200, open_auto, measure, close_copies};
const struct bench_method bench_engine_thread = {
	"helper thread", 200, open_thread, measure, close_copies};
const struct bench_method bench_engine_dsa = {"DSA", 200, open_dsa, measure, close_copies};
const struct bench_method bench_engine_model = {
	"DSA model, no hardware", 50, open_model, measure, close_copies};
const struct bench_method bench_engine_published = {
	"DSA, expected from published costs", 1, NULL, state_published, NULL};
