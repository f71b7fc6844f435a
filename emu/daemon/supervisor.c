#include "emu/daemon/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/daemon/daemon.h"

enum {
	TICK_MS = 200, /* signals are looked at so often */
	PATIENCE_NS = 1000 * 1000 *
		      1000, /* with workers that are about to end, when all places are taken */
};

struct worker {
	pid_t pid;
	int report;                        /* what it says of itself; its end is the worker's */
	struct nhost_daemon_client client; /* pid 0: it serves no device, so far */
};

struct supervisor {
	int listener;
	const struct supervisor_limits *limits;
	unsigned count;
	struct worker workers[SUPERVISOR_CLIENTS_MAX];
	int64_t full_since_ns; /* 0: it is not */
	bool is_over;
};

/* ---- processes ------------------------------------------------------------------------------- */

uint64_t supervisor_start_of(int pid)
{
	char path[64], text[1024];
	unsigned long long started = 0;
	FILE *file;
	size_t nbytes;
	char *at;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	nbytes = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[nbytes] = '\0';
	/* The name in front may hold anything; the start is 20 fields behind it. */
	at = strrchr(text, ')');
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, " %llu", &started);
	return started;
}

/* ---- workers --------------------------------------------------------------------------------- */

static void forget_others(const struct supervisor *supervisor)
{
	close(supervisor->listener);
	for (unsigned i = 0; i < supervisor->count; i++)
		close(supervisor->workers[i].report);
}

static unsigned list_clients(
	const struct supervisor *supervisor, struct nhost_daemon_client *clients)
{
	unsigned count = 0;

	for (unsigned i = 0; i < supervisor->count; i++)
		if (supervisor->workers[i].client.pid)
			clients[count++] = supervisor->workers[i].client;
	return count;
}

static int be_worker(const struct supervisor *supervisor, int socket, int report)
{
	static struct nhost_daemon_client clients[SUPERVISOR_CLIENTS_MAX];
	const struct supervisor_view view = {
		supervisor->limits, clients, list_clients(supervisor, clients), report};

	forget_others(supervisor);
	return worker_run(socket, &view);
}

static void fork_worker(struct supervisor *supervisor, int socket)
{
	struct worker *worker = &supervisor->workers[supervisor->count];
	int report[2];

	if (pipe(report))
		return;
	worker->pid = fork();
	if (!worker->pid) {
		close(report[0]);
		_exit(be_worker(supervisor, socket, report[1]));
	}
	close(report[1]);
	if (worker->pid < 0) {
		close(report[0]);
		return;
	}
	worker->report = report[0];
	worker->client = (struct nhost_daemon_client){.pid = 0};
	supervisor->count++;
}

static void say_how_it_ended(const struct worker *worker, int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM)
		fprintf(stderr,
			"nearside-device: the worker %d of process %d was ended by signal %d\n",
			(int)worker->pid, worker->client.pid, WTERMSIG(status));
}

static void reap(struct supervisor *supervisor, unsigned index)
{
	struct worker *worker = &supervisor->workers[index];
	int status = 0;

	close(worker->report);
	waitpid(worker->pid, &status, 0);
	if (!supervisor->is_over)
		say_how_it_ended(worker, status);
	*worker = supervisor->workers[--supervisor->count];
	supervisor->full_since_ns = 0;
}

/* A worker writes once, less than a pipe holds; then the pipe ends with it. */
static void hear(struct supervisor *supervisor, unsigned index)
{
	struct worker *worker = &supervisor->workers[index];
	struct nhost_daemon_client client;
	ssize_t nbytes = read(worker->report, &client, sizeof client);

	if (nbytes <= 0) {
		reap(supervisor, index);
	} else if (nbytes == sizeof client && !worker->client.pid) {
		client.worker = worker->pid;
		worker->client = client;
	}
}

/* ---- clients --------------------------------------------------------------------------------- */

static bool may_ask(int socket)
{
	struct ucred client;
	socklen_t nbytes = sizeof client;

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &client, &nbytes) &&
	       (client.uid == geteuid() || !client.uid);
}

static void refuse(int socket, int number, const char *why)
{
	struct nhost_daemon_reply reply = {
		.magic = NHOST_DAEMON_MAGIC, .error = number, .pid = getpid()};

	snprintf(reply.text, sizeof reply.text, "%s", why);
	send(socket, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool is_full(const struct supervisor *supervisor)
{
	return supervisor->count >= supervisor->limits->clients;
}

/* When all places are taken new programs wait a little: one that has closed may be about to end. */
static bool may_accept(struct supervisor *supervisor)
{
	if (!is_full(supervisor))
		return true;
	if (!supervisor->full_since_ns)
		supervisor->full_since_ns = nhost_clock_ns();
	return nhost_clock_ns() - supervisor->full_since_ns > PATIENCE_NS;
}

static void accept_one(struct supervisor *supervisor)
{
	int socket = accept4(supervisor->listener, NULL, NULL, SOCK_CLOEXEC);

	if (socket < 0)
		return;
	if (!may_ask(socket))
		refuse(socket, EPERM, "this nearside-device serves the programs of another user");
	else if (is_full(supervisor))
		refuse(socket, EBUSY,
			"all places are taken: close a device, or start nearside-device with more "
			"(--clients)");
	else
		fork_worker(supervisor, socket);
	close(socket);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void look(struct supervisor *supervisor)
{
	struct pollfd fds[SUPERVISOR_CLIENTS_MAX + 1];
	unsigned count = supervisor->count;

	for (unsigned i = 0; i < count; i++)
		fds[i] = (struct pollfd){.fd = supervisor->workers[i].report, .events = POLLIN};
	fds[count] = (struct pollfd){
		.fd = may_accept(supervisor) ? supervisor->listener : -1, .events = POLLIN};
	if (poll(fds, count + 1, TICK_MS) <= 0)
		return;
	for (unsigned i = count; i-- > 0;) /* reaping moves the last one */
		if (fds[i].revents)
			hear(supervisor, i);
	if (fds[count].revents)
		accept_one(supervisor);
}

static void end_workers(struct supervisor *supervisor)
{
	supervisor->is_over = true;
	for (unsigned i = 0; i < supervisor->count; i++)
		kill(supervisor->workers[i].pid, SIGKILL); /* not waited for: still its pid */
	while (supervisor->count)
		reap(supervisor, supervisor->count - 1);
}

void supervisor_run(
	int listener, const struct supervisor_limits *limits, const volatile sig_atomic_t *stop)
{
	struct supervisor *supervisor = calloc(1, sizeof *supervisor);

	if (!supervisor)
		return;
	supervisor->listener = listener;
	supervisor->limits = limits;
	while (!*stop)
		look(supervisor);
	end_workers(supervisor);
	free(supervisor);
}
