#include "bench/session.h"

#include <stdlib.h>
#include <string.h>

void bench_must(const struct bench_session *session, int64_t result)
{
	char detail[512];

	if (result < 0)
		bench_die("%s: %s", strerror((int)-result),
			nproc_detail(session->device, detail, sizeof(detail)));
}

static double count_lines(const struct bench_side *side)
{
	const struct bench_session *session = side->state;
	struct nproc_stats stats;

	bench_must(session, nproc_stats(session->device, &stats));
	return (double)(stats.lines_down + stats.lines_up);
}

void *bench_session_open_here(struct bench_side *side, const char *device, size_t nbytes)
{
	struct bench_session *session = calloc(1, nbytes);

	bench_must(session, nproc_device_open(device, &session->device));
	bench_must(session, nproc_image_embedded(session->device, &session->image));
	side->state = session;
	side->count_lines = count_lines;
	return session;
}

void *bench_session_open(struct bench_side *side, const char *device, size_t nbytes)
{
	void *state = bench_session_open_here(side, device, nbytes);

	bench_pin_threads("nearside/", 1);
	return state;
}

void bench_session_close(struct bench_side *side)
{
	struct bench_session *session = side->state;

	nproc_device_close(session->device);
	free(session);
}

void bench_server_start(struct bench_session *session, struct bench_server *server,
	const char *kernel, const void *far_memory, uint64_t count)
{
	struct npipe *request[2], *reply[2];
	struct nproc_attr attr = NPROC_ATTR_INIT;

	bench_must(session, npipe_create(session->device, request));
	bench_must(session, npipe_create(session->device, reply));
	attr.ends = (struct npipe *[]){request[0], reply[1]};
	attr.end_count = 2;
	bench_must(session, nproc_spawn(session->device, session->image, kernel, &attr,
				    &server->process, (const uint64_t *)far_memory, count));
	npipe_close(request[0]);
	npipe_close(reply[1]);
	server->request = request[1];
	server->reply = reply[0];
}

void bench_answerer_start(struct bench_session *session, struct bench_server *server,
	const char *kernel, const void *far_memory)
{
	static const struct npipe_attr of_calls = {.flags = NPIPE_CALL};
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct npipe *end[2];

	bench_must(session, npipe_create_with(session->device, end, &of_calls));
	attr.ends = end;
	attr.end_count = 1;
	bench_must(session, nproc_spawn(session->device, session->image, kernel, &attr,
				    &server->process, (const uint64_t *)far_memory, 0));
	npipe_close(end[0]);
	server->request = end[1];
	server->reply = NULL;
}

void bench_server_stop(struct bench_session *session, struct bench_server *server)
{
	struct nproc_status status;
	char text[512];

	npipe_close(server->request);
	bench_must(session, nproc_wait(server->process, &status, NPROC_FOREVER));
	npipe_close(server->reply);
	nproc_close(server->process);
	if (status.state != NPROC_EXITED || status.exit_code != 0)
		bench_die("a process %s", nproc_status_text(&status, text, sizeof(text)));
}
