#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "host/device.h"

const char *nhost_descriptor_limit(int number)
{
	return number == EMFILE ? "ulimit -n" : number == ENFILE ? "fs.file-max" : NULL;
}

int nhost_fail(struct nhost_error *error, int number, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -number;
}
