#include "host/nipc/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <nearside/nipc.h>

#include "host/wait.h"

enum {
	BACKLOG = 64,
	RETRY_FIRST_NS =
		100 * 1000, /* of a name where nobody listens; then twice that, and so on */
	RETRY_LAST_NS = 20 * 1000 * 1000,
};

static const char prefix[] = "nearside/"; /* of names without a file */

/* ---- names ----------------------------------------------------------------------------------- */

static int address_of(
	const char *name, struct sockaddr_un *address, socklen_t *nbytes, struct nhost_error *error)
{
	const size_t length = name ? strlen(name) : 0;

	_Static_assert(NIPC_NAME_MAX + sizeof prefix < sizeof address->sun_path, "a name fits");
	*nbytes = 0;
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!length || length > NIPC_NAME_MAX)
		return nhost_fail(error, length ? ENAMETOOLONG : EINVAL,
			"the name of a channel has 1 to %d bytes", NIPC_NAME_MAX);
	if (*name == '/') {
		memcpy(address->sun_path, name, length + 1);
		*nbytes = (socklen_t)sizeof *address;
		return 0;
	}
	memcpy(address->sun_path + 1, prefix, sizeof prefix - 1);
	memcpy(address->sun_path + sizeof prefix, name, length);
	*nbytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof prefix + length);
	return 0;
}

/* A socket, and the address for that name. */
static int make_socket(
	const char *name, struct sockaddr_un *address, socklen_t *nbytes, struct nhost_error *error)
{
	int fd, number, result = address_of(name, address, nbytes, error);
	const char *limit;

	if (result)
		return result;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		return fd;
	number = errno;
	limit = nhost_descriptor_limit(number);
	return nhost_fail(error, number, "no socket for a channel: %s%s%s%s", strerror(number),
		limit ? " (raise " : "", limit ? limit : "", limit ? ")" : "");
}

/* ---- listening ------------------------------------------------------------------------------- */

static bool is_listened_at(const struct sockaddr_un *address, socklen_t nbytes)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_alive = fd >= 0 && (!connect(fd, (const void *)address, nbytes) ||
					   (errno != ECONNREFUSED && errno != ENOENT));

	if (fd >= 0)
		close(fd);
	return is_alive;
}

/* The folder of the file, locked while a stale file there is judged and replaced. */
static int lock_folder(const char *path)
{
	char folder[sizeof((struct sockaddr_un *)0)->sun_path];
	const char *slash = strrchr(path, '/');
	int fd;

	snprintf(folder, sizeof folder, "%.*s", (int)(slash == path ? 1 : slash - path), path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) && errno == EINTR)
			;
	return fd;
}

/* Its owner has died. Else EADDRINUSE, or EEXIST where it is no socket. */
static int judge_stale(const char *name, const struct sockaddr_un *address, socklen_t nbytes)
{
	struct stat status;

	if (!lstat(name, &status) && !S_ISSOCK(status.st_mode))
		return EEXIST;
	return is_listened_at(address, nbytes) ? EADDRINUSE : 0;
}

/* Two that start at once do not remove each other's new file. */
static int bind_file(int fd, const char *name, const struct sockaddr_un *address, socklen_t nbytes)
{
	int folder = lock_folder(name), number = 0;

	if (bind(fd, (const void *)address, nbytes))
		number = errno;
	if (number == EADDRINUSE && !(number = judge_stale(name, address, nbytes))) {
		unlink(name);
		number = bind(fd, (const void *)address, nbytes) ? errno : 0;
	}
	if (!number && listen(fd, BACKLOG))
		number = errno;
	if (folder >= 0)
		close(folder);
	return number;
}

static int bind_name(int fd, const char *name, const struct sockaddr_un *address, socklen_t nbytes)
{
	if (*name == '/')
		return bind_file(fd, name, address, nbytes);
	return bind(fd, (const void *)address, nbytes) || listen(fd, BACKLOG) ? errno : 0;
}

int ipc_socket_listen(const char *name, struct nhost_error *error)
{
	struct sockaddr_un address;
	socklen_t nbytes;
	int number, fd = make_socket(name, &address, &nbytes, error);

	if (fd < 0)
		return fd;
	number = bind_name(fd, name, &address, nbytes);
	if (!number)
		return fd;
	close(fd);
	if (number == EADDRINUSE)
		return nhost_fail(error, number,
			"somebody listens at \"%s\" already: stop that, or take another name",
			name);
	if (number == EEXIST)
		return nhost_fail(error, number,
			"at \"%s\" is something else than a socket: take another name, or remove "
			"it",
			name);
	return nhost_fail(error, number, "cannot listen at \"%s\": %s", name, strerror(number));
}

