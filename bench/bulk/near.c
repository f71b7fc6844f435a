/* near.c - bulk pipes: copied once or twice, or made and read in place; by every engine. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/nipc.h>
#include <nearside/npipe.h>

#include "bench/bulk/bulk.h"
#include "bench/methods.h"

enum {
	RING = 1 << 20,      /* of copied messages: what is under way stays in the cache */
	TO_MEMORY = 1 << 16, /* beside a mode: copied past the cache */
};

struct end {
	struct nipc *channel;
	bool is_host;
	struct nipc_how how;
};

static _Noreturn void die(struct nipc *channel, const char *what)
{
	char detail[512];

	bench_die("bulk pipe: %s: %s", what, nipc_detail(channel, detail, sizeof(detail)));
}

/* ---- making ---------------------------------------------------------------------------------- */

struct joining {
	int socket, result;
	const struct nipc_attr *attr;
	struct nipc *channel;
};

static void *join(void *context)
{
	struct joining *joining = context;

	joining->result = nipc_adopt(joining->socket, joining->attr, -1, &joining->channel);
	return NULL;
}

static void *new_end(struct nipc *channel, bool is_host, const struct nipc_how *how)
{
	struct end *end = calloc(1, sizeof(*end));

	end->channel = channel;
	end->is_host = is_host;
	end->how = *how;
	return end;
}

static void close_link(struct bulk_link *link)
{
	struct end *ends[] = {link->host, link->partner};

	for (unsigned i = 0; i < 2; i++) {
		nipc_close(ends[i]->channel);
		free(ends[i]);
	}
}

static const char *open_link(
	struct bench_side *side, struct bulk_link *link, const struct nipc_attr *attr)
{
	struct joining joining = {.attr = attr};
	struct nipc *channel;
	char detail[512];
	pthread_t thread;
	int sockets[2], result;

	if (nipc_pair(sockets))
		return "no sockets";
	joining.socket = sockets[1];
	if (pthread_create(&thread, NULL, join, &joining))
		bench_die("cannot start a thread");
	result = nipc_adopt(sockets[0], attr, -1, &channel);
	pthread_join(thread, NULL);
	link->host = new_end(channel, true, &attr->how);
	link->partner = new_end(joining.channel, false, &attr->how);
	if (!result && !joining.result)
		return NULL;
	nipc_detail(result ? channel : joining.channel, detail, sizeof(detail));
	snprintf(side->reason, sizeof(side->reason), "%.150s", detail);
	close_link(link);
	return side->reason;
}

static const char *open_copying(
	struct bench_side *side, struct bulk_link *link, const char *engine, uint32_t mode)
{
	struct nipc_attr attr = NIPC_ATTR_INIT;

	attr.capacity = RING;
	attr.engine = engine;
	attr.how.mode = mode & ~TO_MEMORY;
	attr.how.near = mode & TO_MEMORY ? NIPC_IN_MEMORY : NIPC_NEAR_BY_SIZE;
	/* Whole messages have to fit, two of them: one is copied while the other one is read. */
	if (mode == NIPC_WHOLE && 2 * side->row->nbytes > RING)
		attr.capacity = 2 * side->row->nbytes;
	return open_link(side, link, &attr);
}

/* ---- sending --------------------------------------------------------------------------------- */

static void *make(const struct end *end, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_SENDS : BULK_PARTNER_SENDS, nbytes);

	kind->make(bytes, nbytes, 0, seed);
	return bytes;
}

static void send_copy(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	struct end *end = context;
	void *bytes = make(end, kind, nbytes, seed);

	if (nipc_send(end->channel, bytes, nbytes) != (int64_t)nbytes)
		die(end->channel, "send");
}

/* Each step of the message is an op: its copy goes on while the next step is made. */
static void send_async(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	struct end *end = context;
	unsigned char *bytes =
		bulk_memory(end->is_host ? BULK_HOST_SENDS : BULK_PARTNER_SENDS, nbytes);
	struct nipc_op ops[2] = {{.is_done = 1}, {.is_done = 1}};
	struct iovec parts[2];
	unsigned at = 0;

	for (size_t from = 0; from < nbytes; from += BULK_STEP, at ^= 1) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;

		kind->make(bytes + from, step, from, seed);
		if (!nipc_op_is_done(&ops[at]))
			nipc_op_wait(end->channel, &ops[at], -1);
		parts[at] = (struct iovec){bytes + from, step};
		ops[at] = (struct nipc_op){0};
		if (nipc_send_begin(end->channel, &parts[at], 1, NULL, &ops[at]))
			die(end->channel, "begin a send");
	}
	for (unsigned i = 0; i < 2; i++)
		if (!nipc_op_is_done(&ops[i]))
			nipc_op_wait(end->channel, &ops[i], -1);
}

static void send_in_place(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	struct end *end = context;
	void *bytes;

	if (nipc_reserve(end->channel, nbytes, &bytes))
		die(end->channel, "reserve");
	for (size_t from = 0; from < nbytes; from += BULK_STEP) {
		const size_t step = nbytes - from < BULK_STEP ? nbytes - from : BULK_STEP;

		kind->make((unsigned char *)bytes + from, step, from, seed);
		if (from + step < nbytes ? nipc_commit_part(end->channel, from + step)
					 : nipc_commit(end->channel, nbytes))
			die(end->channel, "commit");
	}
}

