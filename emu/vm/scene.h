/*
 * scene.h - what every run has: memory that machines share, a machine of cores on it, the watch
 * over all, and what the user is shown meanwhile.
 *
 * Memory has no name that leads to it, and machines end with this program: whatever ends it,
 * nothing stays, unless the user wants to keep it.
 */
#ifndef NEARSIDE_EMU_VM_SCENE_H
#define NEARSIDE_EMU_VM_SCENE_H

#include "emu/vm/cores.h"
#include "emu/vm/options.h"
#include "emu/vm/watch.h"

struct vm_scene {
	const char *name; /* of the command */
	const struct vm_options *options;
	char folder[64]; /* of what is kept; "": nothing is */
	struct vm_cores_plan plan;
	struct vm_cores cores;
	struct vm_watch watch;
	struct vm_tail cores_console;
};

/*
 * 0 or an exit code; then standard error says why, and nothing is left. needs: enum vm_need.
 * is_near: the device is for programs of this machine.
 */
int vm_scene_begin(struct vm_scene *scene, const char *name, const struct vm_options *options,
	unsigned needs, bool is_near);
void vm_scene_end(struct vm_scene *scene);

/* A file that is kept under this name, or that has no name: its descriptor, or -1 and errno. */
int vm_scene_file(const struct vm_scene *scene, const char *name);

/* Listens to a console: its last words are kept in `tail`, all go where the user wants them. */
void vm_scene_listen(struct vm_scene *scene, int console, struct vm_tail *tail, const char *name);

/* Waits until something happens. 0, or the exit code if a signal or the clock ends the run. */
int vm_scene_step(struct vm_scene *scene);

/* How far it is: on a terminal, or where the user wants to know all. */
void vm_scene_progress(const struct vm_scene *scene, const char *words);
void vm_scene_progress_is_over(const struct vm_scene *scene);

/* It has failed. A console's last words, unless they are NULL. Returns VM_EXIT_FAILED. */
int vm_scene_fail(const struct vm_scene *scene, const char *why, const struct vm_tail *console);

#endif
