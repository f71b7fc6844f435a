/*
 * device.c - a machine of cores as the device of programs on this machine: of one program, whose
 * streams are this one's, or of whoever opens a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/vm/child.h"
#include "emu/vm/needs.h"
#include "emu/vm/run.h"
#include "emu/vm/scene.h"

/* Until it ends, or something ends it. */
static int watch_program(struct vm_scene *scene, struct vm_child *child)
{
	int result = 0;

	while (!result && !vm_child_has_ended(child))
		result = vm_scene_step(scene);
	vm_child_end(child);
	return result ? result : child->status;
}

static int run_program(struct vm_scene *scene)
{
	struct vm_child child;
	char name[64];

	snprintf(name, sizeof name, "file:/proc/%d/fd/%d", (int)getpid(), scene->plan.memory);
	if (setenv("NEARSIDE_DEVICE", name, 1) ||
		!vm_child_start_here(&child, (const char *const *)scene->options->program))
		return vm_scene_fail(scene, "cannot start the program", NULL);
	vm_scene_progress_is_over(scene);
	return watch_program(scene, &child);
}

/* Until a signal comes, or the machine ends. */
static int serve(struct vm_scene *scene)
{
	int result = 0;

	vm_scene_progress_is_over(scene);
	fprintf(stderr, "nearside vm device: serves file:%s\n", scene->options->file);
	while (!result && scene->cores.child.pid)
		result = vm_scene_step(scene);
	return result ? result : VM_EXIT_FAILED;
}

int vm_device(const struct vm_options *options)
{
	struct vm_scene scene;
	int result = vm_scene_begin(&scene, "vm device", options, VM_NEEDS_RISCV, true);

	if (result)
		return result;
	result = options->program[0] ? run_program(&scene) : serve(&scene);
	vm_scene_end(&scene);
	return result;
}
