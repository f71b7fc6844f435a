#include "host/region_numa.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/region.h"

enum {
	NODES_MAX = 1024, /* as in the kernel */
	LINE_MAX_BYTES = 8192,
};

/* ---- sysfs ----------------------------------------------------------------------------------- */

static bool read_line(const char *folder, const char *name, char *line, size_t nbytes)
{
	char path[512];
	FILE *file;
	bool is_there;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	is_there = fgets(line, (int)nbytes, file);
	fclose(file);
	return is_there;
}

/* "0-2,5": is this number in it? */
static bool list_has(const char *list, unsigned number)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (number >= first && number <= last)
			return true;
		list = *end == ',' ? end + 1 : "";
	}
	return false;
}

/* What the kernel says of all nodes. */
struct nodes {
	const char *folder;
	char with_memory[LINE_MAX_BYTES], with_processors[LINE_MAX_BYTES];
	unsigned here; /* this thread's node */
};

/* 0: not known. */
static unsigned distance_of(const struct nodes *nodes, unsigned node)
{
	char line[LINE_MAX_BYTES], name[64], *at = line, *end;
	unsigned distance = 0;

	snprintf(name, sizeof(name), "node%u/distance", nodes->here);
	if (!read_line(nodes->folder, name, line, sizeof(line)))
		return 0;
	/* In the order of the nodes that are online. */
	for (unsigned i = 0; i <= node && *at; i++, at = end) {
		char online[LINE_MAX_BYTES];

		if (read_line(nodes->folder, "online", online, sizeof(online)) &&
			!list_has(online, i)) {
			end = at;
			continue;
		}
		distance = (unsigned)strtoul(at, &end, 10);
		if (end == at)
			return 0;
	}
	return distance;
}

static int read_nodes(const char *folder, struct nodes *nodes, struct nhost_error *error)
{
	nodes->folder = folder;
	if (!read_line(folder, "has_memory", nodes->with_memory, sizeof(nodes->with_memory)))
		return nhost_fail(error, ENOSYS,
			"this kernel knows no NUMA nodes (there is no %s/has_memory): use another kind of "
			"device, or a kernel with CONFIG_NUMA",
			folder);
	if (!read_line(folder, "has_cpu", nodes->with_processors, sizeof(nodes->with_processors)))
		*nodes->with_processors = '\0';
	if (syscall(SYS_getcpu, NULL, &nodes->here, NULL))
		nodes->here = 0;
	return 0;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Is `node` a better choice than `best`, which is -1 at first? */
static bool is_better(const struct nodes *nodes, unsigned node, int best)
{
	bool is_bare = !list_has(nodes->with_processors, node);
	bool best_is_bare = best >= 0 && !list_has(nodes->with_processors, (unsigned)best);
	unsigned distance = distance_of(nodes, node);

	if (best < 0 || is_bare != best_is_bare)
		return best < 0 || is_bare;
	return is_bare ? distance < distance_of(nodes, (unsigned)best)
		       : distance > distance_of(nodes, (unsigned)best);
}

static int choose_far(const struct nodes *nodes, struct nhost_error *error)
{
	int best = -1;

	for (unsigned node = 0; node < NODES_MAX; node++)
		if (node != nodes->here && list_has(nodes->with_memory, node) &&
			is_better(nodes, node, best))
			best = (int)node;
	return best >= 0 ? best
			 : nhost_fail(error, ENODEV,
				   "this machine has no memory but that of node %u, which is near: "
				   "numa:%u takes it all the same",
				   nodes->here, nodes->here);
}

static int choose_number(const struct nodes *nodes, const char *place, struct nhost_error *error)
{
	char *end;
	unsigned long node = strtoul(place, &end, 10);

	if (*place < '0' || *place > '9' || *end)
		return nhost_fail(error, EINVAL,
			"numa:%s: the number of a node is wanted, or numa:far", place);
	if (node < NODES_MAX && list_has(nodes->with_memory, (unsigned)node))
		return (int)node;
	return nhost_fail(error, ENODEV, "there is no node %s with memory; nodes with memory: %.*s",
		place, (int)strcspn(nodes->with_memory, "\n"), nodes->with_memory);
}

int nhost_numa_choose(const char *folder, const char *place, struct nhost_error *error)
{
	struct nodes *nodes = malloc(sizeof(*nodes));
	int result;

	if (!nodes)
		return nhost_fail(error, ENOMEM, "out of memory");
	result = read_nodes(folder, nodes, error);
	if (!result)
		result = strcmp(place, "far") ? choose_number(nodes, place, error)
					      : choose_far(nodes, error);
	free(nodes);
	return result;
}

/* ---- binding --------------------------------------------------------------------------------- */

static int bind_to(const struct nhost_region *region, int node, struct nhost_error *error)
{
	unsigned long mask[NODES_MAX / (8 * sizeof(unsigned long))] = {0};

	mask[(size_t)node / (8 * sizeof(mask[0]))] = 1ul << (size_t)node % (8 * sizeof(mask[0]));
	if (!syscall(SYS_mbind, region->memory, region->nbytes, MPOL_BIND, mask, NODES_MAX,
		    MPOL_MF_MOVE))
		return 0;
	return nhost_fail(error, errno, "cannot bind memory to NUMA node %d: mbind(): %s", node,
		errno == ENOSYS ? "this kernel has no NUMA (CONFIG_NUMA)" : strerror(errno));
}

/* The first pages of both parts, made here and now: what is not there would be a signal later. */
static int check_pages(const struct nhost_region *region, const struct nreg_identity *identity,
	int node, struct nhost_error *error)
{
	void *pages[2] = {region->memory, (char *)region->memory + identity->far_offset};
	int nodes[2] = {-1, -1};

	if (madvise(pages[1], 4096, MADV_POPULATE_WRITE) && errno != EINVAL)
		return nhost_fail(
			error, ENOMEM, "NUMA node %d gives no memory: %s", node, strerror(errno));
	if (syscall(SYS_move_pages, 0, 2ul, pages, NULL, nodes, 0))
		return nhost_fail(error, errno,
			"cannot check on which NUMA node memory lies: move_pages(): %s",
			strerror(errno));
	for (unsigned i = 0; i < 2; i++)
		if (nodes[i] >= 0 && nodes[i] != node)
			return nhost_fail(error, ENOMEM,
				"memory bound to NUMA node %d came from node %d: is node %d full?",
				node, nodes[i], node);
	return 0;
}

static int create(const char *place, struct nreg_identity *identity, struct nhost_region *region,
	struct nhost_error *error)
{
	int node = nhost_numa_choose("/sys/devices/system/node", place, error);
	int result;

	if (node < 0)
		return node;
	result = nhost_memfd.create("", identity, region, error);
	if (result)
		return result;
	region->node = node;
	result = bind_to(region, node, error);
	if (!result)
		result = check_pages(region, identity, node, error);
	if (result)
		nhost_region_unmap(region);
	return result;
}

const struct nhost_region_kind nhost_numa = {
	.kind = "numa",
	.create = create,
	.is_zeroed = true,
};
