/* end_fd.c - descriptors of ends: npipe_fd(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device_int.h"

static void set(struct end_fd *end_fd, bool is_set)
{
	if (is_set && !end_fd->is_set)
		nhost_event_set(end_fd->event);
	if (!is_set && end_fd->is_set)
		nhost_event_clear(end_fd->event);
	end_fd->is_set = is_set;
}

void end_fd_follow(struct end_fd *end_fd)
{
	if (end_fd->end)
		set(end_fd, pipe_state(end_fd->end) & NCHAN_READY);
}

static void changed(struct nproc_device *device, struct watch *watch)
{
	(void)device;
	end_fd_follow((struct end_fd *)(void *)watch);
}

void end_fd_give_away(struct end_fd *end_fd)
{
	LIST_REMOVE(&end_fd->watch, of_object);
	end_fd->end = NULL;
	set(end_fd, true);
}

void end_fd_destroy(struct end_fd *end_fd)
{
	if (end_fd->end)
		LIST_REMOVE(&end_fd->watch, of_object);
	LIST_REMOVE(end_fd, of_device);
	nhost_event_close(end_fd->event);
	free(end_fd);
}

static int make(struct npipe *end)
{
	struct nproc_device *device = end->device;
	struct end_fd *end_fd = calloc(1, sizeof(*end_fd));
	int event = end_fd ? nhost_event_create() : -ENOMEM;

	if (event < 0) {
		free(end_fd);
		return device_fail(device, -event,
			"no descriptor for an end of a pipe: %s (ulimit -n)", strerror(-event));
	}
	*end_fd = (struct end_fd){.watch = {.changed = changed}, .end = end, .event = event};
	LIST_INSERT_HEAD(&device->pipes[end->pipe].watches, &end_fd->watch, of_object);
	LIST_INSERT_HEAD(&device->end_fds, end_fd, of_device);
	end->fd = end_fd;
	end_fd_follow(end_fd);
	return event;
}

int npipe_fd(struct npipe *end)
{
	int result = -EBADF;

	if (!end || !device_is_usable(end->device))
		return -EBADF;
	port_enter(end->device);
	if (end->fd)
		result = end->fd->event;
	else if (end->end)
		result = make(end);
	device_note(end->device, result);
	port_leave(end->device);
	return result;
}
