/* command.c - nearside doctor: asks every subject, and prints what they found. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/command/command.h"
#include "emu/doctor/command.h"
#include "emu/doctor/doctor.h"

static const char name[] = "doctor";

static const struct {
	const char *subject;
	void (*look)(struct doctor *doctor);
} subjects[] = {
	{"cpu", doctor_cpu},
	{"numa", doctor_numa},
	{"cxl", doctor_cxl},
	{"dax", doctor_dax},
	{"dsa", doctor_dsa},
	{"kernel", doctor_kernel},
	{"limits", doctor_limits},
	{"container", doctor_container},
	{"versions", doctor_versions},
};

enum {
	SUBJECTS = sizeof subjects / sizeof subjects[0],
	TEXT_MAX = 256 * 1024,
	OPTION_JSON = 256,
	OPTION_ROOT,
};

static const char *const levels[] = {
	[DOCTOR_GOOD] = "good", [DOCTOR_NOTE] = "note", [DOCTOR_MISSING] = "missing"};

static const char usage[] =
	"usage: nearside doctor [--json] [--root=FOLDER] [SUBJECT]...\n"
	"\n"
	"Says what this machine offers and what is missing, each with what to type to mend it.\n"
	"\n"
	"Subjects; all of them if none is named\n"
	"  cpu numa cxl dax dsa kernel limits container versions\n"
	"\n"
	"Options\n"
	"  --json         an array of objects: subject, level (good, note, missing), text, remedy\n"
	"  --root=FOLDER  looks at /sys, /proc, /boot and /dev of another machine, as far as they were\n"
	"                 copied to this folder; not for dsa, limits of users and versions\n"
	"\n"
	"Exit status: 0 done, whatever was found; 1 it failed; 2 wrong usage.\n";

void doctor_add(
	struct doctor *doctor, enum doctor_level level, const char *remedy, const char *format, ...)
{
	struct doctor_finding *finding = &doctor->findings[doctor->count];
	va_list args;

	if (doctor->count == DOCTOR_FINDINGS_MAX) {
		doctor->dropped++;
		return;
	}
	doctor->count++;
	finding->subject = doctor->subject;
	finding->level = level;
	snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy);
	va_start(args, format);
	vsnprintf(finding->text, sizeof finding->text, format, args);
	va_end(args);
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_text(FILE *out, const struct doctor *doctor)
{
	const char *subject = "";

	for (unsigned i = 0; i < doctor->count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];

		if (strcmp(subject, finding->subject) != 0)
			fprintf(out, "%s%s\n", i ? "\n" : "", finding->subject);
		subject = finding->subject;
		fprintf(out, "  %-8s %s\n", levels[finding->level], finding->text);
		if (*finding->remedy)
			fprintf(out, "           -> %s\n", finding->remedy);
	}
	if (doctor->dropped)
		fprintf(out, "\n(%u more findings)\n", doctor->dropped);
}

static void print_string(FILE *out, const char *key, const char *text, const char *end)
{
	fprintf(out, "\"%s\": \"", key);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			fputc(*text, out);
	fprintf(out, "\"%s", end);
}

static void print_json(FILE *out, const struct doctor *doctor)
{
	fputs("[\n", out);
	for (unsigned i = 0; i < doctor->count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];

		fputs("  {", out);
		print_string(out, "subject", finding->subject, ", ");
		print_string(out, "level", levels[finding->level], ", ");
		print_string(out, "text", finding->text, ", ");
		print_string(
			out, "remedy", finding->remedy, i + 1 < doctor->count ? "},\n" : "}\n");
	}
	fputs("]\n", out);
}

static int print(const struct doctor *doctor, bool is_json)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *out = open_memstream(&text, &nbytes);
	int result;

	if (!out)
		return command_fail(COMMAND_FAILED, name, "no memory");
	if (is_json)
		print_json(out, doctor);
	else
		print_text(out, doctor);
	if (fclose(out)) {
		free(text);
		return command_fail(COMMAND_FAILED, name, "no memory");
	}
	result = command_print(text);
	free(text);
	return result;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool look_at(struct doctor *doctor, const char *subject)
{
	for (unsigned i = 0; i < SUBJECTS; i++) {
		if (strcmp(subject, subjects[i].subject) != 0)
			continue;
		doctor->subject = subjects[i].subject;
		subjects[i].look(doctor);
		return true;
	}
	return false;
}

static int look(struct doctor *doctor, int argc, char **argv)
{
	if (optind == argc)
		for (unsigned i = 0; i < SUBJECTS; i++)
			look_at(doctor, subjects[i].subject);
	for (int i = optind; i < argc; i++)
		if (!look_at(doctor, argv[i]))
			return command_fail(COMMAND_USAGE, name,
				"no subject is called '%s'; --help lists them", argv[i]);
	return COMMAND_DONE;
}

int doctor_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, OPTION_JSON},
		{"root", required_argument, NULL, OPTION_ROOT},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	static struct doctor doctor = {.root = ""};
	bool is_json = false;
	int option, result;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h')
			return command_print(usage);
		if (option == OPTION_JSON)
			is_json = true;
		else if (option == OPTION_ROOT)
			doctor.root = optarg;
		else
			return COMMAND_USAGE;
	}
	result = look(&doctor, argc, argv);
	return result ? result : print(&doctor, is_json);
}
