/*
 * region_numa.h - which NUMA node far memory is to be taken from: one without processors, which is
 * how CXL memory and the like appear, else the most distant one.
 */
#ifndef NEARSIDE_HOST_REGION_NUMA_H
#define NEARSIDE_HOST_REGION_NUMA_H

#include "host/device.h"

enum {
	NHOST_NODES_MAX = 1024, /* as in the kernel */
};

/* What libnuma says, as this thread sees it. */
struct nhost_nodes {
	unsigned count; /* 0: this kernel has no NUMA */
	unsigned here;  /* the thread's own node */
	struct {
		bool has_memory; /* that this program may use */
		bool has_processors;
		unsigned distance; /* from here; 0: not known */
	} node[NHOST_NODES_MAX];
};

void nhost_nodes_read(struct nhost_nodes *nodes);

/*
 * `place` is a node's number or "far". Returns a node that has memory: of those without processors
 * the nearest to this thread, and where there is none the most distant.
 * -ENOSYS  this kernel has no NUMA
 * -ENODEV  no such node, or none that is far
 * -EINVAL  neither a number nor "far"
 */
int nhost_numa_choose(
	const struct nhost_nodes *nodes, const char *place, struct nhost_error *error);

#endif
