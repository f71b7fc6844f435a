/*
 * lines.h - where in the source an instruction comes from: reads the line table that nprocc leaves
 * in the code of an image (DWARF 5, .debug_line). Needed only for traps, which know nothing but an
 * address; all other faults come with their place.
 */
#ifndef NEARSIDE_HOST_LINES_H
#define NEARSIDE_HOST_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct nhost_line {
	const char *file; /* inside the object */
	uint32_t line;
};

/*
 * The line of the instruction at this address of an object, an ELF file of nbytes. False: there is
 * no table, or it does not say. Whatever the file holds, nothing outside it is read.
 */
bool nhost_line_find(
	const void *object, uint64_t nbytes, uint64_t address, struct nhost_line *line);

#endif
