/*
 * row_rate.c - messages in one direction as fast as they go: to a process, from a process, between
 * processes.
 */
#include "bench/methods.h"
#include "bench/session.h"

/*
 * The kernels sink and source: a message whose first word is END asks for, or carries, the sum of
 * all before.
 */
#define END UINT64_MAX

/* The partner of the host, or the two processes of a pair. */
struct rate {
	struct bench_session session;
	struct nproc *source, *sink;
	struct npipe *request, *reply;
};

static const char *open_sink(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(struct rate));

	bench_server_start(session, &session->server, "sink", NULL, side->row->nbytes);
	return NULL;
}

static const char *open_source(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(struct rate));

	bench_server_start(session, &session->server, "source", NULL, side->row->nbytes);
	return NULL;
}

static void close_server(struct bench_side *side)
{
	struct bench_session *session = side->state;

	bench_server_stop(session, &session->server);
	bench_session_close(side);
}

static void send_all(struct bench_side *side, uint64_t count)
{
	const struct bench_session *session = side->state;
	uint64_t message[7] = {0}, sum;

	for (uint64_t i = 0; i < count; i++) {
		message[0] = i;
		bench_must(
			session, npipe_write(session->server.request, message, side->row->nbytes));
	}
	message[0] = END;
	bench_must(session, npipe_write(session->server.request, message, side->row->nbytes));
	bench_must(session, npipe_read_full(session->server.reply, &sum, sizeof(sum)));
	bench_check(side, sum == count * (count - 1) / 2);
}

static void measure_down(struct bench_side *side)
{
	send_all(side, 100);
	bench_begin(side);
	send_all(side, side->count);
	bench_end(side, side->count);
}

static void receive_all(struct bench_side *side, uint64_t count)
{
	const struct bench_session *session = side->state;
	uint64_t message[7] = {0}, sum = 0;

	bench_must(session, npipe_write(session->server.request, &count, sizeof(count)));
	for (uint64_t i = 0; i < count; i++) {
		bench_must(session,
			npipe_read_full(session->server.reply, message, side->row->nbytes));
		sum += message[0];
	}
	bench_must(session, npipe_read_full(session->server.reply, message, side->row->nbytes));
	bench_check(side, message[0] == END && sum == count * (count - 1) / 2);
}

static void measure_up(struct bench_side *side)
{
	receive_all(side, 100);
	bench_begin(side);
	receive_all(side, side->count);
	bench_end(side, side->count);
}

const struct bench_method bench_near_down = {
	"Nearside", 200000, open_sink, measure_down, close_server};
const struct bench_method bench_near_up = {
	"Nearside", 200000, open_source, measure_up, close_server};

/* ---- from process to process ---- */

static struct nproc *spawn(struct rate *rate, const char *kernel, int core, struct npipe *in,
	struct npipe *out, uint64_t nbytes)
{
	const struct bench_session *session = &rate->session;
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process;

	attr.core = core;
	attr.ends = (struct npipe *[]){in, out};
	attr.end_count = 2;
	bench_must(session, nproc_spawn(session->device, session->image, kernel, &attr, &process,
				    (const uint64_t *)NULL, nbytes));
	npipe_close(in);
	npipe_close(out);
	return process;
}

/* host -> source -> sink -> host */
static void open_pair(struct bench_side *side, const char *device, int sink_core)
{
	struct rate *rate = bench_session_open(side, device, sizeof(*rate));
	struct npipe *request[2], *between[2], *reply[2];

	bench_must(&rate->session, npipe_create(rate->session.device, request));
	bench_must(&rate->session, npipe_create(rate->session.device, between));
	bench_must(&rate->session, npipe_create(rate->session.device, reply));
	rate->sink = spawn(rate, "sink", sink_core, between[0], reply[1], side->row->nbytes);
	rate->source = spawn(rate, "source", 0, request[0], between[1], side->row->nbytes);
	rate->request = request[1];
	rate->reply = reply[0];
}

static const char *open_one_core(struct bench_side *side)
{
	open_pair(side, "inproc:cores=1,far=16M", 0);
	return NULL;
}

static const char *open_two_cores(struct bench_side *side)
{
	open_pair(side, "inproc:cores=2,far=16M", 1);
	bench_pin_threads("nearside/0", 0); /* the host only waits meanwhile */
	return NULL;
}

static void close_pair(struct bench_side *side)
{
	struct rate *rate = side->state;

	npipe_close(rate->request);
	bench_must(&rate->session, nproc_wait(rate->source, NULL, NPROC_FOREVER));
	bench_must(&rate->session, nproc_wait(rate->sink, NULL, NPROC_FOREVER));
	bench_session_close(side);
}

static void pass_all(struct bench_side *side, uint64_t count)
{
	const struct rate *rate = side->state;
	uint64_t sum;

	bench_must(&rate->session, npipe_write(rate->request, &count, sizeof(count)));
	bench_must(&rate->session, npipe_read_full(rate->reply, &sum, sizeof(sum)));
	bench_check(side, sum == count * (count - 1) / 2);
}

static void measure_pair(struct bench_side *side)
{
	pass_all(side, 100);
	bench_begin(side);
	pass_all(side, side->count);
	bench_end(side, side->count);
}

const struct bench_method bench_near_between_cores = {
	"Nearside", 200000, open_two_cores, measure_pair, close_pair};
const struct bench_method bench_near_on_one_core = {
	"Nearside", 400000, open_one_core, measure_pair, close_pair};
