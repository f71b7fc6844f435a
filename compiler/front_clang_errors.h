/* front_clang_errors.h - what clang itself finds wrong, told as nprocc tells its own. */
#ifndef NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H
#define NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H

#include <clang-c/Index.h>
#include <stdbool.h>

#include "compiler/front_refuse.h"

/* Reports clang's errors, or its warnings, with all their notes; returns how many there were. */
unsigned front_report_clang_errors(CXTranslationUnit tu);
unsigned front_report_clang_warnings(CXTranslationUnit tu);

/*
 * Puts clang's errors about device code among the refusals. False when it could not read to the
 * end.
 */
bool front_refuse_clang_errors(CXTranslationUnit tu, struct refusals *refusals);

#endif
