/*
 * bench.h - what all measurements share.
 *
 * A row is one figure, its physical limit and what a user would take instead, all measured in the same run,
 * interleaved, several times; the median counts. Absolute times mean little on a shared machine: the
 * ratios are the result. A two-sided row is measured between processors 0 and 1, and carries the cost of one bounce of a cache
 * line between them, before and after: virtual processors move, and rows of different placement do not compare.
 *
 * Every measurement checks its result.
 */
#ifndef NEARSIDE_BENCH_BENCH_H
#define NEARSIDE_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

enum {
	BENCH_REPEATS_MAX = 64
};

/* ---- clock.c ---- */

double bench_now_ns(void);
double bench_median(double *samples, unsigned count);
/* False where the machine has only one processor. */
bool bench_pin_self(unsigned processor);
/* Every thread of this process whose name starts so. */
bool bench_pin_threads(const char *name, unsigned processor);

/* ---- report.c ---- */

/* One row: nanoseconds for an operation; 0 where there is no such figure. */
struct bench_row {
	const char *name;
	double ours[BENCH_REPEATS_MAX], limit[BENCH_REPEATS_MAX], peer[BENCH_REPEATS_MAX];
	unsigned repeats;
	const char *limit_name, *peer_name;
	double bounce_before, bounce_after; /* 0: the row has one side */
};

void bench_report(const struct bench_row *row);
void bench_report_begin(bool json);
void bench_report_end(void);

/* ---- limit_ring.c: two bare 64-line rings with plain stores and PAUSE, a thread on processor 1 ---- */

double bench_ring_round_trip_ns(unsigned nbytes, unsigned count);
double bench_bounce_ns(void); /* one 8-byte flag there and back */

/* ---- peer_pipe.c: pipe(2) between two pinned threads ---- */

double bench_pipe_round_trip_ns(unsigned nbytes, unsigned count);

/* ---- session.c: a device with its core pinned to processor 1 and this thread to processor 0 ---- */

struct bench_session {
	struct nproc_device *device;
	struct nproc_image *image;
	unsigned repeats;
};

void bench_session_open(struct bench_session *session, unsigned repeats);
void bench_session_close(struct bench_session *session);
/* Ends the program with the library's words when a call failed. */
void bench_must(struct bench_session *session, int64_t result);
/* A process of this kernel that reads requests and writes replies. */
struct bench_server {
	struct nproc *process;
	struct npipe *request, *reply;
};
void bench_server_start(struct bench_session *session, struct bench_server *server,
	const char *kernel, void *far_memory, uint64_t count);
void bench_server_stop(struct bench_session *session, struct bench_server *server);

/* ---- the measurements ---- */

void bench_round_trip(struct bench_session *session);
void bench_spawn_exit(struct bench_session *session);
void bench_switch(struct bench_session *session);
void bench_far_check(struct bench_session *session);

#endif
