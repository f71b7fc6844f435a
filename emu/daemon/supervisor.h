/*
 * supervisor.h - a device for each program that asks for one.
 *
 *     supervisor          accepts, forks, counts, reaps; maps no region and reads no request
 *       worker            one connection: reads its request, and serves a device to that program
 *                         alone (worker.c), or says how things are (status), or ends all (stop)
 *
 * So a program that sends nonsense, or nothing, has a process of its own to waste.
 */
#ifndef NEARSIDE_EMU_DAEMON_SUPERVISOR_H
#define NEARSIDE_EMU_DAEMON_SUPERVISOR_H

#include <signal.h>

#include "host/daemon.h"

enum {
	SUPERVISOR_CLIENTS_MAX = 256
};

/* What one program may have. */
struct supervisor_limits {
	unsigned clients; /* at once */
	unsigned cores;
	uint64_t far_nbytes;
};

/* As a worker sees the others, at the moment when it was forked. */
struct supervisor_view {
	const struct supervisor_limits *limits;
	const struct nhost_daemon_client *clients;
	unsigned count;
	int report; /* to tell the supervisor of a struct nhost_daemon_client */
};

/* Until *stop is not 0; then ends all workers. */
void supervisor_run(
	int listener, const struct supervisor_limits *limits, const volatile sig_atomic_t *stop);

/* One connection, in a process of its own. Returns an exit code. */
int worker_run(int socket, const struct supervisor_view *view);

/* When the process was started, as /proc/PID/stat counts it; 0: there is none. */
uint64_t supervisor_start_of(int pid);

#endif
