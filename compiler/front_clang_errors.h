/* front_clang_errors.h - clang's own errors, shown as nprocc shows its own. */
#ifndef NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H
#define NEARSIDE_COMPILER_FRONT_CLANG_ERRORS_H

#include <clang-c/Index.h>

/* Reports what clang found wrong; returns how many errors that was. Warnings are left to the code-making runs. */
unsigned front_report_clang_errors(CXTranslationUnit tu);

#endif
