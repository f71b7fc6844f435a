/*
 * region_numa.h - which NUMA node far memory is to be taken from: one without processors, which is
 * how CXL memory and the like appear, else the most distant one.
 */
#ifndef NEARSIDE_HOST_REGION_NUMA_H
#define NEARSIDE_HOST_REGION_NUMA_H

#include "host/device.h"

/*
 * `place` is a node's number or "far"; `folder` is what sysfs has at /sys/devices/system/node.
 * Returns a node that has memory: of those without processors the nearest to this thread, and where
 * there is none the most distant.
 * -ENOSYS  this kernel has no NUMA
 * -ENODEV  no such node, or none that is far
 * -EINVAL  neither a number nor "far"
 */
int nhost_numa_choose(const char *folder, const char *place, struct nhost_error *error);

#endif
