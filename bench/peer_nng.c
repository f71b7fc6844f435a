/* peer_nng.c - nng, transport inproc, a pair of sockets. */
#include "bench/absent.h"
#include "bench/methods.h"

#ifndef BENCH_HAVE_NNG
BENCH_ABSENT(bench_nng_round_trip, "nng inproc", "libnng-dev")
BENCH_ABSENT(bench_nng_one_way, "nng inproc", "libnng-dev")
#else

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/loops.h"

enum {
	DEPTH = 64 /* messages that a socket holds, as the rings do */
};

struct sockets {
	struct bench_ways ways;
	nng_socket host, partner;
};

static void must(int error)
{
	if (error)
		bench_die("nng: %s", nng_strerror(error));
}

static void open_socket(nng_socket *opened)
{
	must(nng_pair0_open(opened));
	must(nng_socket_set_int(*opened, NNG_OPT_SENDBUF, DEPTH));
	must(nng_socket_set_int(*opened, NNG_OPT_RECVBUF, DEPTH));
}

static const char *open_sockets(struct bench_side *side)
{
	struct sockets *sockets = calloc(1, sizeof(*sockets));
	char address[64];

	snprintf(address, sizeof(address), "inproc://nearside-bench-%p", (void *)sockets);
	open_socket(&sockets->host);
	open_socket(&sockets->partner);
	must(nng_listen(sockets->partner, address, NULL, 0));
	must(nng_dial(sockets->host, address, NULL, 0));
	sockets->ways = (struct bench_ways){
		&sockets->host, &sockets->partner, &sockets->partner, &sockets->host};
	side->state = sockets;
	return NULL;
}

static void close_sockets(struct bench_side *side)
{
	struct sockets *sockets = side->state;

	nng_close(sockets->host);
	nng_close(sockets->partner);
	free(sockets);
}

/* nng takes no const. */
static void put(void *way, const void *message, size_t nbytes)
{
	uint64_t copy[8];

	for (size_t i = 0; i < nbytes / 8; i++)
		copy[i] = ((const uint64_t *)message)[i];
	must(nng_send(*(nng_socket *)way, copy, nbytes, 0));
}

static void take(void *way, void *message, size_t nbytes)
{
	must(nng_recv(*(nng_socket *)way, message, &nbytes, 0));
}

BENCH_LOOPS(put, take)

const struct bench_method bench_nng_round_trip = {
	"nng inproc", 1000, open_sockets, round_trip, close_sockets};
const struct bench_method bench_nng_one_way = {
	"nng inproc", 5000, open_sockets, one_way, close_sockets};

#endif
