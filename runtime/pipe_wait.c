/* pipe_wait.c - reading and writing at the host: attempts, and waits between them. */
#include <errno.h>

#include "channels/quick.h"
#include "runtime/device_int.h"

static bool is_open(const struct npipe *end)
{
	return end && device_is_usable(end->device);
}

static uint64_t at_most(size_t nbytes)
{
	return nchan_min(nbytes, INT64_MAX);
}

/* Waits for something to happen at the end: 0, or why no other attempt is to be made. */
static int64_t wait_at(
	struct npipe *end, struct port_waiter *waiter, struct port_patience *patience)
{
	struct pipe *pipe = &end->device->pipes[end->pipe];

	return port_wait(
		end->device, end->writes ? &pipe->writers : &pipe->readers, waiter, patience);
}

/* The failures that only pipes of packets have. */
static void explain_packet(const struct npipe *end, int64_t result)
{
	if (result == -EINVAL)
		device_fail(end->device, EINVAL, "a message has 1 to %d bytes, not 0", NPIPE_BUF);
	else if (result == -EMSGSIZE && end->writes)
		device_fail(end->device, EMSGSIZE,
			"more than %d bytes in one message: write less, or use a pipe without "
			"NPIPE_PACKET",
			NPIPE_BUF);
	else if (result == -EMSGSIZE)
		device_fail(end->device, EMSGSIZE,
			"the next message is larger than the buffer; none has more than %d bytes",
			NPIPE_BUF);
}

int64_t pipe_leave(struct npipe *end, int64_t result)
{
	if (nchan_unlikely(end->fd != NULL))
		end_fd_follow(end->fd);
	if (nchan_unlikely(end->is_of_packets))
		explain_packet(end, result);
	result = device_note(end->device, result);
	port_leave(end->device);
	return result;
}

/*
 * The usual case leaves quickly: nobody else is concerned, and what has come from the device is
 * left to other calls.
 */
static bool is_done_at_once(struct npipe *end, int64_t result, size_t wanted)
{
	if (nchan_unlikely(result <= 0 || (uint64_t)result < wanted || end->fd != NULL))
		return false;
	lock_release(&end->device->port.lock);
	return true;
}

unsigned pipe_state(const struct npipe *end)
{
	struct nchan_place *place = &end->device->port.place;

	return end->writes ? nchan_writer_state(place, end->end)
			   : nchan_reader_state(place, end->end);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One attempt to write what is left. Without bytes there may be no buffer. */
static int64_t try_write(struct npipe *end, const char *bytes, uint64_t done, uint64_t nbytes)
{
	if (!end->end || !end->writes || end->is_of_calls)
		return -EBADF;
	if (done == nbytes && (done || !end->is_of_packets))
		return 0;
	return nchan_write(
		&end->device->port.place, end->end, done ? bytes + done : bytes, nbytes - done);
}

/* After a first attempt with this result. */
static int64_t write_all(struct npipe *end, const char *bytes, uint64_t nbytes, int64_t result)
{
	struct port_patience patience = port_patience(end->timeout_ns);
	struct port_waiter waiter = {.state = 0};
	uint64_t done = 0;

	for (;;) {
		if (result > 0)
			done += (uint64_t)result;
		else if (result == -EAGAIN)
			result = wait_at(end, &waiter, &patience);
		if (result < 0 || done == nbytes)
			return done ? (int64_t)done : result;
		result = try_write(end, bytes, done, nbytes);
	}
}

static bool writes_one_line(struct npipe *end, const void *bytes, size_t nbytes)
{
	return end->end && end->writes && !end->fd && !end->is_of_calls &&
	       nchan_write_line(&end->device->port.place, end->end, bytes, nbytes);
}

int64_t npipe_write(struct npipe *end, const void *bytes, size_t nbytes)
{
	int64_t result;

	if (!is_open(end))
		return -EBADF;
	port_enter(end->device);
	if (nchan_likely(writes_one_line(end, bytes, nbytes))) {
		lock_release(&end->device->port.lock);
		return (int64_t)nbytes;
	}
	result = try_write(end, bytes, 0, at_most(nbytes));
	if (is_done_at_once(end, result, nbytes))
		return result;
	return pipe_leave(end, write_all(end, bytes, at_most(nbytes), result));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One attempt to read what is still wanted. 0: the end, or nothing is wanted. */
static int64_t try_read(struct npipe *end, const struct port_waiter *waiter)
{
	uint64_t done = waiter->done;

	if (!end->end || end->writes || end->is_of_calls)
		return -EBADF;
	if (done == waiter->nbytes)
		return 0;
	return nchan_read(
		&end->device->port.place, end->end, waiter->bytes + done, waiter->nbytes - done);
}

static bool wants_more(const struct port_waiter *waiter)
{
	return waiter->done < waiter->nbytes && (waiter->wants_all || !waiter->done);
}

/*
 * After a first attempt with this result. While it waits, lines may have gone straight into the
 * waiter's buffer: whatever the wait says, what is done counts.
 */
static int64_t read_into(struct npipe *end, struct port_waiter *waiter, int64_t result)
{
	struct port_patience patience = port_patience(end->timeout_ns);

	while (result) {
		if (result > 0)
			waiter->done += (uint64_t)result;
		else if (result == -EAGAIN)
			result = wait_at(end, waiter, &patience);
		if (result < 0 || !wants_more(waiter))
			break;
		result = try_read(end, waiter);
	}
	return waiter->done ? (int64_t)waiter->done : result;
}

/*
 * Most reads wait for the next line that the device sends, and not for long. While nobody else
 * waits, what comes of this pipe goes straight into the buffer; anything else is left to
 * read_into().
 */
static bool may_take_lines(const struct npipe *end)
{
	return end->end && !end->writes && !end->fd && port_is_alone(&end->device->port);
}

static void take_lines(struct npipe *end, struct port_waiter *waiter)
{
	struct nchan_place *place = &end->device->port.place;
	uint64_t taken = 1;
	unsigned from;

	while (taken && wants_more(waiter) && (from = nchan_place_next(place)) < place->count) {
		taken = nchan_take_lines(place, end->end, from, waiter->bytes + waiter->done,
			waiter->nbytes - waiter->done);
		waiter->done += taken;
	}
}

static int64_t read_bytes(struct npipe *end, void *bytes, size_t nbytes, bool wants_all)
{
	struct port_waiter waiter = {
		.bytes = bytes, .nbytes = at_most(nbytes), .wants_all = wants_all};
	int64_t result = -EAGAIN;

	if (!is_open(end))
		return -EBADF;
	port_enter(end->device);
	if (may_take_lines(end))
		take_lines(end, &waiter);
	if (!waiter.done)
		result = try_read(end, &waiter);
	if (result == -EAGAIN && wants_more(&waiter) && may_take_lines(end) && end->timeout_ns &&
		port_spin(end->device))
		take_lines(end, &waiter);
	if (waiter.done && !wants_more(&waiter))
		result = (int64_t)waiter.done;
	if (is_done_at_once(end, result, wants_all ? nbytes : 1))
		return result;
	return pipe_leave(end, read_into(end, &waiter, result));
}

int64_t npipe_read(struct npipe *end, void *bytes, size_t nbytes)
{
	return read_bytes(end, bytes, nbytes, false);
}

int64_t npipe_read_full(struct npipe *end, void *bytes, size_t nbytes)
{
	return read_bytes(end, bytes, nbytes, true);
}