/* ---- receiving ------------------------------------------------------------------------------- */

static uint64_t take_in_place(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	struct end *end = context;
	struct nipc_view view;
	uint64_t sum = 0;

	for (size_t at = 0; at < nbytes; at += view.nbytes) {
		if (nipc_borrow_part(end->channel, &view) <= 0)
			die(end->channel, "borrow");
		sum += kind->read(view.bytes, view.nbytes);
		if (nipc_release(end->channel, &view))
			die(end->channel, "release");
	}
	return sum;
}

static uint64_t take_copy(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	struct end *end = context;
	void *bytes = bulk_memory(end->is_host ? BULK_HOST_TAKES : BULK_PARTNER_TAKES, nbytes);

	if (nipc_recv(end->channel, bytes, nbytes) != (int64_t)nbytes)
		die(end->channel, "receive");
	return kind->read(bytes, nbytes);
}

static unsigned find(struct bulk_link *links, unsigned count)
{
	struct npoll entries[BULK_LINKS] = {{0}};

	for (unsigned i = 0; i < count; i++)
		entries[i] = (struct npoll){
			.channel = ((struct end *)links[i].partner)->channel, .events = NPOLL_READ};
	if (npipe_poll(entries, count, -1) <= 0)
		bench_die("bulk pipe: poll");
	for (unsigned i = 0; i < count; i++)
		if (entries[i].revents)
			return i;
	return 0;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* Copied into the region, and read there; or copied from there, too. */
#define COPYING(symbol, engine, mode, send, take, name)                                        \
	static const char *symbol##_open_link(struct bench_side *side, struct bulk_link *link) \
	{                                                                                      \
		return open_copying(side, link, engine, mode);                                 \
	}                                                                                      \
	static const struct bulk_way symbol##_way = {                                          \
		symbol##_open_link, close_link, send, take, find};                             \
	BULK_METHOD(symbol, symbol##_way, name, BULK_SAMPLE)

COPYING(bench_bulk_copy, NULL, NIPC_MODE_ANY, send_copy, take_in_place, "nipc, copied once")
COPYING(bench_bulk_cpu, "cpu", NIPC_MODE_ANY, send_copy, take_in_place, "nipc, engine cpu")
COPYING(bench_bulk_thread, "thread", NIPC_MODE_ANY, send_copy, take_in_place, "nipc, engine thread")
COPYING(bench_bulk_whole, NULL, NIPC_WHOLE, send_copy, take_in_place, "nipc, whole")
COPYING(bench_bulk_pipelined, NULL, NIPC_PIPELINED, send_copy, take_in_place, "nipc, pipelined")
COPYING(bench_bulk_memory, NULL, NIPC_MODE_ANY | TO_MEMORY, send_copy, take_in_place,
	"nipc, past the cache")
COPYING(bench_bulk_async, NULL, NIPC_MODE_ANY, send_async, take_in_place, "nipc, async")
COPYING(bench_bulk_two_copies, NULL, NIPC_MODE_ANY, send_copy, take_copy, "nipc, copied twice")

/* A model of DSA copies as DSA does, and says nothing of its speed. */
static const char *open_hardware(struct bench_side *side, struct bulk_link *link)
{
	if (getenv("NEARSIDE_DSA_MODEL"))
		return "this DSA is a model: see the figure named so";
	return open_copying(side, link, "dsa", NIPC_MODE_ANY);
}

static const char *open_model(struct bench_side *side, struct bulk_link *link)
{
	if (!getenv("NEARSIDE_DSA_MODEL"))
		return "run it by nearside dsa-model --dedicated=0 --shared=1 --portal=write";
	return open_copying(side, link, "dsa", NIPC_MODE_ANY);
}

static const struct bulk_way dsa = {open_hardware, close_link, send_copy, take_in_place, find};
static const struct bulk_way dsa_model = {open_model, close_link, send_copy, take_in_place, find};
BULK_METHOD(bench_bulk_dsa, dsa, "nipc, engine dsa", BULK_SAMPLE)
BULK_METHOD(bench_bulk_dsa_model, dsa_model, "nipc, DSA model, no hardware", BULK_PEER_SAMPLE)

/* Of a question and its answer there are two. */
static void state_published(struct bench_side *side)
{
	const double once_ns = bench_dsa_published_ns(side->row->nbytes);

	side->value = side->row->unit == BENCH_NANOSECONDS ? 2 * once_ns : once_ns;
}

const struct bench_method bench_bulk_dsa_published = {
	"its copies alone by DSA, from published costs", 1, NULL, state_published, NULL};

static const char *open_in_place(struct bench_side *side, struct bulk_link *link)
{
	struct nipc_attr attr = NIPC_ATTR_INIT;

	/* Two messages: one is made while the other one is read. */
	attr.capacity = 2 * side->row->nbytes;
	if (attr.capacity < NIPC_CAPACITY_MIN)
		attr.capacity = NIPC_CAPACITY_MIN;
	return open_link(side, link, &attr);
}

static const struct bulk_way in_place = {
	open_in_place, close_link, send_in_place, take_in_place, find};
BULK_METHOD(bench_bulk_in_place, in_place, "nipc, in place", BULK_SAMPLE)
