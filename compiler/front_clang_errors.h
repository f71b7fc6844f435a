/* front_clang_errors.h - what clang itself finds wrong, told as nprocc tells its own. */
#ifndef NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H
#define NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H

#include <clang-c/Index.h>
#include <stdbool.h>

#include "compiler/front_refuse.h"

/* Reports what clang found wrong, with all its notes; returns how many errors that was. */
unsigned front_report_clang_errors(CXTranslationUnit tu, bool with_warnings);

/* Takes what clang found wrong in device code in among the refusals. False when it could not read on. */
bool front_refuse_clang_errors(CXTranslationUnit tu, struct refusals *refusals);

#endif
