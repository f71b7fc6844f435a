#include "host/region_numa.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/region.h"

/* ---- what libnuma says ----------------------------------------------------------------------- */

static bool has_processors(int node)
{
	struct bitmask *mask = numa_allocate_cpumask();
	bool has = mask && !numa_node_to_cpus(node, mask) && numa_bitmask_weight(mask);

	if (mask)
		numa_free_cpumask(mask);
	return has;
}

static bool has_memory(int node)
{
	return numa_bitmask_isbitset(numa_all_nodes_ptr, (unsigned)node) &&
	       numa_node_size64(node, NULL) > 0;
}

void nhost_nodes_read(struct nhost_nodes *nodes)
{
	int here, last;

	*nodes = (struct nhost_nodes){.count = 0};
	if (numa_available() < 0)
		return;
	here = numa_node_of_cpu(sched_getcpu());
	last = numa_max_node();
	nodes->here = here < 0 ? 0 : (unsigned)here;
	nodes->count = last < NHOST_NODES_MAX ? (unsigned)last + 1 : NHOST_NODES_MAX;
	for (unsigned i = 0; i < nodes->count; i++) {
		int node = (int)i;

		/* libnuma complains aloud when it is asked about others. */
		if (!numa_bitmask_isbitset(numa_nodes_ptr, i))
			continue;
		nodes->node[i].has_memory = has_memory(node);
		nodes->node[i].has_processors = has_processors(node);
		nodes->node[i].distance = (unsigned)numa_distance((int)nodes->here, node);
	}
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Is `node` a better choice than `best`, which is -1 at first? */
static bool is_better(const struct nhost_nodes *nodes, unsigned node, int best)
{
	bool is_bare = !nodes->node[node].has_processors;
	unsigned distance = nodes->node[node].distance;

	if (best < 0 || is_bare == nodes->node[best].has_processors)
		return best < 0 || is_bare;
	return is_bare ? distance < nodes->node[best].distance
		       : distance > nodes->node[best].distance;
}

static int choose_far(const struct nhost_nodes *nodes, struct nhost_error *error)
{
	int best = -1;

	for (unsigned node = 0; node < nodes->count; node++)
		if (node != nodes->here && nodes->node[node].has_memory &&
			is_better(nodes, node, best))
			best = (int)node;
	return best >= 0 ? best
			 : nhost_fail(error, ENODEV,
				   "this machine has no memory but that of node %u, which is near: "
				   "numa:%u takes it all the same",
				   nodes->here, nodes->here);
}

/* "0, 2" */
static void list_nodes(const struct nhost_nodes *nodes, char *text, size_t nbytes)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned node = 0; node < nodes->count && used < nbytes; node++)
		if (nodes->node[node].has_memory)
			used += (size_t)snprintf(
				text + used, nbytes - used, "%s%u", used ? ", " : "", node);
}

static int choose_number(
	const struct nhost_nodes *nodes, const char *place, struct nhost_error *error)
{
	char *end, list[128];
	unsigned long node = strtoul(place, &end, 10);

	if (*place < '0' || *place > '9' || *end)
		return nhost_fail(error, EINVAL,
			"numa:%s: the number of a node is wanted, or numa:far", place);
	if (node < nodes->count && nodes->node[node].has_memory)
		return (int)node;
	list_nodes(nodes, list, sizeof(list));
	return nhost_fail(error, ENODEV, "there is no node %s with memory; nodes with memory: %s",
		place, list);
}

int nhost_numa_choose(const struct nhost_nodes *nodes, const char *place, struct nhost_error *error)
{
	if (!nodes->count)
		return nhost_fail(error, ENOSYS,
			"this kernel knows no NUMA nodes, or does not let this program ask for them: use "
			"another kind of device, a kernel with CONFIG_NUMA, or a container that allows "
			"get_mempolicy() and mbind()");
	return strcmp(place, "far") ? choose_number(nodes, place, error) : choose_far(nodes, error);
}

/* ---- binding --------------------------------------------------------------------------------- */

static int bind_to(const struct nhost_region *region, int node, struct nhost_error *error)
{
	struct bitmask *mask = numa_allocate_nodemask();
	int number;

	if (!mask)
		return nhost_fail(error, ENOMEM, "out of memory");
	numa_bitmask_setbit(mask, (unsigned)node);
	number = mbind(region->memory, region->nbytes, MPOL_BIND, mask->maskp, mask->size + 1,
			 MPOL_MF_MOVE)
			 ? errno
			 : 0;
	numa_free_nodemask(mask);
	return number ? nhost_fail(error, number, "cannot bind memory to NUMA node %d: mbind(): %s",
				node, strerror(number))
		      : 0;
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
	if (numa_move_pages(0, 2, pages, NULL, nodes, 0))
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

static int choose(const char *place, struct nhost_error *error)
{
	struct nhost_nodes *nodes = malloc(sizeof(*nodes));
	int result;

	if (!nodes)
		return nhost_fail(error, ENOMEM, "out of memory");
	nhost_nodes_read(nodes);
	result = nhost_numa_choose(nodes, place, error);
	free(nodes);
	return result;
}

static int create(const char *place, struct nreg_identity *identity, struct nhost_region *region,
	struct nhost_error *error)
{
	int node = choose(place, error);
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
