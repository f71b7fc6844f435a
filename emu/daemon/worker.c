/* worker.c - one connection to nearside-device, in a process of its own. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "emu/daemon/sandbox.h"
#include "emu/daemon/supervisor.h"
#include "emu/server.h"
#include "host/outside.h"

enum {
	REQUEST_PATIENCE_S = 5
};

/* ---- replies --------------------------------------------------------------------------------- */

static bool reply_with(
	int socket, const struct nhost_daemon_reply *reply, const int *fds, unsigned fd_count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct iovec bytes = {(void *)(uintptr_t)reply, sizeof *reply};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

	if (fd_count) {
		struct cmsghdr *part;

		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		part = CMSG_FIRSTHDR(&message);
		part->cmsg_level = SOL_SOCKET;
		part->cmsg_type = SCM_RIGHTS;
		part->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(part), fds, fd_count * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *reply;
}

static struct nhost_daemon_reply good_reply(void)
{
	return (struct nhost_daemon_reply){.magic = NHOST_DAEMON_MAGIC, .pid = getpid()};
}

static int refuse(int socket, int number, const char *text)
{
	struct nhost_daemon_reply reply = good_reply();

	reply.error = number;
	snprintf(reply.text, sizeof reply.text, "%s", text);
	reply_with(socket, &reply, NULL, 0);
	return 1;
}

/* ---- watching the client --------------------------------------------------------------------- */

/* What ends with the program that this worker is for. */
struct client {
	int socket;
	int process; /* a pidfd */
	pid_t pid;
};

/*
 * A child of the program may hold the socket open when the program has ended: so its process is
 * watched, too, and named by a descriptor, because a number may be another's by now.
 */
static void find_client(int socket, struct client *client)
{
	struct ucred who = {.pid = 0};
	socklen_t nbytes = sizeof who;

	*client = (struct client){.socket = socket, .process = -1};
	if (!getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &nbytes) && who.pid > 0)
		client->process = (int)syscall(SYS_pidfd_open, who.pid, 0);
	client->pid = who.pid;
}

/* The end of the process takes its threads, memory and files with it, whatever they do. */
static void *end_with_client(void *context)
{
	const struct client *client = context;
	struct pollfd signs[] = {
		{.fd = client->socket, .events = POLLIN},
		{.fd = client->process, .events = POLLIN},
	};

	while (poll(signs, 2, -1) <= 0)
		;
	_exit(0);
}

/* ---- serving --------------------------------------------------------------------------------- */

static int check_limits(const struct nhost_daemon_request *request,
	const struct supervisor_limits *limits, struct nhost_error *error)
{
	if (request->cores < 1 || request->cores > limits->cores)
		return nhost_fail(error, EINVAL,
			"%" PRIu32
			" cores: this nearside-device gives a program at most %u: open the device "
			"with cores=%u behind its name, or start nearside-device with a larger --cores",
			request->cores, limits->cores, limits->cores);
	if (!request->far_nbytes || request->far_nbytes % 4096 ||
		request->far_nbytes > limits->far_nbytes)
		return nhost_fail(error, EINVAL,
			"far memory of %" PRIu64
			" bytes: this nearside-device gives a program at most "
			"%" PRIu64 ": open the device with far=%" PRIu64
			" behind its name, or start nearside-device with a larger --far",
			request->far_nbytes, limits->far_nbytes, limits->far_nbytes);
	if (!request->base || request->base % NREG_ALIGN || request->base >> 47 ||
		request->port >= NCHAN_PORT_COUNT || !request->processes ||
		request->processes > NCHAN_PIPE_MAX || !request->pipes ||
		request->pipes > NCHAN_PIPE_MAX)
		return nhost_fail(error, EINVAL, "the request makes no sense");
	return 0;
}

