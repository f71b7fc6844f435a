/*
 * run.c - a program in a guest, beside a machine of cores: its streams are passed through, and its
 * exit code.
 */
#include "emu/vm/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "emu/vm/guest.h"
#include "emu/vm/initramfs.h"
#include "emu/vm/needs.h"
#include "emu/vm/place.h"
#include "emu/vm/scene.h"

struct session {
	struct vm_scene scene;
	bool has_terminal;
	struct termios terminal; /* as it was */
	struct vm_guest guest;
	unsigned first_of_guest; /* of the watch's pumps; from here on they end with it */
	struct vm_pump *input;
	bool is_started; /* the program */
	unsigned starts; /* of guests */
	struct vm_tail console, control;
	int exit_code; /* of the program; -1: not known */
};

/* ---- what the guest says --------------------------------------------------------------------- */

/* Who sits at a terminal is not hurried. */
static void begin_program(struct session *session)
{
	vm_scene_progress_is_over(&session->scene);
	session->is_started = true;
	session->input->from = STDIN_FILENO;
	if (session->scene.options->wants_terminal)
		session->scene.watch.deadline_ns = -1;
}

static void hear(struct session *session, const char *line)
{
	if (!strncmp(line, "progress ", 9))
		vm_scene_progress(&session->scene, line + 9);
	else if (!strncmp(line, "failed ", 7))
		session->exit_code = vm_scene_fail(&session->scene, line + 7, &session->console);
	else if (!strcmp(line, "started"))
		begin_program(session);
	else if (!strncmp(line, "exit ", 5))
		session->exit_code = atoi(line + 5);
}

/* Whole lines; the beginning of the next one stays. */
static void hear_all(struct session *session)
{
	char *line = session->control.text, *end;

	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		hear(session, line);
		line = end + 1;
	}
	session->control.used -= (size_t)(line - session->control.text);
	memmove(session->control.text, line, session->control.used + 1);
}

/* ---- before ---------------------------------------------------------------------------------- */

static int fetch_kernel(const struct session *session)
{
	struct vm_path script = vm_place_library("fetch-kernel");
	struct vm_path folder = vm_place_cached("kernel");
	const char *const arguments[] = {script.text, folder.text, NULL};
	struct vm_child child;

	if (access(vm_place_cached("kernel/vmlinuz").text, R_OK) == 0)
		return 0;
	vm_scene_progress(&session->scene, "fetching a kernel (34 MB, once)");
	if (!vm_child_start(&child, arguments, STDERR_FILENO, NULL))
		return vm_scene_fail(&session->scene, strerror(errno), NULL);
	vm_child_wait(&child);
	return child.status
		       ? vm_scene_fail(&session->scene, "there is no kernel for the guest", NULL)
		       : 0;
}

static int write_initramfs(const struct session *session, int fd, struct nhost_error *error)
{
	const struct vm_options *options = session->scene.options;
	const struct vm_program program = {
		.arguments = options->program,
		.files = options->files,
		.file_count = options->file_count,
		.device = options->device == VM_NONE ? "numa:1" : "dax:/dev/dax0.0",
		.has_terminal = session->has_terminal,
		.has_cxl = options->device != VM_NONE,
	};

	return vm_initramfs_write(fd, &program, error);
}

static int start_guest(struct session *session)
{
	const struct vm_scene *scene = &session->scene;
	struct vm_guest_plan plan = {
		.memory = scene->plan.memory,
		.memory_nbytes = scene->plan.memory_nbytes,
		.far = scene->options->device == VM_NONE ? VM_FAR_NUMA : VM_FAR_CXL,
		.initramfs = vm_scene_file(scene, "initramfs"),
	};
	struct nhost_error error;
	int result = plan.initramfs < 0
			     ? nhost_fail(&error, errno, "no file for the guest's files: %s",
				       strerror(errno))
			     : write_initramfs(session, plan.initramfs, &error);

	vm_scene_progress(scene, "starting the guest");
	if (!result)
		result = vm_guest_start(&session->guest, &plan, &error);
	if (plan.initramfs >= 0)
		close(plan.initramfs);
	return result ? vm_scene_fail(scene, error.text, NULL) : 0;
}

