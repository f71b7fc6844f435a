/* arguments.h - the command line of a program that is to be started. */
#ifndef NEARSIDE_EMU_VM_ARGUMENTS_H
#define NEARSIDE_EMU_VM_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct vm_arguments {
	const char *list[512]; /* ends with NULL */
	unsigned count;
	char text[32768];
	size_t used;
	bool is_too_long; /* some are missing */
};

/* Adds one. */
void vm_argument(struct vm_arguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds an option and its value. */
#define vm_option(arguments, name, ...) \
	(vm_argument(arguments, "%s", name), vm_argument(arguments, __VA_ARGS__))

#endif
