/*
 * listener.c - names that are connected to. Who has connected says hello at once; who has not yet
 * waits in a table, so that one that keeps silent holds up nobody else.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/fork.h"
#include "host/nipc/nipc_int.h"

enum {
	SILENT_MAX = 16, /* who have connected, and not said hello */
};

struct nipc_listener {
	bool is_open;
	const uint64_t *guard;
	struct nipc_attr attr;
	char name[NIPC_NAME_MAX + 1];
	int socket, epoll;      /* all sockets, and the table's */
	int silent[SILENT_MAX]; /* sockets; -1: none */
	unsigned next;          /* place in there, the oldest when all are taken */
	struct nhost_error detail;
};

static bool is_usable(const struct nipc_listener *listener)
{
	return listener && listener->is_open && nchan_load(listener->guard);
}

static int watch(struct nipc_listener *listener, int socket)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};

	if (!epoll_ctl(listener->epoll, EPOLL_CTL_ADD, socket, &event))
		return 0;
	return nhost_fail(&listener->detail, ENOMEM, "no memory to watch a socket: %s%s",
		strerror(errno), errno == ENOSPC ? " (raise fs.epoll.max_user_watches)" : "");
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int open_listener(struct nipc_listener *listener, const char *name)
{
	int result;

	result = ipc_attr_check(&listener->attr, &listener->detail);
	if (result)
		return result;
	result = ipc_guard_create(&listener->guard, &listener->detail);
	if (result)
		return result;
	listener->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (listener->epoll < 0)
		return nhost_fail(&listener->detail, errno,
			"no descriptor to listen with: %s (raise ulimit -n)", strerror(errno));
	listener->socket = ipc_socket_listen(name, &listener->detail);
	if (listener->socket < 0)
		return listener->socket;
	strcpy(listener->name, name); /* whose length was checked there */
	result = ipc_socket_prepare(listener->socket, &listener->detail);
	return result ? result : watch(listener, listener->socket);
}

int nipc_listen(const char *name, const struct nipc_attr *attr, struct nipc_listener **listener)
{
	static const struct nipc_attr usual = NIPC_ATTR_INIT;
	struct nipc_listener *new = listener ? calloc(1, sizeof *new) : NULL;
	int result, cancel;

	if (!listener)
		return -EINVAL;
	*listener = new;
	if (!new)
		return -ENOMEM;
	new->attr = attr ? *attr : usual;
	new->socket = new->epoll = -1;
	for (unsigned i = 0; i < SILENT_MAX; i++)
		new->silent[i] = -1;
	cancel = nhost_cancel_hold();
	result = open_listener(new, name);
	new->is_open = !result;
	nhost_cancel_release(cancel);
	return result;
}

void nipc_listener_close(struct nipc_listener *listener)
{
	int cancel;

	if (!listener || (listener->guard && !nchan_load(listener->guard)))
		return; /* in a child of fork() */
	cancel = nhost_cancel_hold();
	for (unsigned i = 0; i < SILENT_MAX; i++)
		if (listener->silent[i] >= 0)
			close(listener->silent[i]);
	if (listener->socket >= 0)
		ipc_socket_forget(listener->name);
	if (listener->socket >= 0)
		close(listener->socket);
	if (listener->epoll >= 0)
		close(listener->epoll);
	nhost_fork_guard_destroy(listener->guard);
	free(listener);
	nhost_cancel_release(cancel);
}

const char *nipc_listener_detail(struct nipc_listener *listener, char *buffer, size_t nbytes)
{
	const char *words = "no memory for a listener";

	if (listener && listener->guard && !nchan_load(listener->guard))
		words = "the listener was opened before a fork(): the child must open its own";
	else if (listener)
		words = listener->detail.text;
	if (nbytes)
		snprintf(buffer, nbytes, "%s", words);
	return buffer;
}

int nipc_listener_fd(struct nipc_listener *listener)
{
	return is_usable(listener) ? listener->epoll : -EBADF;
}

/* ---- who has connected ----------------------------------------------------------------------- */

static int not_taken(struct nipc_listener *listener, int number)
{
	const char *limit = nhost_descriptor_limit(number);

	if (limit)
		return nhost_fail(&listener->detail, number,
			"no descriptor for who has connected: %s (raise %s)", strerror(number),
			limit);
	if (number == ENOMEM || number == ENOBUFS)
		return nhost_fail(&listener->detail, ENOMEM, "no memory for who has connected");
	return -EAGAIN;
}

