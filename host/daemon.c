#include "host/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/outside.h"

/* ---- addresses ------------------------------------------------------------------------------- */

/*
 * The usual one has no file: its name is free again when its owner has ended, however that was.
 */
static socklen_t address_of(const char *place, struct sockaddr_un *address)
{
	int used;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (*place) {
		if (strlen(place) >= sizeof(address->sun_path))
			return 0;
		strcpy(address->sun_path, place);
		return sizeof(*address);
	}
	used = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "nearside-device/%u",
		(unsigned)geteuid());
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used);
}

void nhost_daemon_name(const char *place, char *name, size_t nbytes)
{
	struct sockaddr_un address;

	if (*place)
		snprintf(name, nbytes, "%s", place);
	else if (address_of(place, &address))
		snprintf(name, nbytes, "@%s", address.sun_path + 1);
}

static int make_socket(const char *place, struct sockaddr_un *address, socklen_t *nbytes,
	struct nhost_error *error)
{
	int fd;

	*nbytes = address_of(place, address);
	if (!*nbytes)
		return nhost_fail(error, ENAMETOOLONG,
			"%s: the path of a socket has at most %zu characters", place,
			sizeof(address->sun_path) - 1);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	return fd < 0 ? nhost_fail(error, errno, "no socket: %s (ulimit -n)", strerror(errno)) : fd;
}

/* ---- listening ------------------------------------------------------------------------------- */

/* A socket's file stays when its owner is killed. */
static bool is_left_over(const struct sockaddr_un *address, socklen_t nbytes)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool is_dead =
		fd >= 0 && connect(fd, (const void *)address, nbytes) && errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return is_dead;
}

/* 0 or a negative errno. What is there and is no socket stays. */
static int take_over(int fd, const struct sockaddr_un *address, socklen_t nbytes)
{
	struct stat status;

	if (!lstat(address->sun_path, &status) && !S_ISSOCK(status.st_mode))
		return -EEXIST;
	if (!is_left_over(address, nbytes))
		return -EADDRINUSE;
	unlink(address->sun_path);
	return bind(fd, (const void *)address, nbytes) ? -errno : 0;
}

static int bind_to(int fd, const struct sockaddr_un *address, socklen_t nbytes)
{
	mode_t before = umask(0177); /* this user's alone */
	int result = bind(fd, (const void *)address, nbytes) ? -errno : 0;

	if (result == -EADDRINUSE && *address->sun_path)
		result = take_over(fd, address, nbytes);
	umask(before);
	if (!result && listen(fd, SOMAXCONN))
		result = -errno;
	return result;
}

int nhost_daemon_listen(const char *place, struct nhost_error *error)
{
	struct sockaddr_un address;
	char name[128] = "";
	socklen_t nbytes;
	int result, fd = make_socket(place, &address, &nbytes, error);

	if (fd < 0)
		return fd;
	result = bind_to(fd, &address, nbytes);
	if (!result)
		return fd;
	close(fd);
	nhost_daemon_name(place, name, sizeof(name));
	if (result == -EADDRINUSE)
		return nhost_fail(error, EADDRINUSE,
			"%s: a nearside-device listens there already: use it, or end it "
			"(nearside-device stop --socket %s)",
			name, name);
	if (result == -EEXIST)
		return nhost_fail(error, EEXIST,
			"%s is something else than a socket: take another path, or remove it",
			name);
	return nhost_fail(error, -result, "%s: cannot listen there: %s", name, strerror(-result));
}

/* ---- connecting ------------------------------------------------------------------------------ */

static int check_owner(int fd, const char *name, struct nhost_error *error)
{
	struct ucred owner;
	socklen_t nbytes = sizeof(owner);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &nbytes))
		return nhost_fail(error, errno, "%s: who listens there? %s", name, strerror(errno));
	if (owner.uid == geteuid() || !owner.uid)
		return 0;
	return nhost_fail(error, EPERM,
		"%s: user %u listens there, and not this one: start a nearside-device of your own",
		name, (unsigned)owner.uid);
}

int nhost_daemon_connect(const char *place, struct nhost_error *error)
{
	struct sockaddr_un address;
	char name[128] = "";
	socklen_t nbytes;
	int result, fd = make_socket(place, &address, &nbytes, error);

	if (fd < 0)
		return fd;
	nhost_daemon_name(place, name, sizeof(name));
	if (connect(fd, (const void *)&address, nbytes)) {
		int number = errno;

		close(fd);
		if (number == ECONNREFUSED || number == ENOENT)
			return nhost_fail(error, ENODEV,
				"%s: no nearside-device listens there: start one (nearside-device "
				"start%s%s)",
				name, *place ? " --socket " : "", place);
		return nhost_fail(error, number, "%s: %s", name, strerror(number));
	}
	result = check_owner(fd, name, error);
	if (!result)
		return fd;
	close(fd);
	return result;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool wait_for(int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	int64_t deadline_ns = nhost_deadline_ns(NHOST_OUTSIDE_PATIENCE_S * 1000000000ll);
	int64_t left_ns;

	while ((left_ns = deadline_ns - nhost_clock_ns()) > 0)
		if (poll(&wanted, 1, (int)(left_ns / 1000000) + 1) > 0)
			return true;
	return false;
}

static unsigned take_fds(struct msghdr *message, int *fds, unsigned fd_count)
{
	unsigned count = 0;

	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
		part = CMSG_NXTHDR(message, part)) {
		size_t sent = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < sent; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
			if (count < fd_count)
				fds[count++] = fd;
			else
				close(fd);
		}
	}
	return count;
}

static int fail_closed(struct nhost_error *error)
{
	return nhost_fail(error, ENODEV,
		"nearside-device has ended the connection: its worker died; open the device again");
}

static int receive(int socket, int *fds, unsigned fd_count, struct nhost_daemon_reply *reply,
	struct nhost_error *error)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
	struct iovec bytes = {reply, sizeof(*reply)};
	unsigned count;
	struct msghdr message = {.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	ssize_t nbytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	/* A refusal comes before the request was read: then the reply is behind this error. */
	if (nbytes < 0 && errno == ECONNRESET)
		nbytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	count = nbytes < 0 ? 0 : take_fds(&message, fds, fd_count);

	if (nbytes == sizeof(*reply) && reply->magic == NHOST_DAEMON_MAGIC &&
		count == (reply->error ? 0 : fd_count))
		return 0;
	while (count)
		close(fds[--count]);
	if (nbytes > 0)
		return nhost_fail(
			error, EPROTO, "nearside-device gave an answer of another release");
	return fail_closed(error);
}

int nhost_daemon_ask(int socket, const struct nhost_daemon_request *request, int *fds,
	unsigned fd_count, struct nhost_daemon_reply *reply, struct nhost_error *error)
{
	int result;

	/* Where it is closed already there may be a reply that says why. */
	if (send(socket, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request) &&
		errno != EPIPE && errno != ECONNRESET)
		return fail_closed(error);
	if (!wait_for(socket))
		return nhost_fail(error, ETIMEDOUT,
			"nearside-device does not answer: is it stopped, or has it too much to do?");
	result = receive(socket, fds, fd_count, reply, error);
	if (result || !reply->error)
		return result;
	reply->text[sizeof(reply->text) - 1] = '\0';
	return nhost_fail(error, reply->error > 0 ? reply->error : EPROTO, "%s", reply->text);
}
