/* explain.c - what a channel is made of and does, for people and for programs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/nipc/nipc_int.h"

/* A text that grows; what does not fit is left out. */
struct text {
	char *buffer;
	size_t nbytes, used;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->buffer + text->used, text->nbytes - text->used, format, args);
	va_end(args);
	if (length > 0)
		text->used += (size_t)length;
	if (text->used >= text->nbytes)
		text->used = text->nbytes - 1;
}

static const char *mode_word(uint32_t mode)
{
	static const char *const words[] = {"pipelined from two chunks on", "whole", "pipelined"};

	return words[mode];
}

static void say_own(struct text *text, const struct ipc_region *region)
{
	say(text, "own region: %zu bytes, %u lines, %s%s\n", region->capacity, region->slots,
		region->has_hugepages ? "huge pages" : "pages of the usual size",
		region->is_locked ? ", locked in memory" : "");
}

static void say_hugepages(struct text *text, const struct nipc *channel)
{
	if (channel->own.has_hugepages)
		return;
	if (channel->attr.flags & NIPC_NO_HUGEPAGES)
		say(text, "  no huge pages: NIPC_NO_HUGEPAGES was given\n");
	else
		say(text, "  no huge pages: the capacity is below 2 MiB, or there are none; make "
			  "some: sysctl vm.nr_hugepages=N\n");
}

/* Of chunks that are sent, where the caller has no wish. */
static void say_near(struct text *text, const struct ipc_near *near)
{
	if (near->ticks[0] && near->ticks[1])
		say(text, "  64 KB copied to the cache take %llu ticks, past it %llu: %s\n",
			(unsigned long long)near->ticks[0], (unsigned long long)near->ticks[1],
			ipc_near_is_past(near) ? "past the cache" : "to the cache");
}

static void say_half(struct text *text, const char *name, const struct ipc_half *half)
{
	char words[1024] = "", *rest;

	say(text, "%s: engine %s (%s)\n", name, half->engine.ops->name, half->engine.ops->summary);
	half->engine.ops->explain(&half->engine, words, sizeof words);
	for (const char *line = strtok_r(words, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest))
		say(text, "  %s\n", line);
	say_near(text, &half->near);
	say(text, "  slept %llu times, woke the peer %llu times\n",
		(unsigned long long)half->sleep_count, (unsigned long long)half->wake_count);
}

static void say_all(struct text *text, const struct nipc *channel)
{
	say(text, "channel with process %d of user %u%s\n", (int)channel->peer.pid,
		channel->peer.uid,
		ipc_is_broken(channel) ? ", which broke the protocol"
		: ipc_is_gone(channel) ? ", which has gone"
				       : "");
	say_own(text, &channel->own);
	say_hugepages(text, channel);
	say(text, "peer's region: %zu bytes, %u lines, of pages as the peer made them\n",
		channel->theirs.capacity, channel->theirs.slots);
	say(text, "messages of at most %d bytes in lines; larger ones %s\n", NIPC_SMALL,
		mode_word(channel->attr.how.mode));
	say(text, "waiting: %s; the sender %s\n",
		channel->sender.half.spin.processors == 1
			? "the peer has the same processor, so it sleeps at once"
			: "looks for some microseconds, then sleeps",
		channel->fences ? "fences each line, as an end has no membarrier"
				: "fences nothing (membarrier)");
	say_half(text, "sending", &channel->sender.half);
	say_half(text, "receiving", &channel->receiver.half);
}

const char *nipc_explain(struct nipc *channel, char *buffer, size_t nbytes)
{
	struct text text = {buffer, nbytes, 0};

	if (!nbytes)
		return buffer;
	buffer[0] = '\0';
	if (ipc_check(channel))
		return nipc_detail(channel, buffer, nbytes);
	say_all(&text, channel);
	return buffer;
}

int nipc_info(struct nipc *channel, struct nipc_info *info)
{
	const struct ipc_sender *sender;
	const struct ipc_receiver *receiver;

	if (ipc_check(channel))
		return -EBADF;
	if (!info)
		return ipc_fail(channel, EINVAL, "there is no place for what is going on");
	sender = &channel->sender;
	receiver = &channel->receiver;
	*info = (struct nipc_info){
		.peer_pid = channel->peer.pid,
		.peer_uid = channel->peer.uid,
		.capacity = channel->own.capacity,
		.peer_capacity = channel->theirs.capacity,
		.sent_messages = sender->messages,
		.sent_bytes = sender->bytes,
		.received_messages = receiver->messages,
		.received_bytes = receiver->bytes,
		.small_messages = sender->small + receiver->small,
		.copied_bytes = sender->copied + receiver->copied,
		.sleeps = sender->half.sleep_count + receiver->half.sleep_count,
		.wakes = sender->half.wake_count + receiver->half.wake_count,
		.has_hugepages = channel->own.has_hugepages,
	};
	return 0;
}
