/* outside_file.c - devices that serve a region which lies in a file, or in a device DAX. */
#include <errno.h>
#include <stdio.h>

#include "host/outside.h"

static int open_once(const struct nhost_region_kind *kind, const struct nhost_options *options,
	int64_t deadline_ns, struct nhost_device *device, struct nhost_error *error)
{
	struct nhost_signs signs = {.has_heartbeat = true, .socket = -1, .process = -1};
	struct nhost_region region;
	struct nreg_identity identity;
	int result = kind->find(options->place, deadline_ns, &identity, &region, error);

	if (result)
		return result;
	/* On another machine a lock would not be seen here. */
	signs.has_lock = identity.machine && identity.machine == nhost_machine();
	if (signs.has_lock && !nhost_region_is_locked(region.fd, NHOST_LOCK_DEVICE)) {
		nhost_region_unmap(&region);
		return nhost_fail(error, ENODEV,
			"%s: the device that served this region has ended: start it again "
			"(nearside-device serve --file PATH)",
			options->place);
	}
	return nhost_outside_open(options, &region, &identity, signs, deadline_ns, device, error);
}

static int open_kind(const struct nhost_region_kind *kind, const struct nhost_options *options,
	struct nhost_device *device, struct nhost_error *error)
{
	int64_t deadline_ns = nhost_deadline_ns(NHOST_OUTSIDE_PATIENCE_S * 1000000000ll);
	int result;

	/* -EAGAIN: the device has laid the region out anew meanwhile. */
	do
		result = open_once(kind, options, deadline_ns, device, error);
	while (result == -EAGAIN && nhost_clock_ns() < deadline_ns);
	if (result == -EAGAIN)
		return nhost_fail(
			error, ETIMEDOUT, "%s: the device starts again and again", options->place);
	if (!result)
		snprintf(device->name, sizeof(device->name), "%s:%.240s", kind->kind,
			options->place);
	return result;
}

static int open_file(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	return open_kind(&nhost_file, options, device, error);
}

static int open_dax(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	return open_kind(&nhost_dax, options, device, error);
}

const struct nhost_device_ops nhost_device_dax = {
	.kind = "dax",
	.summary = "likewise; its region is a device DAX",
	.place = NHOST_PLACE,
	.is_made = true,
	.open = open_dax,
	NHOST_OUTSIDE_SLOTS,
};

const struct nhost_device_ops nhost_device_file = {
	.kind = "file",
	.summary = "a device outside this program; its region is a file",
	.place = NHOST_PLACE,
	.is_made = true,
	.open = open_file,
	NHOST_OUTSIDE_SLOTS,
};
