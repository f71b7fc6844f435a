/* crowd.h - a device with many processes that wait, each in a read from a pipe of its own. */
#ifndef NEARSIDE_BENCH_CROWD_H
#define NEARSIDE_BENCH_CROWD_H

#include "bench/session.h"

/* Bytes of memory in use, before and after the processes were made. */
struct bench_resident {
	double device;  /* what the core has touched */
	double program; /* all, the host's part too */
};

struct bench_crowd {
	struct bench_session session;
	struct bench_server *members;
	uint64_t count;
	struct bench_resident before, after;
};

void bench_crowd_open(struct bench_side *side, const char *device, uint64_t count);
/* Asks some of them, so that they are known to be alive. */
void bench_crowd_ask(struct bench_side *side, uint64_t some);
void bench_crowd_close(struct bench_side *side);

#endif
