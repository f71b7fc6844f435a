/* pipe_wait.c - reading and writing at the host: attempts, and waits between them. */
#include <errno.h>

#include "runtime/device_int.h"

static bool is_open(const struct npipe *end)
{
	return end && device_is_usable(end->device);
}

static uint64_t at_most(size_t nbytes)
{
	return nchan_min(nbytes, INT64_MAX);
}

/* ---- writing ------------------------------------------------------------------------------------- */

static int64_t write_all(struct npipe *end, const char *bytes, uint64_t nbytes)
{
	struct nproc_device *device = end->device;
	struct port_patience patience = port_patience(end->timeout_ns);
	struct port_waiter waiter = {.state = 0};
	uint64_t done = 0;
	int64_t result;

	do {
		if (!end->end || !end->writes)
			return done ? (int64_t)done : -EBADF;
		result = nchan_write(&device->port.place, end->end, bytes + done, nbytes - done);
		if (result > 0)
			done += (uint64_t)result;
		else if (result == -EAGAIN)
			result = port_wait(
				device, &device->pipes[end->pipe].writers, &waiter, &patience);
	} while (result >= 0 && done < nbytes);
	return done ? (int64_t)done : result;
}

int64_t npipe_write(struct npipe *end, const void *bytes, size_t nbytes)
{
	int64_t result;

	if (!is_open(end))
		return -EBADF;
	port_enter(end->device);
	result = write_all(end, bytes, at_most(nbytes));
	port_leave(end->device);
	return result;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/*
 * While it waits, lines may have gone straight into the waiter's buffer: whatever the wait says, what is done counts.
 */
static int64_t read_into(struct npipe *end, struct port_waiter *waiter)
{
	struct nproc_device *device = end->device;
	struct port_patience patience = port_patience(end->timeout_ns);
	int64_t result = 0;

	do {
		uint64_t wanted = waiter->nbytes - waiter->done;

		if (!end->end || end->writes)
			return -EBADF;
		result = nchan_read(
			&device->port.place, end->end, waiter->bytes + waiter->done, wanted);
		if (!result)
			break;
		if (result > 0)
			waiter->done += (uint64_t)result;
		else if (result == -EAGAIN)
			result = port_wait(
				device, &device->pipes[end->pipe].readers, waiter, &patience);
	} while (result >= 0 && waiter->done < waiter->nbytes &&
		 (waiter->wants_all || !waiter->done));
	return result;
}

static int64_t read_bytes(struct npipe *end, void *bytes, size_t nbytes, bool wants_all)
{
	struct port_waiter waiter = {
		.bytes = bytes, .nbytes = at_most(nbytes), .wants_all = wants_all};
	int64_t result;

	if (!is_open(end))
		return -EBADF;
	port_enter(end->device);
	result = read_into(end, &waiter);
	port_leave(end->device);
	return waiter.done ? (int64_t)waiter.done : result;
}

int64_t npipe_read(struct npipe *end, void *bytes, size_t nbytes)
{
	return read_bytes(end, bytes, nbytes, false);
}

int64_t npipe_read_full(struct npipe *end, void *bytes, size_t nbytes)
{
	return read_bytes(end, bytes, nbytes, true);
}
