#include "runtime/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "runtime/device_int.h"

static int fail_descriptor(struct nproc_device *device, int number)
{
	return device_fail(device, -number, "no descriptor for an event loop: %s (ulimit -n)",
		strerror(-number));
}

/* ---- the bell -------------------------------------------------------------------------------- */

int loop_need_bell(struct nproc_device *device)
{
	struct loop *loop = &device->port.loop;
	int result = loop->has_bell ? 0 : nhost_bell_create(&loop->bell);

	if (result)
		return fail_descriptor(device, result);
	loop->has_bell = true;
	return 0;
}

/* The lines are looked for behind listen(): one that came before it rings nobody. */
static int listen_now(struct nproc_device *device)
{
	struct port *port = &device->port;
	int result = device->host.ops->listen(&device->host, &port->loop.bell);

	if (!nchan_place_has_lines(&port->place))
		return result;
	nhost_bell_ring(&port->loop.bell);
	return result == -EDEADLK ? 0 : result;
}

int loop_listen(struct nproc_device *device)
{
	struct port *port = &device->port;
	struct nhost_bell *bell = &port->loop.bell;

	nhost_bell_quiet(bell);
	port_receive(device);
	nhost_bell_arm(bell);
	if (device->victim_count) {
		kills_review(device);
		nhost_bell_ring_after(bell, KILL_REVIEW_NS);
	}
	/* A drainer takes the lines, and listens again when it comes back. */
	return port->is_draining ? 0 : listen_now(device);
}

void loop_listen_again(struct nproc_device *device)
{
	listen_now(device);
}

void loop_ring(struct nproc_device *device)
{
	struct loop *loop = &device->port.loop;

	loop->is_armed = false;
	nhost_event_set(loop->event);
}

/* ---- the device's descriptor ----------------------------------------------------------------- */

static int add(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int make_descriptor(struct loop *loop)
{
	int result = nhost_event_create();

	if (result < 0)
		return result;
	loop->event = result;
	loop->fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->fd < 0) {
		result = -errno;
		nhost_event_close(loop->event);
		return result;
	}
	result = add(loop->fd, loop->event);
	if (!result)
		result = add(loop->fd, loop->bell.event);
	if (!result)
		result = add(loop->fd, loop->bell.timer);
	if (result) {
		nhost_event_close(loop->fd);
		nhost_event_close(loop->event);
	}
	return result;
}

/* It is readable at first, so that the program begins with nproc_device_dispatch(). */
static int need_descriptor(struct nproc_device *device)
{
	struct loop *loop = &device->port.loop;
	int result = loop_need_bell(device);

	if (result || loop->has_fd)
		return result;
	result = make_descriptor(loop);
	if (result)
		return fail_descriptor(device, result);
	loop->has_fd = true;
	nhost_event_set(loop->event);
	return 0;
}

int nproc_device_fd(struct nproc_device *device)
{
	int result;

	if (!device_is_usable(device))
		return -EBADF;
	lock_take(&device->port.lock);
	result = need_descriptor(device);
	if (!result)
		result = device->port.loop.fd;
	lock_release(&device->port.lock);
	return result;
}

int nproc_device_dispatch(struct nproc_device *device)
{
	struct loop *loop;
	int result;

	if (!device_is_usable(device))
		return -EBADF;
	loop = &device->port.loop;
	port_enter(device);
	result = need_descriptor(device);
	if (!result) {
		nhost_event_clear(loop->event);
		loop->is_armed = false;
		result = loop_listen(device);
		loop->is_armed = true;
		result = result && result != -EDEADLK ? port_fail_wait(device, result)
						      : port_check(device);
	}
	port_leave(device);
	return result;
}

void loop_destroy(struct nproc_device *device)
{
	struct loop *loop = &device->port.loop;

	while (!LIST_EMPTY(&device->end_fds))
		end_fd_destroy(LIST_FIRST(&device->end_fds));
	if (loop->has_fd) {
		nhost_event_close(loop->fd);
		nhost_event_close(loop->event);
	}
	if (loop->has_bell)
		nhost_bell_destroy(&loop->bell);
}
