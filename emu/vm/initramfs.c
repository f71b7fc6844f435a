#include "emu/vm/initramfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/vm/cpio.h"
#include "emu/vm/files.h"
#include "emu/vm/place.h"

/* In the order in which they can be loaded. */
static const char *const modules[] = {
	"cxl_acpi.ko", "cxl_pci.ko", "cxl_mem.ko", "dax_cxl.ko", "device_dax.ko"};

enum {
	MODULES = sizeof modules / sizeof modules[0]
};

static int add_file(
	struct vm_cpio *cpio, const char *path, const char *from, struct nhost_error *error)
{
	int number = vm_cpio_file(cpio, path, from);

	if (number)
		return nhost_fail(error, -number, "cannot read %s: %s", from, strerror(-number));
	return 0;
}

static int add_base(struct vm_cpio *cpio, struct nhost_error *error)
{
	static const char *const folders[] = {
		"/bin", "/dev", "/proc", "/sys", "/tmp", "/etc", "/modules", "/nearside"};
	struct vm_path busybox;
	int result;

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		vm_cpio_folder(cpio, folders[i]);
	result = add_file(cpio, "/init", vm_place_library("guest-init").text, error);
	if (!result && !vm_files_find("busybox", &busybox))
		result = nhost_fail(error, ENOENT, "busybox is not in PATH");
	if (!result)
		result = add_file(cpio, "/bin/busybox", busybox.text, error);
	vm_cpio_link(cpio, "/bin/sh", "busybox");
	return result;
}

static int add_modules(struct vm_cpio *cpio, struct nhost_error *error)
{
	char list[MODULES * 64];
	size_t used = 0;
	int result = 0;

	for (size_t i = 0; i < MODULES && !result; i++) {
		char from[64], *path = list + used;

		used += (size_t)snprintf(path, sizeof list - used, "/modules/%s", modules[i]) + 1;
		snprintf(from, sizeof from, "kernel%s", path);
		result = add_file(cpio, path, vm_place_cached(from).text, error);
	}
	vm_cpio_bytes(cpio, "/nearside/modules", list, used);
	return result;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Strings with their zero bytes, one behind the other. */
static void add_strings(struct vm_cpio *cpio, const char *path, char *const *strings,
	bool (*is_wanted)(const char *string), const char *last)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *file = open_memstream(&text, &nbytes);

	if (!file) {
		cpio->error = -ENOMEM;
		return;
	}
	for (; *strings; strings++)
		if (!is_wanted || is_wanted(*strings))
			fwrite(*strings, 1, strlen(*strings) + 1, file);
	if (last)
		fwrite(last, 1, strlen(last) + 1, file);
	if (fclose(file))
		cpio->error = -ENOMEM;
	else
		vm_cpio_bytes(cpio, path, text, nbytes);
	free(text);
}

static bool is_inherited(const char *variable)
{
	return strncmp(variable, "NEARSIDE_DEVICE=", 16) != 0;
}

static void add_environment(struct vm_cpio *cpio, const struct vm_program *program)
{
	char device[128];

	snprintf(device, sizeof device, "NEARSIDE_DEVICE=%s", program->device);
	add_strings(cpio, "/nearside/environment", environ, is_inherited, device);
}

static void add_terminal(struct vm_cpio *cpio)
{
	struct winsize size = {0};
	char text[32];

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	snprintf(text, sizeof text, "%hu %hu\n", size.ws_row, size.ws_col);
	vm_cpio_bytes(cpio, "/nearside/terminal", text, strlen(text));
}

/* Where the guest finds it under the same name. */
static int add_same(struct vm_cpio *cpio, const char *path, struct nhost_error *error)
{
	struct vm_path place = vm_files_absolute(path);

	vm_cpio_parents(cpio, place.text);
	return add_file(cpio, place.text, path, error);
}

static int add_program_file(void *context, const char *path, struct nhost_error *error)
{
	return add_same(context, path, error);
}

/* A name that is not found here may be one of busybox's. */
static int add_program(
	struct vm_cpio *cpio, const struct vm_program *program, struct nhost_error *error)
{
	struct vm_path path;
	int result = 0;

	if (vm_files_find(program->arguments[0], &path))
		result = vm_files_each_of_program(path.text, add_program_file, cpio, error);
	for (char *const *argument = program->arguments + 1; *argument && !result; argument++)
		if (vm_files_is_regular(*argument))
			result = add_same(cpio, *argument, error);
	for (size_t i = 0; i < program->file_count && !result; i++)
		result = vm_files_each_of_program(program->files[i], add_program_file, cpio, error);
	return result;
}

static int add_all(
	struct vm_cpio *cpio, const struct vm_program *program, struct nhost_error *error)
{
	struct vm_path folder = vm_files_absolute("");
	int result = add_base(cpio, error);

	if (!result)
		result = add_modules(cpio, error);
	if (!result)
		result = add_program(cpio, program, error);
	if (result)
		return result;
	vm_cpio_parents(cpio, folder.text);
	folder.text[strlen(folder.text) - 1] = '\0'; /* the slash */
	vm_cpio_bytes(cpio, "/nearside/folder", folder.text, strlen(folder.text));
	add_strings(cpio, "/nearside/arguments", program->arguments, NULL, NULL);
	add_environment(cpio, program);
	if (program->has_cxl)
		vm_cpio_bytes(cpio, "/nearside/cxl", "", 0);
	if (program->has_terminal)
		add_terminal(cpio);
	result = vm_cpio_end(cpio);
	return result ? nhost_fail(error, -result, "cannot write the guest's file system: %s",
				strerror(-result))
		      : 0;
}

int vm_initramfs_write(int fd, const struct vm_program *program, struct nhost_error *error)
{
	int copy = dup(fd);
	struct vm_cpio cpio = {.file = copy < 0 ? NULL : fdopen(copy, "w")};
	int result;

	if (!cpio.file) {
		result = nhost_fail(
			error, errno, "cannot write the guest's file system: %s", strerror(errno));
		if (copy >= 0)
			close(copy);
		return result;
	}
	result = add_all(&cpio, program, error);
	fclose(cpio.file);
	return result;
}
