/*
 * view.h - looks into the regions of devices outside this program, without taking part. Nothing is
 * written but questions to the cores (look.h), which have words of their own.
 */
#ifndef NEARSIDE_EMU_COMMAND_VIEW_H
#define NEARSIDE_EMU_COMMAND_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "host/device.h"

enum {
	VIEWS_MAX = 256
};

struct view {
	char name[160]; /* file:PATH, dax:PATH */
	int program;    /* that has the device, if that is known; else 0 */
	void *region;   /* its control words, to read */
	void *writable; /* likewise, to ask; NULL: this user may not */
	uint64_t nbytes;
	int fd;                            /* of the region */
	const struct nchan_caches *caches; /* of its memory; NULL: that is coherent, or modelled */
	struct nreg_identity identity;
};

/*
 * `name` is file:PATH, dax:PATH, or daemon[:SOCKET]: all devices of a supervisor, which may be
 * none. Options may follow, as where programs open a device. How many, or a negative errno; each is
 * to be closed.
 */
int view_open(const char *name, struct view *views, struct nhost_error *error);
void view_close(struct view *view);

/* Who has it: "free", "a program", "a program of another machine", "a suspect program". */
const char *view_owner(const struct view *view);

/* A program has it, so there may be processes. */
bool view_is_in_use(const struct view *view);

/* How the device is, beside what it has written: a device that was killed could not write that. */
enum view_device {
	VIEW_SERVES,
	VIEW_SILENT, /* no heartbeat: it is stopped, or its machine is, or has gone */
	VIEW_ENDED,
};

/* Waits for a heartbeat, a second at most: a device that serves has ten in that time. */
enum view_device view_device(const struct view *view);
const char *view_device_name(enum view_device device); /* "serves", ... */

/* Without waiting: VIEW_ENDED for certain. */
bool view_has_ended(const struct view *view);

/* What the cores have counted, all together or one. */
struct view_counts {
	uint64_t alive, spawns, switches, far_read, far_written, log_dropped;
	uint64_t running; /* on one core: the process's name, or 0 */
};
struct view_counts view_core(const struct view *view, unsigned core);
struct view_counts view_sum(const struct view *view);

/* The text as a JSON string, with its quotes. */
void view_json_string(FILE *out, const char *text);

/* What the commands that look have in common: `-h`, `--json`, then names of devices. */
int info_command(int argc, char **argv);
int ps_command(int argc, char **argv);
int top_command(int argc, char **argv);

#endif
