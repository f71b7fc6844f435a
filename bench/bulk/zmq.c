/* zmq.c - ZeroMQ, transport ipc, a pair of sockets; messages are made and read in its memory. */
#include "bench/absent.h"
#include "bench/bulk/bulk.h"

#ifndef BENCH_HAVE_ZMQ
BENCH_ABSENT(bench_bulk_zmq, "ZeroMQ ipc", "libzmq3-dev")
#else

#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>

static void must(bool is_right)
{
	if (!is_right)
		bench_die("ZeroMQ: %s", zmq_strerror(zmq_errno()));
}

/* Two contexts, as two programs have. */
static void *open_end(const char *address, bool binds)
{
	void **end = calloc(2, sizeof(*end));
	const int depth = 2;

	end[0] = zmq_ctx_new();
	end[1] = zmq_socket(end[0], ZMQ_PAIR);
	must(end[1] != NULL);
	zmq_setsockopt(end[1], ZMQ_SNDHWM, &depth, sizeof(depth));
	zmq_setsockopt(end[1], ZMQ_RCVHWM, &depth, sizeof(depth));
	must(!(binds ? zmq_bind(end[1], address) : zmq_connect(end[1], address)));
	return end;
}

static const char *open_link(struct bench_side *side, struct bulk_link *link)
{
	char address[64];

	(void)side;
	snprintf(address, sizeof(address), "ipc://@nearside-bench-%p", (void *)link);
	link->partner = open_end(address, true);
	link->host = open_end(address, false);
	return NULL;
}

static void close_link(struct bulk_link *link)
{
	void **ends[] = {link->host, link->partner};

	for (unsigned i = 0; i < 2; i++) {
		zmq_close(ends[i][1]);
		zmq_ctx_term(ends[i][0]);
		free(ends[i]);
	}
}

static void send_message(void *context, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	void **end = context;
	zmq_msg_t message;

	must(!zmq_msg_init_size(&message, nbytes));
	kind->make(zmq_msg_data(&message), nbytes, 0, seed);
	must(zmq_msg_send(&message, end[1], 0) == (int)nbytes);
}

static uint64_t take_message(void *context, const struct bulk_kind *kind, size_t nbytes)
{
	void **end = context;
	zmq_msg_t message;
	uint64_t sum;

	must(!zmq_msg_init(&message));
	must(zmq_msg_recv(&message, end[1], 0) == (int)nbytes);
	sum = kind->read(zmq_msg_data(&message), nbytes);
	zmq_msg_close(&message);
	return sum;
}

static const struct bulk_way way = {open_link, close_link, send_message, take_message, NULL};
BULK_METHOD(bench_bulk_zmq, way, "ZeroMQ ipc", BULK_PEER_SAMPLE)
#endif
