/* peer_zmq.c - ZeroMQ, transport inproc, a pair of sockets for each direction. */
#include "bench/absent.h"
#include "bench/methods.h"

#ifndef BENCH_HAVE_ZMQ
BENCH_ABSENT(bench_zmq_round_trip, "ZeroMQ inproc", "libzmq3-dev")
BENCH_ABSENT(bench_zmq_one_way, "ZeroMQ inproc", "libzmq3-dev")
#else

#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "bench/loops.h"

struct sockets {
	struct bench_ways ways;
	void *context;
};

static void connect_pair(void *context, const char *address, void **out, void **in)
{
	*in = zmq_socket(context, ZMQ_PAIR);
	*out = zmq_socket(context, ZMQ_PAIR);
	if (!*in || !*out || zmq_bind(*in, address) || zmq_connect(*out, address))
		bench_die("ZeroMQ: %s", zmq_strerror(zmq_errno()));
}

static const char *open_sockets(struct bench_side *side)
{
	struct sockets *sockets = calloc(1, sizeof(*sockets));
	struct bench_ways *ways = &sockets->ways;

	sockets->context = zmq_ctx_new();
	connect_pair(sockets->context, "inproc://down", &ways->host_out, &ways->partner_in);
	connect_pair(sockets->context, "inproc://up", &ways->partner_out, &ways->host_in);
	side->state = sockets;
	return NULL;
}

static void close_sockets(struct bench_side *side)
{
	struct sockets *sockets = side->state;

	zmq_close(sockets->ways.host_out);
	zmq_close(sockets->ways.partner_in);
	zmq_close(sockets->ways.partner_out);
	zmq_close(sockets->ways.host_in);
	zmq_ctx_term(sockets->context);
	free(sockets);
}

static void put(void *way, const void *message, size_t nbytes)
{
	if (zmq_send(way, message, nbytes, 0) != (int)nbytes)
		bench_die("ZeroMQ: %s", zmq_strerror(zmq_errno()));
}

static void take(void *way, void *message, size_t nbytes)
{
	if (zmq_recv(way, message, nbytes, 0) != (int)nbytes)
		bench_die("ZeroMQ: %s", zmq_strerror(zmq_errno()));
}

BENCH_LOOPS(put, take)

const struct bench_method bench_zmq_round_trip = {
	"ZeroMQ inproc", 2000, open_sockets, round_trip, close_sockets};
const struct bench_method bench_zmq_one_way = {
	"ZeroMQ inproc", 100000, open_sockets, one_way, close_sockets};

#endif
