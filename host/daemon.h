/*
 * daemon.h - what a host program and `nearside-device start` say to each other over a Unix socket
 * of packets: one request, then what answers it.
 *
 *     NHOST_ASK_OPEN     one reply, with the region's sealed memory file and a pidfd of the worker
 *                        that serves it; the connection stays as long as the device is open
 *     NHOST_ASK_STATUS   a reply, then one struct nhost_daemon_client for each program; then closed
 *     NHOST_ASK_STOP     a reply; closed when all has ended
 *
 * Either side checks who the other is (SO_PEERCRED) and believes nothing it reads.
 */
#ifndef NEARSIDE_HOST_DAEMON_H
#define NEARSIDE_HOST_DAEMON_H

#include "host/device.h"

#define NHOST_DAEMON_MAGIC 0x312d4445534e5352ull /* "RSNSED-1" */

enum nhost_daemon_ask {
	NHOST_ASK_OPEN,
	NHOST_ASK_STATUS,
	NHOST_ASK_STOP,
};

struct nhost_daemon_request {
	uint64_t magic;
	uint32_t ask;
	uint32_t cores;
	uint64_t far_nbytes;
	uint64_t base; /* where the program has room for the region */
	uint32_t processes, pipes, port;
	uint32_t reserved;
};

struct nhost_daemon_reply {
	uint64_t magic;
	int32_t error; /* 0 or a positive errno, and why */
	int32_t pid;   /* of who replies */
	char text[400];
};

struct nhost_daemon_client {
	int32_t pid, worker;
	int32_t region; /* the worker's number of the region's file: /proc/WORKER/fd/NUMBER */
	uint32_t cores;
	uint64_t far_nbytes;
	uint64_t worker_started; /* in /proc/WORKER/stat: no other process has both */
	int64_t since_ns;        /* nhost_clock_ns() */
};

/*
 * A connection to the daemon at `place`, whose user is this one or root, or a negative errno.
 * -ENODEV  nobody listens there
 * -EPERM   somebody else does
 */
int nhost_daemon_connect(const char *place, struct nhost_error *error);

/*
 * Sends the request, and waits for the reply, with which `fd_count` descriptors must come; they are
 * the caller's then. 0, the reply's error, or
 * -EPROTO     the answer makes no sense
 * -ENODEV     there is none: it has ended
 * -ETIMEDOUT
 */
int nhost_daemon_ask(int socket, const struct nhost_daemon_request *request, int *fds,
	unsigned fd_count, struct nhost_daemon_reply *reply, struct nhost_error *error);

/* A socket that listens at `place`, "" being the usual one, or a negative errno. */
int nhost_daemon_listen(const char *place, struct nhost_error *error);

/* The place, for people. */
void nhost_daemon_name(const char *place, char *name, size_t nbytes);

#endif
