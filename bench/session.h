/* session.h - a device under measurement: its cores on processor 1, this thread on processor 0. */
#ifndef NEARSIDE_BENCH_SESSION_H
#define NEARSIDE_BENCH_SESSION_H

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "bench/bench.h"

/*
 * A process that reads requests from its end 0 and writes replies to its end 1; or to its end 0,
 * where calls come: `reply` is NULL then.
 */
struct bench_server {
	struct nproc *process;
	struct npipe *request, *reply;
};

/* The state of Nearside's methods; what they need beyond follows it in structs of their own. */
struct bench_session {
	struct nproc_device *device;
	struct nproc_image *image;
	struct bench_server server;
};

/* Opens the device of this name in a state of nbytes that begins with a session. */
void *bench_session_open(struct bench_side *side, const char *device, size_t nbytes);
/* Likewise, but cores may run wherever this thread may now. */
void *bench_session_open_here(struct bench_side *side, const char *device, size_t nbytes);
void bench_session_close(struct bench_side *side);
/* Ends the program with the library's words when a call failed. */
void bench_must(const struct bench_session *session, int64_t result);

/* A kernel with parameters (const far uint64_t *, uint64_t). */
void bench_server_start(struct bench_session *session, struct bench_server *server,
	const char *kernel, const void *far_memory, uint64_t count);
/* Likewise, a kernel that answers calls. */
void bench_answerer_start(struct bench_session *session, struct bench_server *server,
	const char *kernel, const void *far_memory);
void bench_server_stop(struct bench_session *session, struct bench_server *server);

#endif
