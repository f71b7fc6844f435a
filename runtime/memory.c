/* memory.c - far memory for the program, given away and taken back. */
#include <errno.h>
#include <inttypes.h>

#include "runtime/device_int.h"
#include "runtime/window.h"

static int fail_full(struct nproc_device *device, uint64_t nbytes)
{
	return device_fail(device, ENOMEM,
		"no %" PRIu64 " bytes of far memory in one piece: %" PRIu64 " of %" PRIu64
		" are free, the largest piece has %" PRIu64
		"; free some, or open the device with far=SIZE",
		nbytes, device->far.free_nbytes, device->far.nbytes, far_largest(&device->far));
}

/* For a device outside, which gives the next host zeroed memory; before this one writes to it. */
static void tell_used(struct nproc_device *device)
{
	nchan_tell(device->host.caches, &nreg_claim(device->host.region)->far_used,
		device->far.touched_end - device->far.base);
}

/*
 * Where memory is not coherent, no line of a former use may go back over what comes now, and the
 * zeroes are for both sides.
 */
static void zero(
	const struct nproc_device *device, const struct far_extent *extent, uint64_t stale_nbytes)
{
	void *memory = (void *)(uintptr_t)extent->base;

	nchan_refresh(device->host.caches, memory, extent->nbytes);
	if (!stale_nbytes)
		return;
	window_zero(device, memory, stale_nbytes);
	nchan_publish(device->host.caches, memory, stale_nbytes);
}

static void give_back(struct nproc_device *device, struct far_extent **extent)
{
	port_enter(device);
	far_free(&device->far, *extent);
	port_leave(device);
	*extent = NULL;
}

int memory_alloc(struct nproc_device *device, uint64_t nbytes, struct far_extent **extent)
{
	uint64_t stale_nbytes = 0;
	int result = 0;

	port_enter(device);
	*extent = far_alloc(&device->far, nbytes, &stale_nbytes);
	if (!*extent)
		result = fail_full(device, nbytes);
	tell_used(device);
	port_leave(device);
	if (result)
		return result;
	/* Nobody else knows this memory yet, so the lock need not be held for long. */
	if (stale_nbytes && device->host.caches)
		result = recall(device, *extent);
	if (result)
		give_back(device, extent);
	else
		zero(device, *extent, stale_nbytes);
	return result;
}

int memory_free(struct nproc_device *device, struct far_extent *extent)
{
	if (grants_forget(&device->grants, extent))
		return device_fail(device, EBUSY,
			"far memory at 0x%" PRIx64
			" was granted to a process that is alive: wait for it",
			extent->base);
	far_free(&device->far, extent);
	return 0;
}

int nmem_alloc(struct nproc_device *device, size_t nbytes, void **pointer)
{
	struct far_extent *extent;
	int result;

	if (!pointer)
		return device_fail_nowhere(device);
	*pointer = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	if (!nbytes)
		return device_fail(device, EINVAL, "an allocation of 0 bytes");
	result = memory_alloc(device, nbytes, &extent);
	if (!result)
		*pointer = (void *)(uintptr_t)extent->base;
	return result;
}

int nmem_alloc_near(struct nproc_device *device, int core, size_t nbytes, void **pointer)
{
	unsigned cores = device_is_usable(device) ? device_core_count(device) : 0;

	if (!pointer)
		return device_fail_nowhere(device);
	*pointer = NULL;
	if (!cores)
		return -EBADF;
	if (core < 0 || (unsigned)core >= cores)
		return device_fail(
			device, EINVAL, "core %d: the device has cores 0 to %u", core, cores - 1);
	return nmem_alloc(device, nbytes, pointer); /* a region has one memory */
}

static int free_at(struct nproc_device *device, const void *pointer)
{
	uint64_t address = (uintptr_t)pointer;
	struct far_extent *extent = far_find(&device->far, address);

	if (!extent || extent->base != address)
		return device_fail(device, EINVAL, "%p is not the start of an allocation", pointer);
	if (extent->is_arena)
		return device_fail(device, EINVAL, "%p is an arena: destroy that", pointer);
	return memory_free(device, extent);
}

int nmem_free(struct nproc_device *device, void *pointer)
{
	int result;

	if (!device_is_usable(device))
		return -EBADF;
	if (!pointer)
		return 0;
	port_enter(device);
	result = free_at(device, pointer);
	port_leave(device);
	return result;
}
