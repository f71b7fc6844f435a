/* pipe_parts.c - reading and writing bytes that lie in several parts. */
#include <errno.h>

#include "runtime/device_int.h"
#include "runtime/parts.h"

enum {
	STAGED_BYTES = 16 * NPIPE_BUF /* whole lines, however the parts are cut */
};

static int check(const struct npipe *end, const struct iovec *parts, size_t count, uint64_t *nbytes)
{
	int64_t all;

	if (!end || !device_is_usable(end->device))
		return -EBADF;
	all = parts_nbytes(parts, count);
	if (all < 0)
		return device_fail(end->device, EINVAL,
			"%zu parts: at most %d, of 2^63 - 1 bytes in all, are read or written at "
			"once",
			count, NPIPE_PARTS_MAX);
	*nbytes = (uint64_t)all;
	return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int64_t try_write(struct npipe *end, struct parts *parts)
{
	char staged[STAGED_BYTES];
	size_t nbytes = parts_look(*parts, staged, sizeof(staged));
	int64_t result;

	if (!end->end || !end->writes || end->is_of_calls)
		return -EBADF;
	if (!nbytes && !end->is_of_packets)
		return 0;
	result = nchan_write(&end->device->port.place, end->end, staged, nbytes);
	if (result > 0)
		parts_skip(parts, (size_t)result);
	return result;
}

static int64_t write_parts(struct npipe *end, struct parts *parts, uint64_t nbytes)
{
	struct port_patience patience = port_patience(end->timeout_ns);
	struct port_waiters *writers = &end->device->pipes[end->pipe].writers;
	struct port_waiter waiter = {.state = 0};
	uint64_t done = 0;
	int64_t result;

	do {
		result = try_write(end, parts);
		if (result > 0)
			done += (uint64_t)result;
		else if (result == -EAGAIN)
			result = port_wait(end->device, writers, &waiter, &patience);
	} while (result >= 0 && done < nbytes);
	return done ? (int64_t)done : result;
}

int64_t npipe_writev(struct npipe *end, const struct iovec *parts, size_t count)
{
	struct parts rest = {parts, count, 0};
	uint64_t nbytes = 0;
	int64_t result = check(end, parts, count, &nbytes);

	if (result)
		return result;
	port_enter(end->device);
	return pipe_leave(end, write_parts(end, &rest, nbytes));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One message, which may lie in several parts. */
static int64_t try_read_packet(struct npipe *end, struct port_waiter *waiter)
{
	char packet[NPIPE_BUF];
	int64_t result = nchan_read(&end->device->port.place, end->end, packet,
		nchan_min(waiter->nbytes, sizeof(packet)));

	if (result <= 0)
		return result;
	parts_put(waiter->parts, packet, (size_t)result);
	waiter->done = (uint64_t)result;
	return result;
}

/* Takes what is there: 0 at the end of the stream, or when nothing is wanted. */
static int64_t try_read(struct npipe *end, struct port_waiter *waiter)
{
	int64_t result = 0;
	size_t piece;
	char *to;

	if (!end->end || end->writes || end->is_of_calls)
		return -EBADF;
	if (end->is_of_packets)
		return try_read_packet(end, waiter);
	while ((to = parts_piece(waiter->parts, &piece))) {
		result = nchan_read(&end->device->port.place, end->end, to, piece);
		if (result <= 0)
			break;
		parts_skip(waiter->parts, (size_t)result);
		waiter->done += (uint64_t)result;
	}
	return result;
}

/*
 * While it waits, lines may have gone straight into the parts: whatever the wait says, what is done
 * counts.
 */
static int64_t read_parts(struct npipe *end, struct port_waiter *waiter)
{
	struct port_patience patience = port_patience(end->timeout_ns);
	struct port_waiters *readers = &end->device->pipes[end->pipe].readers;
	int64_t result;

	do {
		result = try_read(end, waiter);
		if (result == -EAGAIN && !waiter->done)
			result = port_wait(end->device, readers, waiter, &patience);
		else
			break;
	} while (!result && !waiter->done);
	return waiter->done ? (int64_t)waiter->done : result;
}

int64_t npipe_readv(struct npipe *end, const struct iovec *parts, size_t count)
{
	struct parts rest = {parts, count, 0};
	struct port_waiter waiter = {.parts = &rest};
	int64_t result = check(end, parts, count, &waiter.nbytes);

	if (result)
		return result;
	port_enter(end->device);
	return pipe_leave(end, read_parts(end, &waiter));
}
