/* front_types.h - questions about types that several rules ask. */
#ifndef NEARSIDE_COMPILER_FRONT_TYPES_H
#define NEARSIDE_COMPILER_FRONT_TYPES_H

#include <clang-c/Index.h>
#include <stdbool.h>

enum {
	FAR_SPACE = 1
}; /* the address space that `far` names */

/* The address space of what has this type; 0: private. */
unsigned front_space(CXType type);

/*
 * What a pointer points to, or what an array parameter becomes a pointer to; else an invalid type.
 */
CXType front_pointee(CXType type);
bool front_pointee_is_const(CXType type);
unsigned front_pointee_space(CXType type);

/* A pointer to far memory; a pointer to anything else, a function too. */
bool front_is_far_pointer(CXType type);
bool front_is_private_pointer(CXType type);

/* Is it a private pointer, or an array, struct or union with one inside? */
bool front_holds_private_pointer(CXType type);

/* An integer, _Bool and enums among them, of at most 8 bytes. */
bool front_is_integer(CXType type);
bool front_is_signed(CXType type);

bool front_is_record(CXType type);

bool front_is_function(CXType type);

/* An object of this type cannot change; of an array: its elements cannot. */
bool front_is_const(CXType type);

#endif
