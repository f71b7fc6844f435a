/*
 * recall.c - where memory is not coherent: what processes have stored in far memory, and never
 * published, must not come back over what its next owner stores there. So before memory that was
 * used is given away anew, the device is asked to let go of it (docs/protocol.md, "Recalls").
 */
#include <errno.h>
#include <time.h>

#include "host/cancel.h"
#include "runtime/device_int.h"

enum {
	NAP_NS = 50 * 1000,
	PATIENCE_S = 10,
};

void recall_create(struct nproc_device *device)
{
	pthread_mutex_init(&device->recall_lock, NULL);
}

void recall_destroy(struct nproc_device *device)
{
	pthread_mutex_destroy(&device->recall_lock);
}

static bool is_done(const struct nproc_device *device, uint64_t serial)
{
	return nchan_hear(device->host.caches, &nreg_offer(device->host.region)->recalled) ==
	       serial;
}

/* Until the device's answer, or none has come for long. */
static bool ask(struct nproc_device *device, const struct far_extent *extent)
{
	const int64_t deadline_ns = nhost_deadline_ns(PATIENCE_S * INT64_C(1000000000));
	const struct timespec nap = {.tv_nsec = NAP_NS};
	struct nreg_recall *line = nreg_recall(device->host.region);
	uint64_t serial = nchan_load(&line->serial) + 1;

	nchan_store(&line->offset, extent->base - device->far.base);
	nchan_store(&line->nbytes, extent->nbytes);
	nchan_tell(device->host.caches, &line->serial, serial);
	while (!is_done(device, serial)) {
		if (nhost_clock_ns() >= deadline_ns)
			return is_done(device, serial);
		nanosleep(&nap, NULL);
	}
	return true;
}

int recall(struct nproc_device *device, const struct far_extent *extent)
{
	int cancel = nhost_cancel_hold();
	bool is_well;

	pthread_mutex_lock(&device->recall_lock);
	is_well = ask(device, extent);
	pthread_mutex_unlock(&device->recall_lock);
	nhost_cancel_release(cancel);
	if (is_well)
		return 0;
	return device_fail(device, ENODEV,
		"the device %s does not let go of far memory that was used before: is it stopped, or "
		"has it ended?",
		device->host.name);
}
