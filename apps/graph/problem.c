#include "apps/graph/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int problem_set(struct problem *problem, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(problem->text, sizeof problem->text, format, args);
	va_end(args);
	return error;
}

int problem_no_memory(struct problem *problem, const char *what, unsigned long long nbytes)
{
	return problem_set(problem, -ENOMEM, "out of memory: %llu bytes for %s", nbytes, what);
}
