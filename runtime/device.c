/* device.c - devices are opened and closed. */
#include <errno.h>
#include <stdlib.h>

#include "host/cancel.h"
#include "host/fork.h"
#include "runtime/device_int.h"
#include "runtime/lazy.h"

static size_t pipes_nbytes(const struct nproc_device *device)
{
	return (device->host.identity.pipes_max + (size_t)1) * sizeof(struct pipe);
}

static size_t processes_nbytes(const struct nproc_device *device)
{
	return (device->host.identity.processes_max + (size_t)1) * sizeof(struct nproc *);
}

static int create_tables(struct nproc_device *device)
{
	const struct nreg_identity *identity = &device->host.identity;
	int result;

	device->npipes.nbytes = sizeof(struct npipe);
	device->nprocs.nbytes = sizeof(struct nproc);
	LIST_INIT(&device->images);
	LIST_INIT(&device->arenas);
	TAILQ_INIT(&device->exit_waiters);
	for (unsigned core = 0; core < identity->core_count; core++)
		TAILQ_INIT(&device->cores[core].victims);
	TAILQ_INIT(&device->pipe_seekers);
	births_create(device);
	notices_create(device);
	device->pipes = lazy_alloc(pipes_nbytes(device));
	device->processes = lazy_alloc(processes_nbytes(device));
	result = device->pipes && device->processes ? 0 : -ENOMEM;
	if (!result)
		result = ids_create(&device->pipe_ids, identity->pipes_max);
	if (!result)
		result = ids_create(&device->process_ids, identity->processes_max);
	if (!result)
		result = ids_create(&device->image_ids, IMAGES_MAX);
	if (!result)
		result = far_create(
			&device->far, identity->base + identity->far_offset, identity->far_bytes);
	if (!result)
		result = grants_create(&device->grants, identity->grant_sets_max);
	return result ? result : port_create(device);
}

/* Also of a device that was created in part. */
static void destroy_tables(struct nproc_device *device)
{
	engine_destroy(device);
	recall_destroy(device);
	loop_destroy(device);
	port_destroy(device);
	grants_destroy(&device->grants);
	far_destroy(&device->far);
	images_destroy(device);
	arenas_destroy(device);
	log_destroy(&device->log);
	ids_destroy(&device->image_ids);
	ids_destroy(&device->process_ids);
	ids_destroy(&device->pipe_ids);
	lazy_free(device->processes, processes_nbytes(device));
	lazy_free(device->pipes, pipes_nbytes(device));
	pool_destroy(&device->nprocs);
	pool_destroy(&device->npipes);
	pool_destroy(&device->births);
	pool_destroy(&device->notices);
}

static int open_region(struct nproc_device *device, const char *name)
{
	struct nhost_error error;
	int cancel = nhost_cancel_hold();
	int result = nhost_device_open(name, &device->host, &error);

	nhost_cancel_release(cancel);
	if (result)
		return device_fail(device, -result, "%s", error.text);
	engine_create(device);
	recall_create(device);
	result = create_tables(device);
	if (!result)
		return 0;
	destroy_tables(device);
	nhost_device_close(&device->host);
	return device_fail(device, -result, "no memory for the tables of the device");
}

int nproc_device_open(const char *name, struct nproc_device **device)
{
	struct nproc_device *new = device ? calloc(1, sizeof(*new)) : NULL;
	int result;

	if (!device)
		return -EINVAL;
	*device = new;
	if (!new)
		return -ENOMEM;
	new->guard = nhost_fork_guard_create();
	if (!new->guard)
		return device_fail(new, ENOSYS,
			"this system cannot wipe pages on fork: Linux 4.14 or newer is needed");
	result = open_region(new, name);
	new->is_open = !result;
	return result;
}

void nproc_device_close(struct nproc_device *device)
{
	if (!device)
		return;
	/*
	 * In a child of fork() locks may be held, and lists broken, by threads that are not there:
	 * leave all.
	 */
	if (device->guard && !nchan_load(device->guard))
		return;
	if (device->is_open) {
		int cancel = nhost_cancel_hold();

		relays_end(device);
		nhost_device_close(&device->host);
		destroy_tables(device);
		nhost_cancel_release(cancel);
	}
	nhost_fork_guard_destroy(device->guard);
	free(device);
}