/*
 * -EAGAIN: nobody else has connected. When the table is full the oldest makes room: it has said
 * nothing while all others came.
 */
static int take_one(struct nipc_listener *listener)
{
	int *place = &listener->silent[listener->next % SILENT_MAX];
	int socket = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (socket < 0)
		return not_taken(listener, errno);
	if (*place >= 0) {
		nhost_fail(&listener->detail, EPROTO,
			"one that connected to \"%s\" and said nothing was turned away",
			listener->name);
		close(*place);
	}
	*place = socket;
	listener->next++;
	return watch(listener, socket);
}

static void note(struct nipc_listener *listener, struct nipc *channel)
{
	nipc_detail(channel, listener->detail.text, sizeof listener->detail.text);
}

/* What is not for this peer alone: others would meet it, too. */
static bool is_own_failure(int result)
{
	return result != -EPERM && result != -EPROTO && result != -ECONNREFUSED &&
	       result != -ECONNRESET;
}

/* 0: a channel. -EAGAIN: not yet, or this one was turned away. */
static int hear(struct nipc_listener *listener, int *from, struct nipc **channel)
{
	struct ipc_greeting greeting;
	int result = ipc_socket_hear(*from, &greeting, &listener->detail);
	int socket = *from;

	if (result == -EAGAIN)
		return result;
	epoll_ctl(listener->epoll, EPOLL_CTL_DEL, socket, NULL);
	*from = -1;
	if (result) {
		close(socket);
		return -EAGAIN;
	}
	*channel = ipc_channel_new(&listener->attr);
	if (!*channel) {
		ipc_greeting_close(&greeting);
		close(socket);
		return nhost_fail(&listener->detail, ENOMEM, "no memory for a channel");
	}
	result = ipc_channel_answer(*channel, socket, &greeting);
	if (!result)
		return 0;
	note(listener, *channel);
	nipc_close(*channel);
	*channel = NULL;
	return is_own_failure(result) ? result : -EAGAIN;
}

static int hear_any(struct nipc_listener *listener, struct nipc **channel)
{
	int result = -EAGAIN;

	for (unsigned i = 0; i < SILENT_MAX && result == -EAGAIN; i++)
		if (listener->silent[i] >= 0)
			result = hear(listener, &listener->silent[i], channel);
	return result;
}

/* Who has said hello is heard before anybody has to make room. */
static int look(struct nipc_listener *listener, struct nipc **channel)
{
	int result;

	do
		result = hear_any(listener, channel);
	while (result == -EAGAIN && !(result = take_one(listener)));
	return result;
}

static void sleep_until(const struct nipc_listener *listener, int64_t deadline_ns)
{
	struct pollfd wanted = {.fd = listener->epoll, .events = POLLIN};
	int64_t left_ns = deadline_ns < 0 ? 0 : deadline_ns - nhost_clock_ns();
	const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};

	if (left_ns >= 0)
		ppoll(&wanted, 1, deadline_ns < 0 ? NULL : &left, NULL);
}

/* Who was turned away meanwhile is told, too: it may be whom the caller waits for. */
static int nobody(struct nipc_listener *listener, int number)
{
	const struct nhost_error turned_away = listener->detail;

	return nhost_fail(&listener->detail, number,
		"nobody connected to \"%s\" in the time given%s%.300s", listener->name,
		*turned_away.text ? "; before: " : "", turned_away.text);
}

static int accept_until(struct nipc_listener *listener, int64_t timeout_ns, struct nipc **channel)
{
	const int64_t deadline_ns = nhost_deadline_ns(timeout_ns);
	int result;

	while ((result = look(listener, channel)) == -EAGAIN) {
		if (!timeout_ns)
			return nobody(listener, EAGAIN);
		if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns)
			return nobody(listener, ETIMEDOUT);
		sleep_until(listener, deadline_ns);
	}
	return result;
}

int nipc_accept(struct nipc_listener *listener, int64_t timeout_ns, struct nipc **channel)
{
	int result, cancel;

	if (channel)
		*channel = NULL;
	if (!is_usable(listener))
		return -EBADF;
	if (!channel)
		return nhost_fail(&listener->detail, EINVAL, "there is no place for the channel");
	cancel = nhost_cancel_hold();
	*listener->detail.text = '\0';
	result = accept_until(listener, timeout_ns, channel);
	nhost_cancel_release(cancel);
	return result;
}
