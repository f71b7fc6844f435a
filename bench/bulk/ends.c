/* ends.c - what two ends cost that wait, and when one hears that the other one was killed. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nearside/nipc.h>

#include "bench/bulk/bulk.h"

/* ---- idle ------------------------------------------------------------------------------------ */

static void *wait_for_end(void *socket)
{
	struct nipc *channel;
	char byte;

	if (nipc_adopt(*(int *)socket, NULL, -1, &channel))
		bench_die("bulk pipe: cannot make an end");
	nipc_recv(channel, &byte, 1);
	nipc_close(channel);
	return NULL;
}

static void measure_idle(struct bench_side *side)
{
	const struct timespec second = {1, 0}, moment = {0, 50 * 1000 * 1000};
	struct nipc *channel;
	pthread_t thread;
	int sockets[2];
	double before;

	if (nipc_pair(sockets) || pthread_create(&thread, NULL, wait_for_end, &sockets[1]) ||
		nipc_adopt(sockets[0], NULL, -1, &channel))
		bench_die("bulk pipe: cannot make a channel");
	nanosleep(&moment, NULL); /* it has gone to sleep */
	before = bench_cpu_ns();
	nanosleep(&second, NULL);
	side->value = bench_cpu_ns() - before;
	nipc_close(channel);
	pthread_join(thread, NULL);
}

const struct bench_method bench_bulk_idle = {
	"nipc, an end that waits", 1, NULL, measure_idle, NULL};

/* ---- death ----------------------------------------------------------------------------------- */

static _Noreturn void be_killed(int socket)
{
	struct nipc *channel;
	char byte;

	if (nipc_adopt(socket, NULL, -1, &channel))
		_exit(1);
	nipc_send(channel, "", 1);
	nipc_recv(channel, &byte, 1);
	_exit(1);
}

/* From the kill to the end of file. */
static void measure_death(struct bench_side *side)
{
	struct nipc *channel;
	int sockets[2];
	char byte;
	pid_t child;

	if (nipc_pair(sockets))
		bench_die("bulk pipe: no sockets");
	child = fork();
	if (!child) {
		close(sockets[0]);
		be_killed(sockets[1]);
	}
	close(sockets[1]);
	if (nipc_adopt(sockets[0], NULL, -1, &channel))
		bench_die("bulk pipe: cannot make an end");
	bench_check(side, nipc_recv(channel, &byte, 1) == 1);
	side->value = bench_now_ns();
	kill(child, SIGKILL);
	bench_check(side, nipc_recv(channel, &byte, 1) == 0);
	side->value = bench_now_ns() - side->value;
	nipc_close(channel);
	waitpid(child, NULL, 0);
}

const struct bench_method bench_bulk_death = {
	"nipc, kill to end of file", 1, NULL, measure_death, NULL};
