/* nng.c - nng, transport ipc, a pair of sockets; messages are made and read in its memory. */
#include "bench/absent.h"
#include "bench/bulk/bulk.h"

#ifndef BENCH_HAVE_NNG
BENCH_ABSENT(bench_bulk_nng, "nng ipc", "libnng-dev")
#else

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	DEPTH = 2
};

static void must(int error)
{
	if (error)
		bench_die("nng: %s", nng_strerror(error));
}

static nng_socket *open_socket(void)
{
	nng_socket *end = calloc(1, sizeof(*end));

	must(nng_pair0_open(end));
	must(nng_socket_set_int(*end, NNG_OPT_SENDBUF, DEPTH));
	must(nng_socket_set_int(*end, NNG_OPT_RECVBUF, DEPTH));
	must(nng_socket_set_size(*end, NNG_OPT_RECVMAXSZ, 0)); /* no limit */
	return end;
}

static const char *open_link(struct bench_side *side, struct bulk_link *link)
{
	nng_socket *host = open_socket(), *partner = open_socket();
	char address[64];

	(void)side;
	snprintf(address, sizeof(address), "abstract://nearside-bench-%p", (void *)host);
	must(nng_listen(*partner, address, NULL, 0));
	must(nng_dial(*host, address, NULL, 0));
	link->host = host;
	link->partner = partner;
	return NULL;
}

static void close_link(struct bulk_link *link)
{
	nng_close(*(nng_socket *)link->host);
	nng_close(*(nng_socket *)link->partner);
	free(link->host);
	free(link->partner);
}

static void send_message(void *end, const struct bulk_kind *kind, size_t nbytes, uint64_t seed)
{
	nng_msg *message;

	must(nng_msg_alloc(&message, nbytes));
	kind->make(nng_msg_body(message), nbytes, 0, seed);
	must(nng_sendmsg(*(nng_socket *)end, message, 0));
}

static uint64_t take_message(void *end, const struct bulk_kind *kind, size_t nbytes)
{
	nng_msg *message;
	uint64_t sum;

	must(nng_recvmsg(*(nng_socket *)end, &message, 0));
	if (nng_msg_len(message) != nbytes)
		bench_die("nng: a message of another length");
	sum = kind->read(nng_msg_body(message), nbytes);
	nng_msg_free(message);
	return sum;
}

static const struct bulk_way way = {open_link, close_link, send_message, take_message, NULL};
BULK_METHOD(bench_bulk_nng, way, "nng ipc", BULK_PEER_SAMPLE)
#endif
