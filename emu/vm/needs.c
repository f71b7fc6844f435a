#include "emu/vm/needs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/vm/child.h"

enum {
	QEMU_MAJOR = 10, /* no older one was tried */
};

struct need {
	unsigned of; /* enum vm_need */
	const char *program;
	const char *option; /* that prints what it is */
	const char *package;
	const char *suite; /* of Debian 12 */
	bool is_qemu;
};

static const struct need needs_of_all[] = {
	{VM_NEEDS_RISCV, "qemu-system-riscv64", "--version", "qemu-system-riscv",
		"bookworm-backports", true},
	{VM_NEEDS_GUEST, "qemu-system-x86_64", "--version", "qemu-system-x86", "bookworm-backports",
		true},
	{VM_NEEDS_GUEST, "busybox", "--help", "busybox-static", "bookworm", false},
	{VM_NEEDS_GUEST, "xz", "--version", "xz-utils", "bookworm", false},
};

struct text {
	char *at;
	size_t nbytes;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	if (!text->at || !text->nbytes)
		return;
	va_start(arguments, format);
	length = vsnprintf(text->at, text->nbytes, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= text->nbytes)
		length = (int)text->nbytes - 1;
	text->at += length;
	text->nbytes -= (size_t)length;
}

/* 10 of "QEMU emulator version 10.0 (...)". */
static int major_version(const char *text)
{
	const char *version = strstr(text, "version ");
	int major = 0;

	if (version)
		sscanf(version, "version %d", &major);
	return major;
}

static bool check(const struct need *need, struct text *missing, struct text *found)
{
	const char *const arguments[] = {need->program, need->option, NULL};
	char output[256];
	bool is_there = vm_capture(arguments, output, sizeof output) == 0;

	output[strcspn(output, "\n")] = '\0';
	if (is_there && (!need->is_qemu || major_version(output) >= QEMU_MAJOR)) {
		add(found, "%s: %s\n", need->program, output);
		return true;
	}
	add(missing, "%s %s", need->program, is_there ? "is too old" : "is not installed");
	if (is_there)
		add(missing, " (%s; %d.0 is needed)", output, QEMU_MAJOR);
	add(missing, "; on Debian 12: apt-get install -t %s %s\n", need->suite, need->package);
	return false;
}

bool vm_needs_check(unsigned needs, char *missing, size_t nbytes, char *found, size_t found_nbytes)
{
	struct text missing_text = {missing, nbytes}, found_text = {found, found_nbytes};
	bool has_all = true;

	*missing = '\0';
	if (found)
		*found = '\0';
	for (unsigned i = 0; i < sizeof needs_of_all / sizeof needs_of_all[0]; i++)
		if (needs & needs_of_all[i].of &&
			!check(&needs_of_all[i], &missing_text, &found_text))
			has_all = false;
	return has_all;
}
