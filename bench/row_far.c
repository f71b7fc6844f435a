/*
 * row_far.c - what the bounds check of far memory costs on whole kernels: a scan in a process
 * against the same loop in plain C on this thread. Nanoseconds for each 8-byte key.
 */
#include "bench/methods.h"
#include "bench/plain.h"
#include "bench/session.h"

struct table {
	struct bench_session session;
	uint64_t *keys;
	uint64_t nkeys;
};

struct question {
	uint64_t key;
	uint64_t rounds;
};

/* Keys 0, 1, 2...: each question is found once. */
static struct table *open_table(struct bench_side *side)
{
	struct table *table = bench_session_open(side, "inproc:cores=1,far=160M", sizeof(*table));
	void *memory;

	table->nkeys = side->row->nbytes / sizeof(uint64_t);
	bench_must(&table->session, nmem_alloc(table->session.device, side->row->nbytes, &memory));
	table->keys = memory;
	for (uint64_t i = 0; i < table->nkeys; i++)
		table->keys[i] = i;
	return table;
}

static const char *open_near(struct bench_side *side)
{
	struct table *table = open_table(side);

	bench_server_start(
		&table->session, &table->session.server, "scan", table->keys, table->nkeys);
	return NULL;
}

static const char *open_plain(struct bench_side *side)
{
	open_table(side);
	return NULL;
}

static void close_near(struct bench_side *side)
{
	struct table *table = side->state;

	bench_server_stop(&table->session, &table->session.server);
	bench_session_close(side);
}

/* A sample is some keys; how many rounds that is depends on the table. */
static uint64_t rounds_of(const struct bench_side *side, const struct table *table)
{
	return side->count > table->nkeys ? side->count / table->nkeys : 1;
}

static uint64_t expected(const struct table *table, uint64_t rounds)
{
	return rounds < table->nkeys - 7 ? rounds : table->nkeys - 7;
}

static void ask(struct bench_side *side, const struct table *table, uint64_t rounds)
{
	const struct bench_session *session = &table->session;
	struct question question = {7, rounds};
	uint64_t total;

	bench_must(session, npipe_write(session->server.request, &question, sizeof(question)));
	bench_must(session, npipe_read_full(session->server.reply, &total, sizeof(total)));
	bench_check(side, total == expected(table, rounds));
}

static void measure_near(struct bench_side *side)
{
	const struct table *table = side->state;
	const uint64_t rounds = rounds_of(side, table);

	ask(side, table, 1); /* so that the core is awake */
	bench_begin(side);
	ask(side, table, rounds);
	bench_end(side, rounds * table->nkeys);
}

static void measure_plain(struct bench_side *side)
{
	const struct table *table = side->state;
	const uint64_t rounds = rounds_of(side, table);
	uint64_t total = 0;

	bench_begin(side);
	for (uint64_t round = 0; round < rounds; round++)
		total += plain_count(table->keys, table->nkeys, 7 + round);
	bench_end(side, rounds * table->nkeys);
	bench_check(side, total == expected(table, rounds));
}

const struct bench_method bench_near_scan = {
	"Nearside", 160 << 20, open_near, measure_near, close_near};
const struct bench_method bench_plain_scan = {
	"plain C", 160 << 20, open_plain, measure_plain, bench_session_close};
