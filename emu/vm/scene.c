#include "emu/vm/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/command/command.h"
#include "emu/vm/needs.h"
#include "host/attach.h"
#include "host/region.h"

/* ---- what the user sees ---------------------------------------------------------------------- */

/* One line that is written over and over. */
static bool has_status_line(const struct vm_scene *scene)
{
	return !scene->options->verbose && isatty(STDERR_FILENO);
}

void vm_scene_progress(const struct vm_scene *scene, const char *words)
{
	if (scene->options->verbose)
		fprintf(stderr, "nearside %s: %s\n", scene->name, words);
	else if (has_status_line(scene))
		fprintf(stderr, "\r\033[Knearside %s: %s", scene->name, words);
}

void vm_scene_progress_is_over(const struct vm_scene *scene)
{
	if (has_status_line(scene))
		fprintf(stderr, "\r\033[K");
}

int vm_scene_fail(const struct vm_scene *scene, const char *why, const struct vm_tail *console)
{
	vm_scene_progress_is_over(scene);
	command_fail(0, scene->name, "%s", why);
	if (console && console->used && !scene->options->verbose)
		fprintf(stderr, "The last that its console said:\n%s\n", console->text);
	return VM_EXIT_FAILED;
}

/* ---- files ----------------------------------------------------------------------------------- */

int vm_scene_file(const struct vm_scene *scene, const char *name)
{
	char path[128];

	if (!*scene->folder)
		return memfd_create(name, MFD_CLOEXEC);
	snprintf(path, sizeof path, "%s/%s", scene->folder, name);
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static bool make_folder(struct vm_scene *scene)
{
	if (!scene->options->keep)
		return true;
	strcpy(scene->folder, "nearside-vm.XXXXXX");
	if (!mkdtemp(scene->folder)) {
		*scene->folder = '\0';
		return false;
	}
	fprintf(stderr, "nearside %s: kept in %s\n", scene->name, scene->folder);
	return true;
}

/* What a former run has left would confuse. */
static int open_new(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int make_memory(struct vm_scene *scene, struct nhost_error *error)
{
	uint64_t nbytes = scene->plan.memory_nbytes;

	if (!make_folder(scene))
		return nhost_fail(error, errno, "cannot make a folder here: %s", strerror(errno));
	scene->plan.memory = scene->options->file ? open_new(scene->options->file)
						  : vm_scene_file(scene, "far-memory");
	if (scene->plan.memory < 0 && scene->options->file)
		return nhost_fail(error, errno, "%s: %s; a region wants a new file",
			scene->options->file, strerror(errno));
	if (scene->plan.memory < 0 || ftruncate(scene->plan.memory, (off_t)nbytes))
		return nhost_fail(error, errno, "cannot get %" PRIu64 " bytes of memory: %s",
			nbytes, strerror(errno));
	return 0;
}

/* ---- consoles -------------------------------------------------------------------------------- */

void vm_scene_listen(struct vm_scene *scene, int console, struct vm_tail *tail, const char *name)
{
	int to = -1;
	struct vm_pump *pump;

	if (scene->options->verbose)
		to = STDERR_FILENO;
	else if (*scene->folder)
		to = vm_scene_file(scene, name);
	pump = vm_watch_add(&scene->watch, console, to);
	pump->tail = tail;
}

int vm_scene_step(struct vm_scene *scene)
{
	bool runs = scene->cores.child.pid != 0;
	bool goes_on = vm_watch_step(&scene->watch);

	if (runs && vm_child_has_ended(&scene->cores.child))
		vm_scene_fail(scene, "the machine of the cores has ended", &scene->cores_console);
	if (goes_on)
		return 0;
	if (scene->watch.signal)
		return 128 + scene->watch.signal;
	if (scene->watch.error)
		return vm_scene_fail(scene, strerror(scene->watch.error), NULL);
	vm_scene_fail(scene, "the time is over (--timeout)", NULL);
	return VM_EXIT_TIMEOUT;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool has_all(const struct vm_scene *scene, unsigned needs)
{
	char missing[1024];

	if (vm_needs_check(needs, missing, sizeof missing, NULL, 0))
		return true;
	missing[strcspn(missing, "\n")] = '\0';
	command_fail(0, scene->name, "%s", missing);
	return false;
}

/* Programs of this machine see by a lock that the device has gone. */
static int be_near(struct vm_scene *scene, struct nhost_error *error)
{
	int result = nhost_region_lock(scene->plan.memory, NHOST_LOCK_DEVICE);

	scene->plan.parameters.machine = nhost_machine();
	return result ? nhost_fail(error, -result, "cannot lock the region: %s", strerror(-result))
		      : 0;
}

static int start(struct vm_scene *scene, bool is_near, struct nhost_error *error)
{
	int result = vm_cores_plan(&scene->plan, scene->options, error);

	if (!result)
		result = make_memory(scene, error);
	if (!result && is_near)
		result = be_near(scene, error);
	if (result || scene->options->device == VM_NONE)
		return result;
	result = vm_cores_start(&scene->cores, &scene->plan, error);
	if (!result)
		vm_scene_listen(scene, scene->cores.console, &scene->cores_console, "cores.log");
	return result;
}

int vm_scene_begin(struct vm_scene *scene, const char *name, const struct vm_options *options,
	unsigned needs, bool is_near)
{
	struct nhost_error error;

	*scene = (struct vm_scene){
		.name = name,
		.options = options,
		.plan.memory = -1,
		.cores.console = -1,
		.watch.signals = -1,
	};
	if (!has_all(scene, needs))
		return VM_EXIT_FAILED;
	if (!vm_watch_begin(&scene->watch, options->timeout_s))
		return vm_scene_fail(scene, strerror(errno), NULL);
	vm_scene_progress(scene, "starting the cores");
	if (start(scene, is_near, &error)) {
		vm_scene_fail(scene, error.text, NULL);
		vm_scene_end(scene);
		return VM_EXIT_FAILED;
	}
	return 0;
}

void vm_scene_end(struct vm_scene *scene)
{
	vm_scene_progress_is_over(scene);
	vm_cores_end(&scene->cores);
	vm_watch_end(&scene->watch);
	if (scene->plan.memory >= 0)
		close(scene->plan.memory);
	if (scene->plan.memory >= 0 && scene->options->file)
		unlink(scene->options->file);
}
