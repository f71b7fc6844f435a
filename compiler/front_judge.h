/*
 * front_judge.h - the rules of the kernel language, as far as the source shows whether they are
 * kept.
 *
 *   front_judge.c             visits every function that kernels reach, asks the families below
 *   front_judge_calls.c       recursion, calls and functions as values
 *   front_judge_externals.c   functions without a body, by a table of names
 *   front_judge_globals.c     variables that outlive a call
 *   front_judge_types.c       types that the device does not have
 *   front_judge_code.c        statements and attributes, by tables
 *   front_judge_division.c    divisions of constants that overflow
 *   front_judge_return.c      functions that end without a result
 *   front_judge_pointers.c    casts and private pointers where they must not be
 *
 * docs/kernel-language.md lists all refusals; what the source does not show is refused by the
 * lowering steps.
 */
#ifndef NEARSIDE_COMPILER_FRONT_JUDGE_H
#define NEARSIDE_COMPILER_FRONT_JUDGE_H

#include "compiler/front_reach.h"
#include "compiler/front_refuse.h"
#include "compiler/front_walk.h"

struct judge {
	const struct reach *reach;
	struct refusals *refusals;
	size_t index; /* of the function being judged */
};

void front_judge(CXTranslationUnit tu, const struct reach *reach, struct refusals *refusals);

/* ---- the families: called for each step of kernel code, or once ----------------------------- */

void judge_call(struct judge *judge, const struct step *step);
void judge_recursion(struct judge *judge);
void judge_externals(struct judge *judge);
void judge_globals(struct judge *judge);
void judge_returns(struct judge *judge, CXTranslationUnit tu);
void judge_local(struct judge *judge, const struct step *step);
void judge_type(struct judge *judge, const struct step *step);
void judge_code(struct judge *judge, const struct step *step);
void judge_division(struct judge *judge, const struct step *step);
void judge_pointer(struct judge *judge, const struct step *step);

/* ---- for the families ----------------------------------------------------------------------- */

/*
 * Refuses something at a cursor in the function being judged. Where that is in a system header, the
 * place is the user's call that led there. The reader is told how kernels reach a helper function.
 */
void judge_refuse(struct judge *judge, CXCursor at, const char *reason, const char *rewrite);

/* The same, with the place of a declaration that belongs to it. */
void judge_refuse_declared(struct judge *judge, CXCursor at, const char *reason,
	const char *rewrite, CXCursor declared);

#endif
