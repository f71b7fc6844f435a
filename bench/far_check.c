/*
 * far_check.c - what the bounds check of far memory costs on a vectorised scan: the kernel against the same loop in plain C,
 * on this thread. Nanoseconds for each 8-byte key.
 */
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/plain.h"

struct question {
	uint64_t key;
	uint64_t rounds;
};

static double measure(
	struct bench_session *session, struct bench_server *server, uint64_t nkeys, uint64_t rounds)
{
	struct question question = {7, rounds};
	double began = bench_now_ns();
	uint64_t total;

	bench_must(session, npipe_write(server->request, &question, sizeof(question)));
	bench_must(session, npipe_read_full(server->reply, &total, sizeof(total)));
	if (total != (rounds < nkeys - 7 ? rounds : nkeys - 7))
		abort();
	return (bench_now_ns() - began) / ((double)nkeys * (double)rounds);
}

static double plain(const uint64_t *keys, uint64_t nkeys, uint64_t rounds)
{
	double began = bench_now_ns();
	uint64_t total = 0;

	for (uint64_t round = 0; round < rounds; round++)
		total += plain_count(keys, nkeys, 7 + round);
	if (total != (rounds < nkeys - 7 ? rounds : nkeys - 7))
		abort();
	return (bench_now_ns() - began) / ((double)nkeys * (double)rounds);
}

/* Keys 0, 1, 2...: each question is found once. */
static uint64_t *make_keys(struct bench_session *session, uint64_t nkeys)
{
	void *memory;
	uint64_t *keys;

	bench_must(session, nmem_alloc(session->device, nkeys * sizeof(*keys), &memory));
	keys = memory;
	for (uint64_t i = 0; i < nkeys; i++)
		keys[i] = i;
	return keys;
}

static void row(struct bench_session *session, const char *name, uint64_t nkeys)
{
	uint64_t rounds = (8u << 20) / nkeys ? (8u << 20) / nkeys : 1;
	uint64_t *keys = make_keys(session, nkeys);
	struct bench_row row = {.name = name, .repeats = session->repeats, .limit_name = "plain C"};
	struct bench_server server;

	bench_server_start(session, &server, "scan", keys, nkeys);
	measure(session, &server, nkeys, rounds);
	for (unsigned i = 0; i < row.repeats; i++) {
		row.limit[i] = plain(keys, nkeys, rounds);
		row.ours[i] = measure(session, &server, nkeys, rounds);
	}
	bench_server_stop(session, &server);
	bench_must(session, nmem_free(session->device, keys));
	bench_report(&row);
}

void bench_far_check(struct bench_session *session)
{
	row(session, "far scan, 16 KiB (L1), per key", 2048);
	row(session, "far scan, 256 KiB (L2), per key", 32 * 1024);
	row(session, "far scan, 128 MiB (memory), per key", 16 * 1024 * 1024);
}
