/* engine.c - who copies for nmem_copy(): the calling thread, or an engine that was asked for. */
#include <string.h>

#include "host/cancel.h"
#include "runtime/device_int.h"
#include "runtime/window.h"

/* An engine is for one thread at a time, and a copy may take long: who waits sleeps. */
static void take(struct nproc_device *device)
{
	pthread_mutex_lock(&device->engine_lock);
}

static void release(struct nproc_device *device)
{
	pthread_mutex_unlock(&device->engine_lock);
}

static bool is_wanted(const struct nproc_device *device)
{
	return __atomic_load_n(&device->has_engine, __ATOMIC_RELAXED);
}

void engine_create(struct nproc_device *device)
{
	pthread_mutex_init(&device->engine_lock, NULL);
}

void engine_destroy(struct nproc_device *device)
{
	nhost_engine_close(&device->engine);
	pthread_mutex_destroy(&device->engine_lock);
}

static bool overlap(const void *to, const void *from, size_t nbytes)
{
	uintptr_t first = (uintptr_t)to, second = (uintptr_t)from;

	return first - second < nbytes || second - first < nbytes;
}

/* Not with the lock of the port, which others want. */
static int copy(struct nproc_device *device, void *to, const void *from, size_t nbytes)
{
	struct nhost_op op;
	int cancel;

	if (!is_wanted(device)) {
		if (window_is(device) && !overlap(to, from, nbytes))
			window_copy(device, to, from, nbytes);
		else
			nhost_copy(to, from, nbytes, NHOST_NEAR_BY_SIZE);
		return 0;
	}
	nhost_copy_op(&op, to, from, nbytes);
	cancel = nhost_cancel_hold();
	take(device);
	if (device->engine.ops)
		nhost_engine_run(&device->engine, &op, 1);
	else
		nhost_op_by_cpu(&op);
	release(device);
	nhost_cancel_release(cancel);
	if (op.status)
		return device_fail(device, -op.status,
			"hardware did not answer, and may have moved a part of %zu bytes within "
			"ranges that overlap",
			nbytes);
	return 0;
}

int engine_copy(struct nproc_device *device, void *to, const void *from, size_t nbytes)
{
	const struct nchan_caches *caches = device->host.caches;
	bool is_to_far;
	int result;

	if (nchan_likely(!caches))
		return copy(device, to, from, nbytes);
	is_to_far = device_region_has(device, to, nbytes);
	if (device_region_has(device, from, nbytes))
		nchan_refresh(caches, from, nbytes);
	if (is_to_far)
		nchan_refresh(caches, to, nbytes);
	result = copy(device, to, from, nbytes);
	if (is_to_far)
		nchan_publish(caches, to, nbytes);
	return result;
}

static int change(struct nproc_device *device, const char *name, struct nhost_error *error)
{
	struct nhost_engine engine = {0};
	int result = name && strcmp(name, "cpu") != 0
			     ? nhost_engine_open(name, NULL, &engine, error)
			     : 0;

	if (result)
		return result;
	take(device);
	nhost_engine_close(&device->engine);
	device->engine = engine;
	__atomic_store_n(&device->has_engine, engine.ops != NULL, __ATOMIC_RELAXED);
	release(device);
	return 0;
}

int nmem_copy_engine(struct nproc_device *device, const char *name)
{
	struct nhost_error error;
	int cancel, result;

	if (!device_is_usable(device))
		return -EBADF;
	cancel = nhost_cancel_hold();
	result = change(device, name, &error);
	nhost_cancel_release(cancel);
	return result ? device_fail(device, -result, "%s", error.text) : 0;
}
