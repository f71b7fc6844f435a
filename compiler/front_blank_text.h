/* front_blank_text.h - the part of blanking that is about characters alone. */
#ifndef NEARSIDE_COMPILER_FRONT_BLANK_TEXT_H
#define NEARSIDE_COMPILER_FRONT_BLANK_TEXT_H

#include <stddef.h>

enum blank_kind {
	BLANK_BODY,        /* { of a function }: becomes `;`, or {} after old-style parameters */
	BLANK_INSIDE,      /* the same, but always becomes {} */
	BLANK_INITIALISER, /* the value of a variable: goes, with the `=` before it */
	BLANK_ALL,         /* goes */
};

/* Blanks text[begin..end) if it is what `kind` says: macros may have led to some other text. */
void front_blank_text(char *text, size_t begin, size_t end, enum blank_kind kind);

#endif