static int open_server(const struct nhost_daemon_request *request,
	const struct supervisor_limits *limits, struct nemu_server **server,
	struct nhost_error *error)
{
	const struct nemu_server_options options = {
		.device = {.cores = request->cores,
			.far_nbytes = request->far_nbytes,
			.processes = request->processes,
			.pipes = request->pipes,
			.port = request->port},
		.base = request->base,
		.serves_once = true,
	};
	int result = check_limits(request, limits, error);

	return result ? result : nemu_server_open(&nhost_sealed, &options, server, error);
}

static void report(const struct supervisor_view *view, const struct client *client,
	const struct nhost_daemon_request *request, int file)
{
	const struct nhost_daemon_client about = {
		.pid = client->pid,
		.worker = getpid(),
		.region = file,
		.cores = request->cores,
		.far_nbytes = request->far_nbytes,
		.worker_started = supervisor_start_of(getpid()),
		.since_ns = nhost_clock_ns(),
	};

	if (write(view->report, &about, sizeof about) != sizeof about)
		_exit(1); /* the supervisor has gone */
}

/* The sandbox lets the reply out, and nothing behind it. 0, or an exit code. */
static int hand_over(int socket, int file)
{
	const struct nhost_daemon_reply reply = good_reply();
	int fds[2] = {file, (int)syscall(SYS_pidfd_open, getpid(), 0)};
	int result;

	if (fds[1] < 0)
		return refuse(
			socket, errno, "this system has no pidfd_open(): Linux 5.3 is needed");
	result = sandbox_enter();
	if (result)
		return refuse(socket, -result, "no sandbox for the worker: seccomp() is refused");
	if (!reply_with(socket, &reply, fds, 2))
		return 1;
	close(fds[1]);
	return 0;
}

static int serve(
	int socket, const struct supervisor_view *view, const struct nhost_daemon_request *request)
{
	static const volatile sig_atomic_t never;
	struct client client;
	struct nemu_server *server;
	struct nhost_error error;
	pthread_t thread;
	int result = open_server(request, view->limits, &server, &error);

	if (result)
		return refuse(socket, -result, error.text);
	find_client(socket, &client);
	report(view, &client, request, nemu_server_file(server));
	nemu_server_offer(server);
	if (nhost_thread_start(&thread, end_with_client, &client))
		return refuse(socket, EAGAIN, "no thread to watch the client with (ulimit -u)");
	result = hand_over(socket, nemu_server_file(server));
	if (result)
		return result;
	nemu_server_run(server, &never, &error);
	_exit(0);
}

/* ---- other requests -------------------------------------------------------------------------- */

static int say_status(int socket, const struct supervisor_view *view)
{
	struct nhost_daemon_reply reply = good_reply();

	reply.pid = getppid();
	if (!reply_with(socket, &reply, NULL, 0))
		return 1;
	for (unsigned i = 0; i < view->count; i++)
		if (send(socket, &view->clients[i], sizeof view->clients[i], MSG_NOSIGNAL) < 0)
			return 1;
	return 0;
}

/* The supervisor ends this process, too, and with it the connection. */
static _Noreturn void stop_all(int socket)
{
	struct nhost_daemon_reply reply = good_reply();

	reply.pid = getppid();
	reply_with(socket, &reply, NULL, 0);
	kill(getppid(), SIGTERM);
	for (;;)
		pause();
}

int worker_run(int socket, const struct supervisor_view *view)
{
	const struct timeval patience = {.tv_sec = REQUEST_PATIENCE_S};
	struct nhost_daemon_request request;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_IGN); /* of a terminal: the supervisor's business */
	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (recv(socket, &request, sizeof request, 0) != sizeof request)
		return 1;
	if (request.magic != NHOST_DAEMON_MAGIC)
		return refuse(
			socket, EPROTO, "nearside-device is of another release than this program");
	switch (request.ask) {
	case NHOST_ASK_OPEN:
		return serve(socket, view, &request);
	case NHOST_ASK_STATUS:
		return say_status(socket, view);
	case NHOST_ASK_STOP:
		stop_all(socket);
	default:
		return refuse(socket, EINVAL, "nearside-device knows no such request");
	}
}
