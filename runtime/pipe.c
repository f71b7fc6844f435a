/* pipe.c - pipes are made, also for processes that have made them; handles of their ends. */
#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"

/* How long closed pipes may be on their way back from the device. */
static const int64_t id_timeout_ns = 1000ll * 1000 * 1000;

/* ---- handles --------------------------------------------------------------------------------- */

static struct npipe *make_handle(struct nproc_device *device, struct nchan_end *end, bool writes)
{
	struct npipe *handle = pool_take(&device->npipes);

	if (!handle)
		return NULL;
	*handle = (struct npipe){
		.device = device,
		.end = end,
		.timeout_ns = NPROC_FOREVER,
		.pipe = nchan_pipe_of(end),
		.writes = writes,
		.is_of_packets = nchan_is_of_packets(end) && !nchan_is_of_calls(end),
		.is_of_calls = nchan_is_of_calls(end),
	};
	device->pipes[handle->pipe].handles++;
	device->pipes[handle->pipe].reading_handles += !writes;
	return handle;
}

static int fail_memory(struct nproc_device *device)
{
	return device_fail(device, ENOMEM,
		"no memory for another pipe at the host: close pipes that are not used");
}

struct npipe *pipe_take_back(struct nproc_device *device, uint32_t id, unsigned core, bool writes)
{
	struct nchan_place *place = &device->port.place;
	struct nchan_end *end = nchan_take_back(place, id, core + 1, writes);
	struct npipe *handle = end ? make_handle(device, end, writes) : NULL;

	if (handle && device->pipes[id].handles == 1)
		device->pipes_away--;
	if (end && !handle)
		(writes ? nchan_drop_writer : nchan_drop_reader)(place, end);
	return handle;
}

/* ---- making pipes ---------------------------------------------------------------------------- */

static struct pipe *init_pipe(struct nproc_device *device, uint32_t id, uint8_t mode)
{
	struct pipe *pipe = &device->pipes[id];

	TAILQ_INIT(&pipe->readers);
	TAILQ_INIT(&pipe->writers);
	pipe->handles = 0;
	pipe->reading_handles = 0;
	pipe->mode = mode;
	return pipe;
}

static struct nchan_end *make_pipe(struct nproc_device *device, uint32_t id, uint8_t mode)
{
	init_pipe(device, id, mode);
	return nchan_create(&device->port.place, id | (uint32_t)mode << NCHAN_MODE_SHIFT);
}

/* For a pipe that a core has made; 0: there is no id, or no memory. */
static uint32_t make_away(struct nproc_device *device, unsigned core)
{
	uint32_t id = ids_take(&device->pipe_ids);
	struct pipe *pipe = id ? init_pipe(device, id, 0) : NULL;

	if (!pipe)
		return 0;
	if (admission_charge_home(device, core, pipe)) {
		if (nchan_create_away(&device->port.place, id, core + 1)) {
			device->pipes_away++;
			return id;
		}
		admission_release(device, pipe);
	}
	ids_put(&device->pipe_ids, id);
	return 0;
}

bool pipe_receive_name(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	uint64_t name = line->word[0];

	/* A core asks again when it has the answer: else it could fill the host's memory. */
	if (nchan_head_length(line->head) != 0 || notice_waits(device, core, NCHAN_NAME))
		return false;
	notice_send(device, core, nchan_head(NCHAN_NAME, sizeof(name), make_away(device, core), 0),
		&name);
	return true;
}

static int make_both(struct nproc_device *device, uint32_t id, uint8_t mode, struct npipe *end[2])
{
	struct nchan_end *both = make_pipe(device, id, mode);

	if (!both) {
		ids_put(&device->pipe_ids, id);
		return fail_memory(device);
	}
	end[0] = make_handle(device, both, false);
	end[1] = make_handle(device, both, true);
	if (end[0] && end[1])
		return 0;
	for (int i = 0; i < 2; i++) {
		if (end[i])
			pool_put(&device->npipes, end[i]);
		end[i] = NULL;
	}
	device->pipes_away++; /* until it is forgotten, which is now */
	nchan_drop_reader(&device->port.place, both);
	nchan_drop_writer(&device->port.place, nchan_find(&device->port.place, id));
	return fail_memory(device);
}

/* A thread that waits for an id. */
struct pipe_seeker {
	TAILQ_ENTRY(pipe_seeker) all;
};

static bool is_first(const struct nproc_device *device, const struct pipe_seeker *seeker)
{
	const struct pipe_seeker *first = TAILQ_FIRST(&device->pipe_seekers);

	return !first || first == seeker;
}

/* In the order in which they came: else an id that comes back is always another thread's. */
static int wait_for_id(struct nproc_device *device, uint32_t *id)
{
	struct port_patience patience = port_patience(id_timeout_ns);
	struct port_waiter waiter = {.state = 0};
	struct pipe_seeker seeker;
	bool is_over = false;
	int result;

	TAILQ_INSERT_TAIL(&device->pipe_seekers, &seeker, all);
	do {
		result = port_wait(device, &device->port.room_waiters, &waiter, &patience);
		if (!result && is_first(device, &seeker)) {
			*id = ids_take(&device->pipe_ids);
			is_over = *id || !device->pipes_away;
		}
	} while (!result && !is_over);
	TAILQ_REMOVE(&device->pipe_seekers, &seeker, all);
	if (!TAILQ_EMPTY(&device->pipe_seekers))
		port_call_all(device, &device->port.room_waiters);
	return result;
}

