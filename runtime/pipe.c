#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"

/* ---- handles ------------------------------------------------------------------------------------- */

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
	};
	device->pipes[handle->pipe].reading_handles += !writes;
	return handle;
}

static int fail_memory(struct nproc_device *device)
{
	return device_fail(device, ENOMEM,
		"no memory for another pipe at the host: close pipes that are not used");
}

/* ---- making pipes -------------------------------------------------------------------------------- */

static struct nchan_end *make_pipe(struct nproc_device *device, uint32_t id)
{
	struct pipe *pipe = &device->pipes[id];

	TAILQ_INIT(&pipe->readers);
	TAILQ_INIT(&pipe->writers);
	pipe->reading_handles = 0;
	return nchan_create(&device->port.place, id);
}

static int make_both(struct nproc_device *device, uint32_t id, struct npipe *end[2])
{
	struct nchan_end *both = make_pipe(device, id);

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
	nchan_drop_reader(&device->port.place, both);
	nchan_drop_writer(&device->port.place, nchan_find(&device->port.place, id));
	return fail_memory(device);
}

int npipe_create(struct nproc_device *device, struct npipe *end[2])
{
	uint32_t id;
	int result;

	end[0] = end[1] = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	port_enter(device);
	port_receive(device);
	id = ids_take(&device->pipe_ids);
	if (id)
		result = make_both(device, id, end);
	else
		result = device_fail(device, EMFILE,
			"the device has %" PRIu32
			" pipes, all it can: close some, or open it with pipes=N",
			device->host.identity.pipes_max);
	port_leave(device);
	return result;
}

int npipe_dup(struct npipe *end, struct npipe **copy)
{
	int result = -EBADF;

	*copy = NULL;
	if (!end || !device_is_usable(end->device))
		return -EBADF;
	port_enter(end->device);
	if (end->end) {
		*copy = make_handle(end->device, end->end, end->writes);
		result = *copy ? 0 : fail_memory(end->device);
	}
	if (*copy)
		nchan_dup(end->end, end->writes);
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

void npipe_close(struct npipe *end)
{
	struct nproc_device *device = end ? end->device : NULL;

	if (!device_is_usable(device))
		return;
	port_enter(device);
	if (end->end && end->writes) {
		nchan_drop_writer(&device->port.place, end->end);
	} else if (end->end) {
		device->pipes[end->pipe].reading_handles--;
		nchan_drop_reader(&device->port.place, end->end);
	}
	pool_put(&device->npipes, end);
	port_leave(device);
}