/* What is typed goes to the guest as it is. */
static void take_terminal(struct session *session)
{
	struct termios raw;

	session->has_terminal = session->scene.options->wants_terminal && isatty(STDIN_FILENO) &&
				isatty(STDOUT_FILENO) &&
				!tcgetattr(STDIN_FILENO, &session->terminal);
	if (!session->has_terminal)
		return;
	raw = session->terminal;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

static void add_pumps(struct session *session)
{
	struct vm_watch *watch = &session->scene.watch;
	const int *port = session->guest.port;
	bool has_terminal = session->has_terminal;

	/* What is typed is taken when there is somebody to read it. */
	session->input =
		vm_watch_add(watch, -1, port[has_terminal ? VM_PORT_TERMINAL : VM_PORT_IN]);
	session->input->shuts = !has_terminal;
	session->first_of_guest = watch->count;
	vm_watch_add(watch, port[has_terminal ? VM_PORT_TERMINAL : VM_PORT_OUT], STDOUT_FILENO);
	vm_watch_add(watch, port[VM_PORT_ERR], STDERR_FILENO);
	vm_watch_add(watch, port[VM_PORT_CONTROL], -1)->tail = &session->control;
	vm_scene_listen(&session->scene, session->guest.console, &session->console, "guest.log");
}

/* When QEMU has closed its sockets, all that came through them has been passed on. */
static bool is_off(const struct session *session)
{
	const struct vm_watch *watch = &session->scene.watch;

	for (unsigned i = session->first_of_guest; i < watch->count; i++)
		if (watch->pump[i].from >= 0)
			return false;
	return true;
}

enum {
	START_AGAIN = -1,
	STARTS_MAX = 3,
};

/*
 * QEMU 10.0 aborts now and then while the guest sets up CXL (iotlb_to_section: a processor uses the
 * map of memory that another one changes). No program has run by then, so nobody will notice.
 */
static bool may_start_again(struct session *session)
{
	vm_child_wait(&session->guest.child);
	return !session->is_started && session->guest.child.status >= 128 &&
	       session->starts < STARTS_MAX && !session->scene.options->keep;
}

static int watch_guest(struct session *session)
{
	int result = 0;

	add_pumps(session);
	while (!result && !is_off(session)) {
		result = vm_scene_step(&session->scene);
		hear_all(session);
	}
	if (result)
		return result;
	if (session->exit_code >= 0)
		return session->exit_code;
	if (may_start_again(session))
		return START_AGAIN;
	return vm_scene_fail(
		&session->scene, "the guest has ended before its program has", &session->console);
}

/* One guest after the other, until the program was run. */
static int run_guests(struct session *session)
{
	unsigned pumps = session->scene.watch.count;
	int result;

	do {
		session->scene.watch.count = pumps;
		session->control.used = session->console.used = 0;
		session->starts++;
		result = start_guest(session);
		if (!result)
			result = watch_guest(session);
		vm_guest_end(&session->guest);
	} while (result == START_AGAIN);
	return result;
}

int vm_run(const struct vm_options *options)
{
	struct session session = {.guest = VM_GUEST_NONE, .exit_code = -1};
	unsigned needs = VM_NEEDS_GUEST | (options->device == VM_RISCV ? VM_NEEDS_RISCV : 0);
	int result = vm_scene_begin(&session.scene, options->wants_terminal ? "vm shell" : "vm run",
		options, needs, false);

	if (result)
		return result;
	result = fetch_kernel(&session);
	take_terminal(&session);
	if (!result)
		result = run_guests(&session);
	if (session.has_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &session.terminal);
	vm_scene_end(&session.scene);
	return result;
}
