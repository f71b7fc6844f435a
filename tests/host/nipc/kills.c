#include "tests/host/nipc/kills.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/host/nipc/ends.h"

#define PATIENCE_NS 20000000000ll

enum {
	LARGE = 300000,
};

static const struct nipc_attr small = {.capacity = NIPC_CAPACITY_MIN};
static unsigned char bytes[LARGE];

static _Noreturn void echo_for_ever(int socket)
{
	struct nipc *channel;
	int64_t nbytes;

	if (nipc_adopt(socket, &small, PATIENCE_NS, &channel))
		_exit(1);
	while ((nbytes = nipc_recv(channel, bytes, sizeof bytes)) > 0)
		if (nipc_send(channel, bytes, (size_t)nbytes) < 0)
			break;
	_exit(0);
}

/* Some work, so that the child is killed anywhere; no clock. */
static void pass_time(uint64_t steps)
{
	for (volatile uint64_t i = 0; i < steps; i++)
		;
}

/* What the last call gave. */
static int64_t talk_to_the_dying(struct nipc *channel, uint64_t *random, pid_t child)
{
	const unsigned messages = next_random(random) % 20;
	int64_t result = 1;

	for (unsigned i = 0; result > 0; i++) {
		const uint64_t draw = next_random(random);
		const size_t nbytes = 1 + draw / 2 % (draw % 2 ? 300 : LARGE);

		if (i == messages) {
			pass_time(next_random(random) % 100000);
			kill(child, SIGKILL);
		}
		result = nipc_send(channel, bytes, nbytes);
		if (result > 0)
			result = nipc_recv(channel, bytes, sizeof bytes);
	}
	return result;
}

/* The child is killed in either role: it makes the channel last, or first. */
const char *kills_run(uint64_t *random)
{
	const unsigned own = next_random(random) % 2;
	struct nipc *channel;
	int64_t result;
	int sockets[2];
	pid_t child;

	if (nipc_pair(sockets))
		return "no sockets";
	child = fork();
	if (!child) {
		close(sockets[own]);
		echo_for_ever(sockets[!own]);
	}
	close(sockets[!own]);
	result = nipc_adopt(sockets[own], &small, PATIENCE_NS, &channel);
	if (!result) {
		nipc_set_timeout(channel, PATIENCE_NS);
		result = talk_to_the_dying(channel, random, child);
	} else {
		kill(child, SIGKILL);
		result = -ECONNABORTED;
	}
	nipc_close(channel);
	waitpid(child, NULL, 0);
	return result == 0 || result == -EPIPE ? NULL : "neither end of file nor -EPIPE";
}
