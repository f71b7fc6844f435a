/*
 * row_ports.c - the channel decides: the same programs on each kind of port (channels/port.h). A
 * server that looks up single keys in far memory talks for each; a breadth-first search, once
 * started, hardly talks at all.
 */
#include <stdio.h>
#include <string.h>

#include "bench/command.h"
#include "bench/lookup.h"
#include "bench/methods.h"
#include "bench/session.h"

/* ---- point lookups --------------------------------------------------------------------------- */

struct lookups {
	struct bench_session session;
	struct lookup_entry *table;
};

static void fill(struct lookup_entry *table)
{
	for (uint64_t key = 1; key <= LOOKUP_KEYS; key++) {
		uint64_t slot = lookup_slot(key);

		while (table[slot].key)
			slot = (slot + 1) % LOOKUP_SLOTS;
		table[slot] = (struct lookup_entry){key, ~key};
	}
}

static struct lookups *make_lookups(struct bench_side *side, const char *device)
{
	struct lookups *lookups = bench_session_open(side, device, sizeof(*lookups));
	struct bench_session *session = &lookups->session;
	void *memory;

	bench_must(session,
		nmem_alloc(session->device, LOOKUP_SLOTS * sizeof(*lookups->table), &memory));
	lookups->table = memory;
	fill(lookups->table);
	return lookups;
}

static const char *open_lookups(struct bench_side *side, const char *device)
{
	struct lookups *lookups = make_lookups(side, device);
	struct bench_session *session = &lookups->session;

	bench_server_start(session, &session->server, "lookup", lookups->table, 0);
	return NULL;
}

static const char *open_call_lookups(struct bench_side *side)
{
	struct lookups *lookups = make_lookups(side, "inproc:cores=1,far=16M");
	struct bench_session *session = &lookups->session;

	bench_answerer_start(session, &session->server, "answer_lookup", lookups->table);
	return NULL;
}

static void close_lookups(struct bench_side *side)
{
	struct lookups *lookups = side->state;

	bench_server_stop(&lookups->session, &lookups->session.server);
	bench_session_close(side);
}

static void ask(struct bench_side *side, uint64_t count, bool is_timed)
{
	const struct bench_session *session = side->state;
	const struct bench_server *server = &session->server;
	uint64_t wrong = 0, value;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = lookup_slot(i) % LOOKUP_KEYS + 1;

		bench_must(session, npipe_write(server->request, &key, sizeof(key)));
		bench_must(session, npipe_read_full(server->reply, &value, sizeof(value)));
		wrong |= value ^ ~key;
		if (is_timed)
			bench_lap(side);
	}
	bench_check(side, !wrong);
}

static void call(struct bench_side *side, uint64_t count, bool is_timed)
{
	const struct bench_session *session = side->state;
	uint64_t wrong = 0, value = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = lookup_slot(i) % LOOKUP_KEYS + 1;

		bench_must(session, npipe_call(session->server.request, &key, sizeof(key), &value,
					    sizeof(value)));
		wrong |= value ^ ~key;
		if (is_timed)
			bench_lap(side);
	}
	bench_check(side, !wrong);
}

static void measure_call_lookups(struct bench_side *side)
{
	call(side, 100, false);
	bench_begin(side);
	call(side, side->count, true);
	bench_end(side, side->count);
}

const struct bench_method bench_lookup_call = {
	"npipe_call()", 20000, open_call_lookups, measure_call_lookups, close_lookups};

static void measure_lookups(struct bench_side *side)
{
	ask(side, 100, false);
	bench_begin(side);
	ask(side, side->count, true);
	bench_end(side, side->count);
}

/* ---- breadth-first search -------------------------------------------------------------------- */

static void search(struct bench_side *side, const char *device)
{
	struct bench_command_result result;
	const char *seconds;
	char path[512];

	bench_command((const char *[]){bench_beside("nearside-graph", path, sizeof(path)), "bfs",
			      "--kron", "14", "--source", "0", "--cores", "1", "--device", device,
			      "--json", NULL},
		&result);
	seconds = strstr(result.output, "\"seconds\": ");
	if (result.exit_code || !seconds || sscanf(seconds, "\"seconds\": %lf", &side->value) != 1)
		bench_die("%s: %s", path, result.output);
	side->value *= 1e9;
	side->cpu_ns = result.cpu_ns;
}

/* ---- one of each for each kind --------------------------------------------------------------- */

/* Defines bench_lookup_NAME and bench_search_NAME. */
#define PORT(name, count)                                                           \
	static const char *open_##name(struct bench_side *side)                     \
	{                                                                           \
		return open_lookups(side, "inproc:cores=1,far=16M,port=" #name);    \
	}                                                                           \
	static void search_##name(struct bench_side *side)                          \
	{                                                                           \
		search(side, "inproc:port=" #name);                                 \
	}                                                                           \
	const struct bench_method bench_lookup_##name = {                           \
		"port=" #name, count, open_##name, measure_lookups, close_lookups}; \
	const struct bench_method bench_search_##name = {                           \
		"port=" #name, 1, NULL, search_##name, NULL}

PORT(line, 20000);
PORT(ring, 20000);
PORT(mailbox, 10000);
PORT(event, 1000);
