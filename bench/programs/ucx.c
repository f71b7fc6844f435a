/*
 * ucx.c round-trip|one-way COUNT NBYTES - messages of UCX between two threads, each with a worker
 * of its own, over shared memory. Prints nanoseconds for one, the 99th percentile (0 for one-way),
 * and the processor time of all threads for one. A program of its own, because UCX puts itself
 * before mmap() and its like.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include "bench/loops.h"

struct way {
	ucp_worker_h worker; /* of who uses it */
	ucp_ep_h end;        /* of the other side; NULL: it receives */
};

struct workers {
	struct bench_ways ways;
	ucp_context_h context;
	struct way host_out, host_in, partner_out, partner_in;
};

_Noreturn void bench_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

void bench_check(const struct bench_side *side, bool is_right)
{
	if (!is_right)
		bench_die("%s: UCX gave a wrong answer", side->row->name);
}

static void must(const char *what, ucs_status_t status)
{
	if (status != UCS_OK)
		bench_die("UCX: %s: %s", what, ucs_status_string(status));
}

static ucp_context_h open_context(void)
{
	const ucp_params_t parameters = {
		.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG};
	ucp_config_t *config;
	ucp_context_h context;

	must("ucp_config_read", ucp_config_read(NULL, NULL, &config));
	must("ucp_config_modify", ucp_config_modify(config, "TLS", "posix"));
	must("ucp_init", ucp_init(&parameters, config, &context));
	ucp_config_release(config);
	return context;
}

static ucp_worker_h open_worker(ucp_context_h context)
{
	const ucp_worker_params_t parameters = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SERIALIZED};
	ucp_worker_h worker;

	must("ucp_worker_create", ucp_worker_create(context, &parameters, &worker));
	return worker;
}

static ucp_ep_h connect_to(ucp_worker_h from, ucp_worker_h to)
{
	ucp_ep_params_t parameters = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
	ucp_address_t *address;
	size_t nbytes;
	ucp_ep_h end;

	must("ucp_worker_get_address", ucp_worker_get_address(to, &address, &nbytes));
	parameters.address = address;
	must("ucp_ep_create", ucp_ep_create(from, &parameters, &end));
	ucp_worker_release_address(to, address);
	return end;
}

static void open_workers(struct workers *workers)
{
	ucp_worker_h host, partner;

	workers->context = open_context();
	host = open_worker(workers->context);
	partner = open_worker(workers->context);
	workers->host_out = (struct way){host, connect_to(host, partner)};
	workers->host_in = (struct way){host, NULL};
	workers->partner_out = (struct way){partner, connect_to(partner, host)};
	workers->partner_in = (struct way){partner, NULL};
	workers->ways = (struct bench_ways){
		&workers->host_out, &workers->partner_in, &workers->partner_out, &workers->host_in};
}

/* Until it is done; NULL: it was at once. */
static void complete(ucp_worker_h worker, ucs_status_ptr_t request)
{
	if (!request)
		return;
	if (UCS_PTR_IS_ERR(request))
		must("a transfer", UCS_PTR_STATUS(request));
	while (ucp_request_check_status(request) == UCS_INPROGRESS)
		ucp_worker_progress(worker);
	must("a transfer", ucp_request_check_status(request));
	ucp_request_free(request);
}

static void put(void *context, const void *message, size_t nbytes)
{
	const ucp_request_param_t parameters = {0};
	struct way *way = context;

	complete(way->worker, ucp_tag_send_nbx(way->end, message, nbytes, 1, &parameters));
}

static void take(void *context, void *message, size_t nbytes)
{
	const ucp_request_param_t parameters = {0};
	struct way *way = context;

	complete(way->worker,
		ucp_tag_recv_nbx(way->worker, message, nbytes, 1, UINT64_MAX, &parameters));
}

BENCH_LOOPS(put, take)

int main(int argc, char **argv)
{
	struct workers workers;
	struct bench_row row = {.name = "ucx"};
	struct bench_side side = {.row = &row, .state = &workers};
	bool is_one_way;

	if (argc < 4)
		bench_die("usage: ucx round-trip|one-way COUNT NBYTES");
	is_one_way = !strcmp(argv[1], "one-way");
	side.count = strtoul(argv[2], NULL, 10);
	row.nbytes = strtoul(argv[3], NULL, 10);
	side.laps = is_one_way ? NULL : malloc((side.count + BENCH_WARM_UP) * sizeof(*side.laps));
	if (!bench_find_processors())
		bench_die("two processors are needed");
	bench_pin_self_to_both();
	open_workers(&workers);
	bench_pin_self(0);
	(is_one_way ? one_way : round_trip)(&side);
	printf("%f %f %f\n", side.value, side.laps ? bench_p99(&side) : 0, side.cpu_ns);
	fflush(stdout);
	_Exit(0); /* the system takes everything back, and faster than UCX */
}
