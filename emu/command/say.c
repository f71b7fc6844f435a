/* say.c - what the program says, and to whom. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/command/command.h"

int command_print(const char *text)
{
	if (fputs(text, stdout) >= 0 && !fflush(stdout))
		return COMMAND_DONE;
	fprintf(stderr, "%s: cannot write to standard output: %s\n", this_program.name,
		strerror(errno));
	return COMMAND_FAILED;
}

int command_fail(int exit_code, const char *name, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s %s: ", this_program.name, name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return exit_code;
}
