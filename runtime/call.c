/*
 * call.c - calls: a request and its answer in one line (channels/call.h).
 *
 *     lock; the request is stored; spins with the lock while that pays; the answer is read; unlock
 *
 * Where it does not come soon the call waits as all others do, and the place listens for it. A line
 * of calls is taken when a process is given the end that answers, and comes back when the pipe is
 * forgotten.
 */
#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"

/* ---- lines ----------------------------------------------------------------------------------- */

_Static_assert(
	(int)NCHAN_CALL_LINES == (int)NPIPE_CALLS_MAX, "a pipe of calls has a line of its own");
_Static_assert(NCHAN_CALL_LINES == 64, "call_lines has a bit for each");

static bool needs_line(const struct npipe *end)
{
	return end->is_of_calls && !end->writes;
}

static int take_line(struct nproc_device *device, unsigned core, struct pipe *pipe)
{
	uint64_t spare = ~device->call_lines;

	if (device->cores[core].calls == NPIPE_CALLS_PER_CORE)
		return device_fail(device, EMFILE,
			"core %u answers calls of %d pipes, all it can: close some, or spawn on "
			"another core",
			core, NPIPE_CALLS_PER_CORE);
	if (!spare)
		return device_fail(device, EMFILE,
			"processes answer calls of %d pipes, all that a device can have: close "
			"some",
			NPIPE_CALLS_MAX);
	pipe->call = (uint8_t)(__builtin_ctzll(spare) + 1);
	device->call_lines |= spare & -spare;
	device->cores[core].calls++;
	return 0;
}

static void put_line(struct nproc_device *device, unsigned core, struct pipe *pipe)
{
	device->call_lines &= ~(1ull << (pipe->call - 1));
	device->cores[core].calls--;
	pipe->call = 0;
}

int calls_take(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count)
{
	int result = 0;

	for (unsigned i = 0; i < count && !result; i++)
		if (nchan_unlikely(needs_line(ends[i])))
			result = take_line(device, core, &device->pipes[ends[i]->pipe]);
	if (result)
		calls_put_back(device, core, ends, count);
	return result;
}

void calls_put_back(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (needs_line(ends[i]) && device->pipes[ends[i]->pipe].call)
			put_line(device, core, &device->pipes[ends[i]->pipe]);
}

void calls_assign(struct nproc_device *device, struct npipe *const *ends, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (nchan_unlikely(needs_line(ends[i])))
			nchan_call_assign(&device->port.place, ends[i]->end,
				device->pipes[ends[i]->pipe].call - 1u);
}

void call_put(struct nproc_device *device, struct pipe *pipe)
{
	if (nchan_unlikely(pipe->call))
		put_line(device, pipe->home - 1u, pipe);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct request {
	const void *bytes;
	uint64_t nbytes;
};

static int64_t try_ask(struct npipe *end, const struct request *request)
{
	if (!end->end || !end->is_of_calls || !end->writes)
		return -EBADF;
	if (!end->timeout_ns)
		return -EINVAL;
	return nchan_call_ask(&end->device->port.place, end->end, request->bytes, request->nbytes);
}

static bool look_for_answer(const struct npipe *end)
{
	for (unsigned i = 0; i < NHOST_LOOKS; i++) {
		if (nchan_call_is_answered(&end->device->port.place, end->end))
			return true;
		nhost_pause();
	}
	return false;
}

/* With the lock, as long as that pays and nobody wants it (port.c). */
static bool spin_for_answer(const struct npipe *end)
{
	struct nproc_device *device = end->device;
	struct nhost_spin *spin = device->host.spin;

	if (!spin || device->port.is_draining)
		return false;
	while (!look_for_answer(end))
		if (lock_is_wanted(&device->port.lock) || nhost_is_crowded(spin) ||
			nchan_place_has_lines(&device->port.place) || !nhost_spin(spin))
			return false;
	nhost_spin_found(spin);
	return true;
}

struct wait {
	struct port_patience patience;
	struct port_waiter waiter;
};

static int64_t wait_at(struct npipe *end, struct wait *wait)
{
	return port_wait(end->device, &end->device->pipes[end->pipe].writers, &wait->waiter,
		&wait->patience);
}

/* Another thread's call is out, or an old one of which nobody wants the answer. */
static int64_t ask_later(struct npipe *end, const struct request *request, struct wait *wait)
{
	int64_t result;

	do {
		result = wait_at(end, wait);
		if (!result)
			result = try_ask(end, request);
	} while (result == -EAGAIN);
	return result;
}

static int64_t wait_for_answer(
	struct npipe *end, void *answer, uint64_t capacity, struct wait *wait)
{
	struct nchan_place *place = &end->device->port.place;
	int64_t result, error = 0;

	while ((result = nchan_call_take(place, end->end, answer, capacity)) == -EAGAIN && !error) {
		nchan_call_await(place, end->end);
		error = wait_at(end, wait);
	}
	if (result != -EAGAIN)
		return result;
	nchan_call_abandon(place, end->end);
	return error;
}

_Static_assert(NPIPE_BUF == 56, "as the texts say");

static int64_t explain(const struct npipe *end, int64_t result, uint64_t nbytes)
{
	if (result == -EMSGSIZE && nbytes > NPIPE_BUF)
		return device_fail(end->device, EMSGSIZE, "more than 56 bytes in one request");
	if (result == -EMSGSIZE)
		return device_fail(end->device, EMSGSIZE,
			"the answer was larger than the buffer, and is lost; none has more than "
			"56 bytes");
	if (result == -EINVAL && end->timeout_ns)
		return device_fail(end->device, EINVAL, "a request has 1 to 56 bytes, not 0");
	if (result == -EINVAL)
		return device_fail(end->device, EINVAL,
			"the handle's timeout is 0, and a call waits for its answer");
	return result;
}

/* Where the answer made no sense it is the device that has failed. */
static int64_t leave(struct npipe *end, int64_t result, uint64_t nbytes)
{
	int failure = result == -EPIPE ? port_check(end->device) : 0;

	return pipe_leave(end, failure ? failure : explain(end, result, nbytes));
}

/* After a first attempt to ask with this result, and some spinning. */
static int64_t call_slowly(struct npipe *end, const struct request *request, int64_t result,
	void *answer, uint64_t capacity)
{
	struct wait wait = {.patience = port_patience(end->timeout_ns)};

	if (result == -EAGAIN)
		result = ask_later(end, request, &wait);
	if (result > 0)
		result = wait_for_answer(end, answer, capacity, &wait);
	return leave(end, result, request->nbytes);
}

int64_t npipe_call(
	struct npipe *end, const void *request, size_t nbytes, void *answer, size_t capacity)
{
	const struct request asked = {request, nbytes};
	struct nproc_device *device = end ? end->device : NULL;
	int64_t result;

	if (!device_is_usable(device))
		return -EBADF;
	port_enter(device);
	result = try_ask(end, &asked);
	if (nchan_unlikely(result <= 0) || !spin_for_answer(end) || end->fd ||
		nchan_place_has_lines(&device->port.place))
		return call_slowly(end, &asked, result, answer, capacity);
	result = nchan_call_take(&device->port.place, end->end, answer, capacity);
	if (nchan_unlikely(result <= 0))
		return leave(end, result, nbytes);
	lock_release(&device->port.lock);
	return result;
}
