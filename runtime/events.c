/*
 * events.c - what the channels tell the host's place. All are called with the lock held.
 */
#include <string.h>

#include "runtime/device_int.h"
#include "runtime/parts.h"

static struct pipe *pipe_of(struct nproc_device *device, const struct nchan_end *end)
{
	return &device->pipes[nchan_pipe_of(end)];
}

static uint64_t fill(struct port_waiter *reader, const char *bytes, uint64_t nbytes)
{
	uint64_t now = nchan_min(nbytes, reader->nbytes - reader->done);

	if (nchan_unlikely(reader->parts != NULL))
		parts_put(reader->parts, bytes, now);
	else
		memcpy(reader->bytes + reader->done, bytes, now);
	reader->done += now;
	return now;
}

static uint64_t serve(
	struct nproc_device *device, struct port_waiter *reader, const char *bytes, uint64_t nbytes)
{
	uint64_t done = fill(reader, bytes, nbytes);

	if (!reader->wants_all || reader->done == reader->nbytes)
		port_call(device, reader);
	return done;
}

/* One who looks for more than a message gets further ones behind it. */
static bool takes_packet(const struct port_waiter *reader, uint64_t nbytes)
{
	return nbytes <= reader->nbytes - reader->done && (reader->wants_all || !reader->done);
}

/* One message to one reader who has room for it, and has none yet. */
static uint64_t deliver_packet(struct nproc_device *device, struct port_waiters *readers,
	const char *bytes, uint64_t nbytes)
{
	struct port_waiter *reader;

	TAILQ_FOREACH(reader, readers, of_object)
	if (takes_packet(reader, nbytes))
		return serve(device, reader, bytes, nbytes);
	reader = port_own(&device->port, readers);
	return reader && takes_packet(reader, nbytes) ? serve(device, reader, bytes, nbytes) : 0;
}

/* Straight into the buffers of those who wait, in their order. */
static uint64_t deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	struct nproc_device *device = context;
	struct port_waiters *readers = &pipe_of(device, end)->readers;
	struct port_waiter *reader;
	const char *from = bytes;
	uint64_t done = 0;

	if (nchan_unlikely(nchan_is_of_packets(end)))
		return deliver_packet(device, readers, bytes, nbytes);
	TAILQ_FOREACH(reader, readers, of_object)
	{
		if (done == nbytes)
			return done;
		done += serve(device, reader, from + done, nbytes - done);
	}
	reader = port_own(&device->port, readers);
	if (reader && done < nbytes)
		done += serve(device, reader, from + done, nbytes - done);
	return done;
}

static void tell_others(struct nproc_device *device, struct pipe *pipe)
{
	watches_tell(device, &pipe->watches);
	port_tell_loop(device, &device->port);
}

static void readable(void *context, struct nchan_end *end)
{
	struct nproc_device *device = context;
	struct pipe *pipe = pipe_of(device, end);

	port_call_all(device, &pipe->readers);
	tell_others(device, pipe);
}

static void writable(void *context, struct nchan_end *end)
{
	struct nproc_device *device = context;
	struct pipe *pipe = pipe_of(device, end);

	port_call_all(device, &pipe->writers);
	tell_others(device, pipe);
}

static void forgotten(void *context, uint32_t pipe)
{
	struct nproc_device *device = context;

	call_put(device, &device->pipes[pipe]);
	admission_release(device, &device->pipes[pipe]);
	ids_put(&device->pipe_ids, pipe);
	device->pipes_away--;
	port_call_all(device, &device->port.room_waiters); /* one may want the id */
}

static bool message(void *context, unsigned from, const struct nchan_line *line)
{
	struct nproc_device *device = context;

	switch (nchan_head_kind(line->head)) {
	case NCHAN_EXIT:
		return exit_receive(device, from - 1, line);
	case NCHAN_WANT:
		return birth_receive(device, from - 1, line);
	case NCHAN_NAME:
		return pipe_receive_name(device, from - 1, line);
	case NCHAN_KILL:
		return birth_receive_kill(device, from - 1, line);
	case NCHAN_LOADED:
		return image_receive_loaded(device, from - 1, line);
	case NCHAN_LOG:
		return log_receive(device, from - 1, line);
	case NCHAN_STATE:
		return explain_receive(device, from - 1, line);
	default:
		return false;
	}
}

static void wake(void *context, unsigned place)
{
	struct nproc_device *device = context;

	device->host.ops->wake(&device->host, place - 1);
}

const struct nchan_events port_events = {
	.deliver = deliver,
	.readable = readable,
	.writable = writable,
	.forgotten = forgotten,
	.message = message,
	.wake = wake,
};
