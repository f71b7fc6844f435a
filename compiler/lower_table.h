/*
 * lower_table.h - pointers that are kept in constant tables: `static const char *const names[] =
 * {"a", "bc"}`.
 *
 * Beside the table stand two more of the same shape, with the size of the object that each pointer
 * points into and the pointer's offset in it; a pointer that is loaded from the table at some place
 * has what they hold at that place.
 */
#ifndef NEARSIDE_COMPILER_LOWER_TABLE_H
#define NEARSIDE_COMPILER_LOWER_TABLE_H

#include "compiler/lower_object.h"

/* Of a load of a private pointer: the object, or why it is not known. */
struct object table_object(struct tracer *tracer, LLVMValueRef load);

#endif
