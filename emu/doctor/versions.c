/* versions.c - programs and libraries that other parts are made of. */
#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>

#include "emu/doctor/doctor.h"
#include "emu/vm/child.h"
#include "emu/vm/needs.h"

/* Each line a finding. What is missing says what to install behind a semicolon. */
static void add_lines(struct doctor *doctor, char *text, enum doctor_level level)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *remedy = level == DOCTOR_GOOD ? NULL : strstr(line, "; ");

		if (remedy)
			*remedy = '\0';
		doctor_add(doctor, level, remedy ? remedy + 2 : "", "%s", line);
	}
}

static void judge_compiler(struct doctor *doctor)
{
	const char *const arguments[] = {"clang-19", "--version", NULL};
	char output[256];

	if (vm_capture(arguments, output, sizeof output))
		doctor_add(doctor, DOCTOR_NOTE, "sudo apt-get install clang-19",
			"clang-19 is not installed, which nprocc needs");
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "%.*s", (int)strcspn(output, "\n"), output);
}

void doctor_versions(struct doctor *doctor)
{
	char missing[1024] = "", found[2048] = "";

	doctor_add(doctor, DOCTOR_GOOD, "", "nearside %s", NEARSIDE_VERSION);
	doctor_add(doctor, DOCTOR_GOOD, "", "glibc %s", gnu_get_libc_version());
	vm_needs_check(
		VM_NEEDS_RISCV | VM_NEEDS_GUEST, missing, sizeof missing, found, sizeof found);
	add_lines(doctor, found, DOCTOR_GOOD);
	add_lines(doctor, missing, DOCTOR_NOTE);
	judge_compiler(doctor);
}