void ipc_socket_forget(const char *name)
{
	if (*name == '/')
		unlink(name);
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* Nobody listens yet, or too many wait to be accepted. */
static bool may_change(int number)
{
	return number == ECONNREFUSED || number == ENOENT || number == EAGAIN;
}

static int refused(const char *name, int number, struct nhost_error *error)
{
	if (number == EAGAIN)
		return nhost_fail(error, ECONNREFUSED,
			"too many wait to be accepted at \"%s\" in the time given", name);
	if (may_change(number))
		return nhost_fail(error, ECONNREFUSED,
			"nobody listened at \"%s\" in the time given: start its server, or give it "
			"more time",
			name);
	return nhost_fail(error, number, "cannot connect to \"%s\": %s", name, strerror(number));
}

int ipc_socket_connect(const char *name, int64_t deadline_ns, struct nhost_error *error)
{
	struct timespec pause = {0, RETRY_FIRST_NS};
	struct sockaddr_un address;
	socklen_t nbytes;
	int number, fd = make_socket(name, &address, &nbytes, error);

	if (fd < 0)
		return fd;
	for (;;) {
		if (!connect(fd, (const void *)&address, nbytes))
			return fd;
		number = errno;
		if (!may_change(number) || (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns))
			break;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < RETRY_LAST_NS)
			pause.tv_nsec *= 2;
	}
	close(fd);
	return refused(name, number, error);
}

/* ---- hello ----------------------------------------------------------------------------------- */

union control_buffer {
	char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(IPC_HELLO_FDS * sizeof(int))];
	struct cmsghdr align;
};

int ipc_socket_prepare(int socket, struct nhost_error *error)
{
	const int on = 1;

	if (setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on))
		return nhost_fail(error, EINVAL,
			"this descriptor is no Unix socket that a channel can use: %s",
			strerror(errno));
	return 0;
}

static int not_told(int number, struct nhost_error *error)
{
	if (number == EPIPE || number == ECONNRESET || number == ECONNREFUSED)
		return nhost_fail(
			error, ECONNRESET, "the peer has gone before the channel was made");
	if (number == ETOOMANYREFS)
		return nhost_fail(error, EMFILE,
			"too many descriptors are on their way to peers (raise ulimit -n)");
	return nhost_fail(error, number == ENOMEM || number == ENOBUFS ? ENOMEM : EINVAL,
		"the peer cannot be told of the region: %s", strerror(number));
}

int ipc_socket_greet(
	int socket, const struct ipc_hello *hello, const int *fds, struct nhost_error *error)
{
	struct iovec part = {(void *)(uintptr_t)hello, sizeof *hello};
	union control_buffer control = {{0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *header;

	if (fds) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(IPC_HELLO_FDS * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(IPC_HELLO_FDS * sizeof(int));
		memcpy(CMSG_DATA(header), fds, IPC_HELLO_FDS * sizeof(int));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof *hello)
		return 0;
	return not_told(errno, error);
}

static void take_peer(struct ipc_peer *peer, const void *credentials)
{
	struct ucred from;

	memcpy(&from, credentials, sizeof from);
	*peer = (struct ipc_peer){from.pid, from.uid};
}

struct ipc_peer ipc_socket_maker(int socket)
{
	struct ucred maker = {.uid = (uid_t)-1};
	socklen_t nbytes = sizeof maker;

	getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &nbytes);
	return (struct ipc_peer){maker.pid, maker.uid};
}

/* More descriptors than there is room for are closed by the system. */
static void take_control(struct msghdr *message, struct ipc_greeting *greeting)
{
	struct cmsghdr *header;
	unsigned count;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SCM_CREDENTIALS)
			take_peer(&greeting->from, CMSG_DATA(header));
		if (header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (unsigned)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(greeting->fds, CMSG_DATA(header),
			(count < IPC_HELLO_FDS ? count : IPC_HELLO_FDS) * sizeof(int));
	}
}

static int check_hello(
	const struct ipc_greeting *greeting, ssize_t nbytes, bool is_cut, struct nhost_error *error)
{
	const struct ipc_hello *hello = &greeting->hello;

	if (nbytes < (ssize_t)offsetof(struct ipc_hello, refusal) || hello->magic != IPC_MAGIC)
		return nhost_fail(error, EPROTO, "who is at the other side is no end of a channel");
	if (hello->version != IPC_VERSION)
		return nhost_fail(error, EPROTO,
			"the peer speaks version %u of nipc, this library version %d: use the same "
			"release on both sides",
			hello->version, IPC_VERSION);
	if (nbytes != (ssize_t)sizeof *hello || is_cut ||
		(!hello->refusal && (greeting->fds[0] < 0 || greeting->fds[1] < 0)))
		return nhost_fail(error, EPROTO,
			"the peer's hello is not whole, or no descriptor was left here "
			"(ulimit -n)");
	return 0;
}

int ipc_socket_hear(int socket, struct ipc_greeting *greeting, struct nhost_error *error)
{
	struct iovec part = {&greeting->hello, sizeof greeting->hello};
	union control_buffer control = {{0}};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control};
	ssize_t nbytes;
	int result;

	*greeting = (struct ipc_greeting){.fds = {-1, -1}};
	nbytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (nbytes < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (nbytes <= 0)
		return nhost_fail(
			error, ECONNRESET, "the peer has gone before the channel was made");
	take_control(&message, greeting);
	result = check_hello(greeting, nbytes, message.msg_flags & (MSG_TRUNC | MSG_CTRUNC), error);
	if (result)
		ipc_greeting_close(greeting);
	return result;
}

void ipc_greeting_close(struct ipc_greeting *greeting)
{
	for (unsigned i = 0; i < IPC_HELLO_FDS; i++) {
		if (greeting->fds[i] >= 0)
			close(greeting->fds[i]);
		greeting->fds[i] = -1;
	}
}
