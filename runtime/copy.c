/*
 * copy.c - copying between far and local memory, with the checks that memcpy() lacks; and making
 * stores seen where memory is not coherent.
 */
#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"

enum range_kind {
	RANGE_LOCAL,
	RANGE_FAR,
};

static int check_allocation(struct nproc_device *device, uint64_t base, size_t nbytes)
{
	const struct far_extent *extent = far_find(&device->far, base);
	uint64_t left = extent ? extent->asked - (base - extent->base) : 0;

	if (!extent)
		return device_fail(
			device, EFAULT, "0x%" PRIx64 " is in no allocation of far memory", base);
	if (nbytes > left)
		return device_fail(device, EFAULT,
			"%zu bytes at 0x%" PRIx64 ": the allocation of %" PRIu64
			" bytes at 0x%" PRIx64 " has %" PRIu64 " from there on",
			nbytes, base, extent->asked, extent->base, left);
	return RANGE_FAR;
}

/* enum range_kind, or a negative errno. With the lock. */
static int check_range(struct nproc_device *device, const void *pointer, size_t nbytes)
{
	uint64_t base = (uintptr_t)pointer;

	if (nbytes > UINTPTR_MAX - base)
		return device_fail(device, EINVAL,
			"%zu bytes at %p go beyond the end of the address space", nbytes, pointer);
	if (!device_region_has(device, pointer, nbytes))
		return RANGE_LOCAL;
	return check_allocation(device, base, nbytes);
}

static int check_ranges(
	struct nproc_device *device, const void *to, const void *from, size_t nbytes)
{
	int kind = check_range(device, to, nbytes);
	int other = kind < 0 ? kind : check_range(device, from, nbytes);

	if (other < 0)
		return other;
	if (kind == RANGE_LOCAL && other == RANGE_LOCAL)
		return device_fail(device, EFAULT,
			"neither %p nor %p is in far memory of the device %s", to, from,
			device->host.name);
	return 0;
}

/* No more than whether it is far memory: these calls cost nothing where there is nothing to do. */
static int check_far(struct nproc_device *device, const void *bytes, size_t nbytes)
{
	uint64_t offset;

	if (!device_is_usable(device))
		return -EBADF;
	offset = (uintptr_t)bytes - device->far.base;
	if (offset <= device->far.nbytes && nbytes <= device->far.nbytes - offset)
		return 0;
	return device_fail(device, EFAULT, "%zu bytes at %p are not in far memory of the device %s",
		nbytes, bytes, device->host.name);
}

int nmem_publish(struct nproc_device *device, const void *pointer, size_t nbytes)
{
	int result = check_far(device, pointer, nbytes);

	if (!result)
		nchan_publish(device->host.caches, pointer, nbytes);
	return result;
}

int nmem_refresh(struct nproc_device *device, const void *pointer, size_t nbytes)
{
	int result = check_far(device, pointer, nbytes);

	if (!result)
		nchan_refresh(device->host.caches, pointer, nbytes);
	return result;
}

int nmem_copy(struct nproc_device *device, void *to, const void *from, size_t nbytes)
{
	int result;

	if (!device_is_usable(device))
		return -EBADF;
	if (!nbytes)
		return 0;
	port_enter(device);
	result = check_ranges(device, to, from, nbytes);
	port_leave(device);
	return result ? result : engine_copy(device, to, from, nbytes);
}
