/*
 * socket.h - how two ends find each other: names, and the first message of each, which carries its
 * region. After that the socket only wakes, and hangs up when its other side has gone.
 */
#ifndef NEARSIDE_HOST_NIPC_SOCKET_H
#define NEARSIDE_HOST_NIPC_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/device.h"
#include "host/nipc/wire.h"

/* Who is at the other side, as the system says. */
struct ipc_peer {
	pid_t pid; /* 0: in a process namespace that is not seen from here */
	uid_t uid;
};

/* A hello as it came. */
struct ipc_greeting {
	struct ipc_hello hello;
	struct ipc_peer from;
	int fds[IPC_HELLO_FDS]; /* -1 each where there are none */
};

/*
 * A listening socket, not blocking, or a negative errno with words. A stale socket file is
 * replaced.
 */
int ipc_socket_listen(const char *name, struct nhost_error *error);
/* Removes the file, if the name is one. */
void ipc_socket_forget(const char *name);

/* Tries until somebody listens; a connected socket or a negative errno. */
int ipc_socket_connect(const char *name, int64_t deadline_ns, struct nhost_error *error);

/* Must be called before the other side greets: else its credentials are not known. */
int ipc_socket_prepare(int socket, struct nhost_error *error);

/* fds NULL: none. */
int ipc_socket_greet(
	int socket, const struct ipc_hello *hello, const int *fds, struct nhost_error *error);

/*
 * 0; -EAGAIN: nothing has come; -ECONNRESET: it has gone; -EPROTO: nonsense. On failure nothing is
 * left open.
 */
int ipc_socket_hear(int socket, struct ipc_greeting *greeting, struct nhost_error *error);

/* Who made the other side of the socket, which another may have by now. */
struct ipc_peer ipc_socket_maker(int socket);

void ipc_greeting_close(struct ipc_greeting *greeting);

#endif
