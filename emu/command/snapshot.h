/*
 * snapshot.h - devices at one time, for `nearside ps` and `top`: what their cores have counted and
 * what their processes do.
 */
#ifndef NEARSIDE_EMU_COMMAND_SNAPSHOT_H
#define NEARSIDE_EMU_COMMAND_SNAPSHOT_H

#include "emu/command/look.h"

struct snapshot_device {
	char name[sizeof(((struct view *)0)->name)];
	const char *owner; /* view_owner() */
	int program;
	bool is_free;
	bool may_ask;
	enum view_device state; /* VIEW_SERVES also when all its cores have answered */
	uint32_t generation;
	unsigned core_count;
	uint32_t processes_max;
	struct view_counts counts[NREG_CORES_MAX];
	struct look look;
};

struct snapshot {
	struct snapshot_device *devices;
	unsigned count;
	int64_t at_ns;
};

/* Adds the devices of this name. An exit code; `command` is for messages. */
int snapshot_add(struct snapshot *snapshot, const char *name, const char *command);
void snapshot_free(struct snapshot *snapshot);

/* What the core has done for each second since `before`; as it is where that was not there. */
struct view_counts snapshot_rates(const struct snapshot *snapshot, const struct snapshot *before,
	const struct snapshot_device *device, unsigned core);

enum snapshot_parts {
	SNAPSHOT_CORES = 1 << 0,
	SNAPSHOT_PROCESSES = 1 << 1,
};

/* `before` NULL: counts; else rates. At most so many processes of each device; 0: all. */
void snapshot_print(FILE *out, const struct snapshot *snapshot, const struct snapshot *before,
	unsigned parts, unsigned long processes_max);
/* All of it, as an array of devices in one line. */
void snapshot_print_json(FILE *out, const struct snapshot *snapshot, const struct snapshot *before);

#endif
