#include "host/nipc/poll.h"

#include <nearside/npipe.h>

#include "host/nipc/nipc_int.h"

static bool is_over(const struct nipc *channel)
{
	const uint64_t *closed = &ipc_region_control(&channel->theirs)->closed;

	return ipc_is_gone(channel) || ipc_is_broken(channel) || nchan_load(closed);
}

/* During a poll, what woke it in vain is taken away. */
static bool look(struct nipc *channel, struct ipc_half *half, ipc_ready_fn *ready)
{
	ipc_half_check_peer(channel, half);
	if (ready(channel, NULL))
		return true;
	if (half->polls)
		ipc_half_follow(channel, half, ready);
	return half->polls && ready(channel, NULL);
}

/* Where nothing is asked for, the receiver hears of the end. */
static bool reads(unsigned events)
{
	return events & NPOLL_READ || !(events & NPOLL_WRITE);
}

unsigned ipc_poll_look(struct nipc *channel, unsigned events)
{
	unsigned found = 0;

	if (ipc_check(channel))
		return NPOLL_ERROR;
	if (reads(events) && look(channel, &channel->receiver.half, ipc_take_ready))
		found |= events & NPOLL_READ;
	if (events & NPOLL_WRITE && look(channel, &channel->sender.half, ipc_send_ready))
		found |= NPOLL_WRITE;
	return is_over(channel) ? found | NPOLL_HANGUP : found;
}

struct nhost_spin *ipc_poll_spin(struct nipc *channel, unsigned events)
{
	if (ipc_check(channel))
		return NULL;
	return reads(events) ? &channel->receiver.half.spin : &channel->sender.half.spin;
}

void ipc_poll_learn(struct nhost_spin *spin)
{
	ipc_half_learn(spin);
}

/* Watched but for the time of the poll: else every call behind it would pay for that. */
static int begin(struct nipc *channel, struct ipc_half *half, ipc_ready_fn *ready)
{
	half->polls++;
	ipc_half_follow(channel, half, ready);
	return half->epoll;
}

static void end(struct nipc *channel, struct ipc_half *half)
{
	half->polls--;
	ipc_half_unwatch(channel, half);
}

void ipc_poll_begin(struct nipc *channel, unsigned events, int fds[2])
{
	fds[0] = fds[1] = -1;
	if (ipc_check(channel))
		return;
	if (reads(events))
		fds[0] = begin(channel, &channel->receiver.half, ipc_take_ready);
	if (events & NPOLL_WRITE)
		fds[1] = begin(channel, &channel->sender.half, ipc_send_ready);
}

void ipc_poll_end(struct nipc *channel, unsigned events)
{
	if (ipc_check(channel))
		return;
	if (reads(events))
		end(channel, &channel->receiver.half);
	if (events & NPOLL_WRITE)
		end(channel, &channel->sender.half);
}
