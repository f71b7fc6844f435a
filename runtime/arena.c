#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/device_int.h"

struct nmem_arena {
	struct nproc_device *device;
	struct far_extent *extent;
	uint64_t used;
	LIST_ENTRY(nmem_arena) all;
};

enum {
	ALIGN_DEFAULT = 16,
	ALIGN_MAX = 4096,
};

int nmem_arena_create(struct nproc_device *device, size_t nbytes, struct nmem_arena **arena)
{
	struct nmem_arena *new;
	int result;

	if (!arena)
		return device_fail_nowhere(device);
	*arena = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	if (!nbytes)
		return device_fail(device, EINVAL, "an arena of 0 bytes");
	new = calloc(1, sizeof(*new));
	if (!new)
		return device_fail(device, ENOMEM, "no memory for an arena's record");
	new->device = device;
	result = memory_alloc(device, nbytes, &new->extent);
	if (result) {
		free(new);
		return result;
	}
	port_enter(device);
	new->extent->is_arena = true;
	LIST_INSERT_HEAD(&device->arenas, new, all);
	port_leave(device);
	*arena = new;
	return 0;
}

/* The offset of the next object, or -ENOMEM. */
static int64_t take(struct nmem_arena *arena, uint64_t nbytes, uint64_t align)
{
	uint64_t base = arena->extent->base, size = arena->extent->asked;
	uint64_t offset = ((base + arena->used + align - 1) & ~(align - 1)) - base;

	if (offset > size || nbytes > size - offset)
		return device_fail(arena->device, ENOMEM,
			"the arena of %" PRIu64 " bytes has %" PRIu64 " left, %" PRIu64
			" aligned to %" PRIu64 " were asked for: make it larger",
			size, size - arena->used, nbytes, align);
	arena->used = offset + nbytes;
	return (int64_t)offset;
}

int nmem_arena_alloc(struct nmem_arena *arena, size_t nbytes, size_t align, void **pointer)
{
	int64_t offset;

	if (!pointer)
		return device_fail_nowhere(arena ? arena->device : NULL);
	*pointer = NULL;
	if (!arena || !device_is_usable(arena->device))
		return -EBADF;
	align = align ? align : ALIGN_DEFAULT;
	if (!nbytes || align > ALIGN_MAX || align & (align - 1))
		return device_fail(arena->device, EINVAL,
			"%zu bytes aligned to %zu: at least one byte, and a power of two up to %d",
			nbytes, align, ALIGN_MAX);
	port_enter(arena->device);
	offset = take(arena, nbytes, align);
	port_leave(arena->device);
	if (offset < 0)
		return (int)offset;
	*pointer = (char *)(uintptr_t)arena->extent->base + offset;
	return 0;
}

int nmem_arena_destroy(struct nmem_arena *arena)
{
	int result;

	if (!arena)
		return 0;
	if (!device_is_usable(arena->device))
		return -EBADF;
	port_enter(arena->device);
	result = memory_free(arena->device, arena->extent);
	if (!result)
		LIST_REMOVE(arena, all);
	port_leave(arena->device);
	if (!result)
		free(arena);
	return result;
}

void arenas_destroy(struct nproc_device *device)
{
	while (!LIST_EMPTY(&device->arenas)) {
		struct nmem_arena *arena = LIST_FIRST(&device->arenas);

		LIST_REMOVE(arena, all);
		free(arena);
	}
}