/*
 * An id, 0: there is none. One whose pipe is closed comes back from the device in a moment; it may
 * also be that processes keep the pipe.
 */
static int take_id(struct nproc_device *device, uint32_t *id)
{
	bool others_wait = !is_first(device, NULL);
	int result;

	*id = others_wait ? 0 : ids_take(&device->pipe_ids);
	if (*id || (!others_wait && !device->pipes_away))
		return 0;
	result = wait_for_id(device, id);
	return *id || result == -ETIMEDOUT || result == -EDEADLK || result == -EPERM ? 0 : result;
}

static uint8_t mode_of(const struct npipe_attr *attr)
{
	_Static_assert((int)NPIPE_CAPACITY_MAX == (int)NCHAN_CAPACITY_MAX, "one limit");
	if (attr->flags & NPIPE_CALL)
		return NCHAN_CALLS;
	return (uint8_t)(attr->capacity | (attr->flags & NPIPE_PACKET ? NCHAN_PACKETS : 0));
}

static int fail_full(struct nproc_device *device)
{
	return device_fail(device, EMFILE,
		"the device has %" PRIu32 " pipes, all it can (processes alone have %" PRIu32
		" of them): close some, or open it with pipes=N",
		device->host.identity.pipes_max, device->pipes_away);
}

static int check_attr(struct nproc_device *device, const struct npipe_attr *attr)
{
	if (attr->flags & ~(uint32_t)(NPIPE_PACKET | NPIPE_CALL))
		return device_fail(device, EINVAL,
			"flags %#" PRIx32 " of a pipe: there are NPIPE_PACKET and NPIPE_CALL",
			attr->flags);
	if (attr->flags & NPIPE_CALL && (attr->flags != NPIPE_CALL || attr->capacity))
		return device_fail(device, EINVAL,
			"NPIPE_CALL goes with no other flag and no capacity: one request is out "
			"at a time");
	if (attr->flags & NPIPE_CALL && !(device->host.identity.capabilities & NREG_COHERENT))
		return device_fail(device, EOPNOTSUPP,
			"the device %s shares no coherent memory with the host, which calls need: "
			"use two pipes",
			device->host.name);
	if (attr->capacity > NPIPE_CAPACITY_MAX)
		return device_fail(device, EINVAL,
			"a capacity of %" PRIu32 " lines: at most %d; 0 lets it grow with use",
			attr->capacity, NPIPE_CAPACITY_MAX);
	return 0;
}

int npipe_create_with(
	struct nproc_device *device, struct npipe *end[2], const struct npipe_attr *attr)
{
	static const struct npipe_attr usual = NPIPE_ATTR_INIT;
	uint32_t id;
	int result;

	if (!end)
		return device_fail_nowhere(device);
	attr = attr ? attr : &usual;
	end[0] = end[1] = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	result = check_attr(device, attr);
	if (result)
		return result;
	port_enter(device);
	port_receive(device);
	result = take_id(device, &id);
	if (!result)
		result = id ? make_both(device, id, mode_of(attr), end) : fail_full(device);
	port_leave(device);
	return result;
}

int npipe_create(struct nproc_device *device, struct npipe *end[2])
{
	return npipe_create_with(device, end, NULL);
}

int npipe_dup(struct npipe *end, struct npipe **copy)
{
	int result = -EBADF;

	if (!copy)
		return device_fail_nowhere(end ? end->device : NULL);
	*copy = NULL;
	if (!end || !device_is_usable(end->device))
		return -EBADF;
	if (end->is_of_calls && !end->writes)
		return device_fail(end->device, EINVAL,
			"calls are answered by one process: give it this end itself");
	port_enter(end->device);
	if (end->end) {
		*copy = make_handle(end->device, end->end, end->writes);
		result = *copy ? 0 : fail_memory(end->device);
	}
	if (*copy)
		nchan_dup(end->end, end->writes);
	device_note(end->device, result);
	port_leave(end->device);
	return result;
}

int npipe_set_timeout(struct npipe *end, int64_t timeout_ns)
{
	if (!end || !device_is_usable(end->device))
		return -EBADF;
	lock_take(&end->device->port.lock);
	end->timeout_ns = timeout_ns;
	lock_release(&end->device->port.lock);
	return 0;
}

void pipe_close(struct npipe *end)
{
	struct nproc_device *device = end->device;

	if (end->fd)
		end_fd_destroy(end->fd);
	if (end->end)
		pipe_loses_handle(device, &device->pipes[end->pipe], end->writes);
	if (end->end && end->writes)
		nchan_drop_writer(&device->port.place, end->end);
	else if (end->end)
		nchan_drop_reader(&device->port.place, end->end);
	pool_put(&device->npipes, end);
}

void npipe_close(struct npipe *end)
{
	struct nproc_device *device = end ? end->device : NULL;

	if (!device_is_usable(device))
		return;
	port_enter(device);
	pipe_close(end);
	port_leave(device);
}
