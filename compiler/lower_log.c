/*
 * lower_log.c - the formats of nproc_log(): a literal, of which the firmware prints a subset of printf's. clang has
 * checked it against its arguments.
 */
#include <ctype.h>
#include <string.h>

#include "compiler/llvm.h"

/* What may stand in a conversion besides its letter. */
#define FLAGS       "0-+ #"
#define LENGTHS     "hlzjt"
#define CONVERSIONS "diuxXcspfFgGeE%"

/* The first conversion that is not of the subset, or NULL. */
static const char *find_unknown(const char *format)
{
	for (const char *at = strchr(format, '%'); at; at = strchr(at + 1, '%')) {
		const char *begin = at++;
		at += strspn(at, FLAGS);
		while (isdigit((unsigned char)*at) || *at == '*')
			at++;
		if (*at == '.')
			at++;
		while (isdigit((unsigned char)*at) || *at == '*')
			at++;
		at += strspn(at, LENGTHS);
		if (!*at || !strchr(CONVERSIONS, *at))
			return pool_format("%.*s", (int)(at - begin) + (*at != '\0'), begin);
	}
	return NULL;
}

void lower_log(struct lower *lower, LLVMValueRef call)
{
	const char *format = llvm_literal(LLVMGetOperand(call, 0));
	if (!format) {
		lower_refuse(lower, call, "the format of nproc_log() is not a string literal",
			"write the format in the call, and what varies as %s");
		return;
	}
	const char *unknown = find_unknown(format);
	if (unknown)
		lower_refuse(lower, call, pool_format("nproc_log() does not print %s", unknown),
			"it prints %d %i %u %x %X %c %s %p %f %F %g %G %e %E %%, with flags, width, precision "
			"and length");
}
