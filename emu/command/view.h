/*
 * view.h - looks into the regions of devices outside this program, without taking part: nothing is
 * written, and nobody notices.
 */
#ifndef NEARSIDE_EMU_COMMAND_VIEW_H
#define NEARSIDE_EMU_COMMAND_VIEW_H

#include <stdio.h>

#include "host/device.h"

enum {
	VIEWS_MAX = 256
};

struct view {
	char name[160]; /* file:PATH, dax:PATH */
	int program;    /* that has the device, if that is known; else 0 */
	void *region;   /* its control words, to read */
	uint64_t nbytes;
	struct nreg_identity identity;
};

/*
 * `name` is file:PATH, dax:PATH, or daemon[:SOCKET]: all devices of a supervisor, which may be
 * none. How many, or a negative errno; each is to be closed.
 */
int view_open(const char *name, struct view *views, struct nhost_error *error);
void view_close(struct view *view);

/* Who has it: "free", "a program", "a program of another machine", "a suspect program". */
const char *view_owner(const struct view *view);

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
