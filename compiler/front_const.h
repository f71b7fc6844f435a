/* front_const.h - writes to far memory that was declared const. */
#ifndef NEARSIDE_COMPILER_FRONT_CONST_H
#define NEARSIDE_COMPILER_FRONT_CONST_H

#include "compiler/front_refuse.h"

/*
 * Where clang refuses a write and the pointer leads to `const far` memory: adds how to write it,
 * and where the pointer is declared.
 */
void front_explain_const(CXTranslationUnit tu, CXDiagnostic diagnostic, struct refusal *refusal);

#endif
