#include "emu/vm/arguments.h"

#include <stdarg.h>
#include <stdio.h>

void vm_argument(struct vm_arguments *arguments, const char *format, ...)
{
	char *text = arguments->text + arguments->used;
	size_t room = sizeof arguments->text - arguments->used;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text, room, format, values);
	va_end(values);
	if (length < 0 || (size_t)length >= room ||
		arguments->count + 1 >= sizeof arguments->list / sizeof arguments->list[0]) {
		arguments->is_too_long = true;
		return;
	}
	arguments->list[arguments->count++] = text;
	arguments->used += (size_t)length + 1;
}
