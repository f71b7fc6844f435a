/*
 * loop.h - devices and ends in event loops: descriptors that poll(2) understands.
 *
 * A device has one bell (host/bell.h), which its executor rings for lines that nobody waits for.
 * Whoever hears it takes the lines, and arms it again; others that listen too must then be told by
 * what the lines brought about:
 *
 *     epoll descriptor of the device = the bell, its timer, and `event`, which is set when lines
 *                                      were taken or something else happened since the last
 *                                      nproc_device_dispatch()
 *     descriptor of an end           = an eventfd that follows what a call there would find
 */
#ifndef NEARSIDE_RUNTIME_LOOP_H
#define NEARSIDE_RUNTIME_LOOP_H

#include <stdbool.h>

#include "host/bell.h"
#include "runtime/watch.h"

struct nproc_device;
struct npipe;

struct loop {
	struct nhost_bell bell;
	bool has_bell;
	bool has_fd;
	bool is_armed; /* event is to be set when something happens */
	int event;
	int fd; /* what the program gets */
};

/* The descriptor of one end. */
struct end_fd {
	struct watch watch;
	LIST_ENTRY(end_fd) of_device;
	struct npipe *end; /* NULL: was given away, and is set for good */
	int event;
	bool is_set;
};

LIST_HEAD(end_fds, end_fd);

/* With the lock, all of them. */

/* 0, or a negative errno and detail. */
int loop_need_bell(struct nproc_device *device);
/*
 * What rang is looked at: takes lines, and arms the bell. 0; -EDEADLK: it will not ring before the
 * host does something (simulation); -EPERM.
 */
int loop_listen(struct nproc_device *device);
/* A drainer has come back: who listens must hear the next line. */
void loop_listen_again(struct nproc_device *device);
void loop_ring(struct nproc_device *device);
void loop_destroy(struct nproc_device *device);

/* A call was made at the end: the descriptor follows. */
void end_fd_follow(struct end_fd *end_fd);
/* The end goes to a process. */
void end_fd_give_away(struct end_fd *end_fd);
void end_fd_destroy(struct end_fd *end_fd);

#endif
