/* front_text.h - strings from libclang, in the pool and in the words of the kernel language. */
#ifndef NEARSIDE_COMPILER_FRONT_TEXT_H
#define NEARSIDE_COMPILER_FRONT_TEXT_H

#include <clang-c/Index.h>

/* A copy of a libclang string, which is given back; "" for none. */
char *front_take(CXString string);

/* A cursor's name, a type as written, with `far` where libclang spells out an address space. */
char *front_name(CXCursor cursor);
char *front_type(CXType type);

/* How to declare a pointer to far memory that holds this type: "const far T *". */
char *front_far_pointer_to(CXType type);

/* The absolute path of a file, as it was reached. */
char *front_path(CXFile file);

/*
 * The word that a cursor's text begins with, in a macro's text, too, and without underscores around
 * it.
 */
char *front_first_word(CXCursor cursor);

/* White space, in place, as single spaces, none at the ends. Returns text. */
char *front_single_spaced(char *text);

/* clang's spelling of address space 1, in place, back into `far`. Returns text. */
char *front_spell_far(char *text);

#endif
