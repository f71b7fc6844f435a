/* numa.c - nodes of memory: far ones have no processors. */
#include <stdio.h>
#include <string.h>

#include "emu/doctor/doctor.h"

static void each_node(struct doctor *doctor, const char *name)
{
	char processors[256], distances[128], memory[64] = "", path[128];
	const char *number = name + strlen("node");
	char label[64];

	doctor_line(
		doctor, processors, sizeof processors, "/sys/devices/system/node/%s/cpulist", name);
	doctor_line(
		doctor, distances, sizeof distances, "/sys/devices/system/node/%s/distance", name);
	snprintf(path, sizeof path, "/sys/devices/system/node/%.32s/meminfo", name);
	snprintf(label, sizeof label, "Node %.16s MemTotal", number);
	doctor_field(doctor, path, label, memory, sizeof memory);
	if (*processors)
		doctor_add(doctor, DOCTOR_GOOD, "",
			"node %s: processors %s, memory %s, distances %s", number, processors,
			memory, distances);
	else
		doctor_add(doctor, DOCTOR_GOOD, "",
			"node %s: no processors: far memory, %s, distances %s; NEARSIDE_DEVICE=numa:%s",
			number, memory, distances, number);
}

void doctor_numa(struct doctor *doctor)
{
	if (!doctor_each(doctor, "/sys/devices/system/node", "node", each_node))
		doctor_add(doctor, DOCTOR_NOTE, "use a kernel with CONFIG_NUMA",
			"the kernel shows no NUMA nodes, so devices numa:N cannot be opened");
}
