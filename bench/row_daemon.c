/*
 * row_daemon.c - a device in a process of its own (nearside-device start): a round trip, and how
 * soon a waiting program hears that its worker was killed.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/methods.h"
#include "bench/session.h"

static char place[64]; /* where the supervisor listens that both methods share */
static unsigned users;

static bool run(const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "%s %s --socket %s >/dev/null 2>&1", BENCH_DEVICE_PROGRAM,
		command, place);
	return !system(line);
}

static const char *need_supervisor(void)
{
	snprintf(place, sizeof place, "/tmp/nearside-bench-%d.socket", (int)getpid());
	if (!users && !run("start"))
		return "nearside-device cannot be started";
	users++;
	return NULL;
}

static void leave_supervisor(void)
{
	if (!--users)
		run("stop");
}

static void open_session(struct bench_side *side)
{
	struct bench_session *session;
	char name[128];

	snprintf(name, sizeof name, "daemon:%s,cores=1,far=16M", place);
	session = bench_session_open_here(side, name, sizeof *session);
	bench_server_start(session, &session->server, "echo", NULL, 0);
}

/* ---- round trip ------------------------------------------------------------------------------ */

static const char *open_echo(struct bench_side *side)
{
	const char *absent = need_supervisor();

	if (!absent)
		open_session(side);
	return absent;
}

static void close_echo(struct bench_side *side)
{
	struct bench_session *session = side->state;

	bench_server_stop(session, &session->server);
	bench_session_close(side);
	leave_supervisor();
}

static void exchange(struct bench_side *side, uint64_t count, bool is_timed)
{
	const struct bench_session *session = side->state;
	const struct bench_server *server = &session->server;
	uint64_t word = 0;

	for (uint64_t i = 0; i < count; i++) {
		word = i;
		bench_must(session, npipe_write(server->request, &word, sizeof word));
		bench_must(session, npipe_read_full(server->reply, &word, sizeof word));
		bench_check(side, word == i);
		if (is_timed)
			bench_lap(side);
	}
}

static void measure_echo(struct bench_side *side)
{
	exchange(side, 100, false);
	bench_begin(side);
	exchange(side, side->count, true);
	bench_end(side, side->count);
}

const struct bench_method bench_daemon_round_trip = {
	"Nearside, another process", 20000, open_echo, measure_echo, close_echo};

/* ---- a worker is killed ---------------------------------------------------------------------- */

static pid_t find_worker(void)
{
	char line[512];
	int program, worker = 0;
	FILE *status;

	snprintf(line, sizeof line, "%s status --socket %s", BENCH_DEVICE_PROGRAM, place);
	status = popen(line, "r");
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "%d %d", &program, &worker) == 2 && program == (int)getpid())
			break;
	if (status)
		pclose(status);
	return worker;
}

struct killing {
	pid_t worker;
	double at_ns;
};

/* Once the other thread sleeps in its read. */
static void *kill_worker(void *context)
{
	const struct timespec moment = {0, 5000000};
	struct killing *killing = context;

	nanosleep(&moment, NULL);
	killing->at_ns = bench_now_ns();
	kill(killing->worker, SIGKILL);
	return NULL;
}

static void measure_killed(struct bench_side *side)
{
	struct killing killing;
	struct bench_session *session;
	pthread_t thread;
	uint64_t word;
	int64_t result;

	open_session(side);
	session = side->state;
	killing.worker = find_worker();
	bench_check(side, killing.worker > 0);
	bench_check(side, !pthread_create(&thread, NULL, kill_worker, &killing));
	result = npipe_read(session->server.reply, &word, sizeof word);
	side->value = bench_now_ns();
	pthread_join(thread, NULL);
	side->value -= killing.at_ns;
	bench_check(side, result == -ENODEV);
	bench_session_close(side);
	side->state = NULL;
}

static const char *open_killed(struct bench_side *side)
{
	(void)side;
	return need_supervisor();
}

static void close_killed(struct bench_side *side)
{
	(void)side;
	leave_supervisor();
}

const struct bench_method bench_daemon_killed = {
	"Nearside", 1, open_killed, measure_killed, close_killed};
