#include "apps/graph/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define WIPE "\r\033[K"

void progress(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs(WIPE, stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}

void progress_done(void)
{
	if (isatty(STDERR_FILENO))
		fputs(WIPE, stderr);
}
