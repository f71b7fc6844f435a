/* front_clang_errors.h - what clang itself finds wrong, told as nprocc tells its own. */
#ifndef NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H
#define NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H

#include <clang-c/Index.h>
#include <stdbool.h>

#include "compiler/front_refuse.h"

/* How well clang could read a file. */
enum front_reading {
	FRONT_READ,
	FRONT_READ_WITH_ERRORS,
	FRONT_NOT_READ /* not to its end */
};

enum front_reading front_reading(CXTranslationUnit tu);

/* Reports clang's warnings with their notes. */
void front_report_clang_warnings(CXTranslationUnit tu);

/* Puts clang's errors about host code among the refusals, but where device code had one already. */
void front_refuse_host_errors(CXTranslationUnit tu, struct refusals *refusals);

/*
 * Puts clang's errors about device code among the refusals. Where `host` had errors, what is
 * blanked is a guess, and only errors count that host code cannot have.
 */
void front_refuse_device_errors(
	CXTranslationUnit tu, enum front_reading host, struct refusals *refusals);

#endif
