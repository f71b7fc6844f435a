/*
 * doctor.h - nearside doctor: what this machine offers, what is missing, and what to type. A file
 * for each subject; each adds findings, and command.c prints them.
 */
#ifndef NEARSIDE_EMU_DOCTOR_DOCTOR_H
#define NEARSIDE_EMU_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum doctor_level {
	DOCTOR_GOOD,    /* there, and of use */
	DOCTOR_NOTE,    /* not there, or not quite, and nothing needs it at once */
	DOCTOR_MISSING, /* something that was asked for here cannot work without it */
};

struct doctor_finding {
	const char *subject;
	enum doctor_level level;
	char text[256];
	char remedy[512]; /* empty: there is nothing to type */
};

enum {
	DOCTOR_FINDINGS_MAX = 256, /* further ones are dropped, and counted */
};

struct doctor {
	const char *root; /* below which files are looked at: "" but for tests */
	const char *subject;
	unsigned count, dropped;
	struct doctor_finding findings[DOCTOR_FINDINGS_MAX];
};

/* About the subject that is being looked at. A remedy is what to type, or "". */
void doctor_add(struct doctor *doctor, enum doctor_level level, const char *remedy,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- files.c: below the root ----------------------------------------------------------------- */

/* The first line without its end; false: it cannot be read, and the line is empty. */
bool doctor_line(const struct doctor *doctor, char *line, size_t nbytes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* What follows "name" and a colon or blanks in a file of such lines. */
bool doctor_field(const struct doctor *doctor, const char *path, const char *name, char *value,
	size_t nbytes);

bool doctor_exists(const struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Calls each entry of a folder that begins so, in order; how many there were. */
unsigned doctor_each(struct doctor *doctor, const char *folder, const char *prefix,
	void (*each)(struct doctor *doctor, const char *name));

/* ---- subjects -------------------------------------------------------------------------------- */

void doctor_cpu(struct doctor *doctor);
void doctor_numa(struct doctor *doctor);
void doctor_cxl(struct doctor *doctor);
void doctor_dax(struct doctor *doctor);
void doctor_dsa(struct doctor *doctor);
void doctor_kernel(struct doctor *doctor);
void doctor_limits(struct doctor *doctor);
void doctor_container(struct doctor *doctor);
void doctor_versions(struct doctor *doctor);

#endif
