/* row_idle.c - the processor time of a device on which one process waits, over a second. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "bench/methods.h"
#include "bench/session.h"

static const char *open_device(struct bench_side *side)
{
	struct bench_session *session =
		bench_session_open(side, "inproc:cores=1,far=16M", sizeof(*session));
	uint64_t word = 1;

	bench_server_start(session, &session->server, "word", NULL, 0);
	bench_must(session, npipe_write(session->server.request, &word, sizeof(word)));
	bench_must(session, npipe_read_full(session->server.reply, &word, sizeof(word)));
	bench_check(side, word == 1);
	return NULL;
}

static void measure_threads(struct bench_side *side, const char *name)
{
	struct timespec moment = {0, 10000000}, second = {1, 0};
	double before;

	nanosleep(&moment, NULL); /* it spins a little before it sleeps */
	before = bench_threads_cpu_ns(name);
	nanosleep(&second, NULL);
	side->value = bench_threads_cpu_ns(name) - before;
}

static void measure(struct bench_side *side)
{
	measure_threads(side, "nearside/");
}

const struct bench_method bench_near_idle = {
	"Nearside", 1, open_device, measure, bench_session_close};

/* ---- a thread that waits at a futex ---- */

static sem_t gate;
static pthread_t sleeper;

static void *sleep_at_gate(void *unused)
{
	pthread_setname_np(pthread_self(), "bench-sleeper");
	while (sem_wait(&gate))
		;
	return unused;
}

static const char *open_sleeper(struct bench_side *side)
{
	(void)side;
	sem_init(&gate, 0, 0);
	return pthread_create(&sleeper, NULL, sleep_at_gate, NULL) ? "no thread" : NULL;
}

static void measure_sleeper(struct bench_side *side)
{
	measure_threads(side, "bench-sleeper");
}

static void close_sleeper(struct bench_side *side)
{
	(void)side;
	sem_post(&gate);
	pthread_join(sleeper, NULL);
}

const struct bench_method bench_futex_idle = {
	"thread at a futex", 1, open_sleeper, measure_sleeper, close_sleeper};
