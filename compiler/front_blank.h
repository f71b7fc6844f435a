/*
 * front_blank.h - host code out of sight.
 *
 * The body of each function that no kernel reaches becomes `;` and white space, in the source file
 * itself and in the headers that it includes (system headers are left alone), so that lines and
 * columns stay. Preprocessor lines in a body stay, since they may hold macros and halves of
 * conditions that matter elsewhere; #include in a body goes. The values of global pointers,
 * file-scope assembly, and aliases of functions go, too. What a macro's text brings forth stays as
 * it is.
 */
#ifndef NEARSIDE_COMPILER_FRONT_BLANK_H
#define NEARSIDE_COMPILER_FRONT_BLANK_H

#include <clang-c/Index.h>

#include "compiler/front_reach.h"
#include "compiler/nprocc.h"

/* Fills unit->blanked: first the source file itself, then each header that was changed. */
void front_blank(CXTranslationUnit tu, const struct reach *reach, struct unit *unit);

#endif
