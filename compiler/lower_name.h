/* lower_name.h - private objects by name, for the messages of accesses outside of them. */
#ifndef NEARSIDE_COMPILER_LOWER_NAME_H
#define NEARSIDE_COMPILER_LOWER_NAME_H

#include "compiler/lower.h"

struct named {
	const char *phrase; /* "words[6]", "the 20 bytes of packet": of what; "": not known */
	uint64_t unit;      /* bytes that the index counts by */
};

/* At the beginning, when names are as clang gave them: those that may mislead go. */
void lower_names_begin(struct lower *lower);

/* The object that a pointer leads to, where that is one. */
struct named lower_name(struct lower *lower, LLVMValueRef pointer);

/* What was wrong with an index, at the trap that clang placed for it. False: that does not show. */
bool lower_name_index(LLVMValueRef trap, LLVMValueRef *index, const char **phrase);

#endif
