#include "runtime/far.h"

#include <errno.h>
#include <stddef.h>

#include <nearside/nmem.h>

static struct far_extent *extent_of(struct tree_node *node)
{
	return (struct far_extent *)(void *)node; /* its first member */
}

static struct far_extent *make_extent(struct far_memory *far, uint64_t base, uint64_t nbytes)
{
	struct far_extent *extent = pool_take(&far->extents);

	if (extent)
		*extent = (struct far_extent){.base = base, .nbytes = nbytes};
	return extent;
}

static void list_free(struct far_memory *far, struct far_extent *extent)
{
	extent->node.major = extent->nbytes;
	extent->node.minor = extent->base;
	tree_insert(&far->free, &extent->node);
}

static void list_used(struct far_memory *far, struct far_extent *extent)
{
	extent->node.major = extent->base;
	extent->node.minor = 0;
	tree_insert(&far->used, &extent->node);
}

int far_create(struct far_memory *far, uint64_t base, uint64_t nbytes)
{
	struct far_extent *all;

	*far = (struct far_memory){
		.base = base,
		.nbytes = nbytes,
		.free_nbytes = nbytes,
		.touched_end = base,
		.extents = {.nbytes = sizeof(struct far_extent)},
	};
	all = make_extent(far, base, nbytes);
	if (!all)
		return -ENOMEM;
	list_free(far, all);
	return 0;
}

void far_destroy(struct far_memory *far)
{
	pool_destroy(&far->extents);
}

/* Cuts what is not needed off the end of an extent that is in no tree. False: no memory. */
static bool cut(struct far_memory *far, struct far_extent *extent, uint64_t nbytes)
{
	struct far_extent *rest;

	if (extent->nbytes == nbytes)
		return true;
	rest = make_extent(far, extent->base + nbytes, extent->nbytes - nbytes);
	if (!rest)
		return false;
	extent->nbytes = nbytes;
	rest->before = extent;
	rest->behind = extent->behind;
	if (rest->behind)
		rest->behind->before = rest;
	extent->behind = rest;
	list_free(far, rest);
	return true;
}

static uint64_t touch(struct far_memory *far, const struct far_extent *extent)
{
	uint64_t end = extent->base + extent->nbytes;
	uint64_t stale = far->touched_end > extent->base ? far->touched_end - extent->base : 0;

	if (end > far->touched_end) far
		->touched_end = end;
	return stale < extent->nbytes ? stale : extent->nbytes;
}

struct far_extent *far_alloc(struct far_memory *far, uint64_t asked, uint64_t *stale_nbytes)
{
	uint64_t nbytes = (asked + NMEM_ALIGN - 1) / NMEM_ALIGN * NMEM_ALIGN;
	struct tree_node *best = asked <= far->nbytes ? tree_at_least(&far->free, nbytes, 0) : NULL;
	struct far_extent *extent;

	if (!best)
		return NULL;
	extent = extent_of(best);
	tree_remove(&far->free, best);
	if (!cut(far, extent, nbytes)) {
		list_free(far, extent);
		return NULL;
	}
	extent->asked = asked;
	extent->is_arena = false;
	extent->uses = NULL;
	far->free_nbytes -= nbytes;
	*stale_nbytes = touch(far, extent);
	list_used(far, extent);
	return extent;
}

/* `second` follows `first` and is in no tree any more. */
static void merge(struct far_memory *far, struct far_extent *first, struct far_extent *second)
{
	first->nbytes += second->nbytes;
	first->behind = second->behind;
	if (first->behind)
		first->behind->before = first;
	pool_put(&far->extents, second);
}

static bool is_free(const struct far_extent *extent)
{
	return extent && !extent->asked;
}

void far_free(struct far_memory *far, struct far_extent *extent)
{
	struct far_extent *before = extent->before, *behind = extent->behind;

	tree_remove(&far->used, &extent->node);
	far->free_nbytes += extent->nbytes;
	extent->asked = 0;
	if (is_free(behind)) {
		tree_remove(&far->free, &behind->node);
		merge(far, extent, behind);
	}
	if (is_free(before)) {
		tree_remove(&far->free, &before->node);
		merge(far, before, extent);
		extent = before;
	}
	list_free(far, extent);
}

struct far_extent *far_find(const struct far_memory *far, uint64_t address)
{
	struct tree_node *node = tree_at_most(&far->used, address, 0);
	struct far_extent *extent = node ? extent_of(node) : NULL;

	return extent && address - extent->base < extent->asked ? extent : NULL;
}

uint64_t far_largest(const struct far_memory *far)
{
	struct tree_node *node = tree_last(&far->free);

	return node ? node->major : 0;
}
