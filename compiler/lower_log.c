/*
 * lower_log.c - the formats of nproc_log(): a literal, of which the firmware prints a subset of
 * printf's. clang has checked it against its arguments, which are words of an array by now.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/llvm.h"
#include "compiler/lower_segment.h"

/* What may stand in a conversion besides its letter. */
#define FLAGS       "0-+ #"
#define LENGTHS     "hlzjt"
#define CONVERSIONS "diuxXcspfFgGeE%"

struct conversion {
	const char *begin, *letter; /* the letter may be the end of the format */
	unsigned argument;          /* which word it prints; those before it may be widths */
	bool has_precision, precision_is_argument;
	uint64_t precision; /* when it is a number */
};

static const char *skip_number(const char *at, unsigned *arguments)
{
	for (; isdigit((unsigned char)*at) || *at == '*'; at++)
		*arguments += *at == '*';
	return at;
}

/*
 * The first conversion at or behind `at`, when `arguments` words were used up before. False: there
 * is none.
 */
static bool find_conversion(const char *at, unsigned *arguments, struct conversion *found)
{
	*found = (struct conversion){.begin = strchr(at, '%')};
	if (!found->begin)
		return false;
	at = found->begin + 1;
	at = skip_number(at + strspn(at, FLAGS), arguments);
	if (*at == '.') {
		found->has_precision = true;
		found->precision_is_argument = at[1] == '*';
		found->precision = strtoull(at + 1, NULL, 10);
		at = skip_number(at + 1, arguments);
	}
	found->letter = at + strspn(at, LENGTHS);
	found->argument = *arguments;
	*arguments += *found->letter != '%';
	return true;
}

static const char *behind(const struct conversion *conversion)
{
	return conversion->letter + (*conversion->letter != '\0');
}

/* The first conversion that is not of the subset, or NULL. */
static const char *find_unknown(const char *format)
{
	struct conversion found;
	unsigned arguments = 0;
	for (; find_conversion(format, &arguments, &found); format = behind(&found)) {
		if (!*found.letter || !strchr(CONVERSIONS, *found.letter))
			return pool_format(
				"%.*s", (int)(behind(&found) - found.begin), found.begin);
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

/* ---- how much of a string is printed --------------------------------------------------------- */

/* Where the words of a message are, which of them this string is, and the message's format. */
struct message {
	LLVMValueRef words;
	unsigned argument;
	const char *format;
};

static const char *format_of(LLVMValueRef words)
{
	for (LLVMUseRef use = LLVMGetFirstUse(words); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!strcmp(llvm_callee_name(user), "nk_log"))
			return llvm_literal(LLVMGetOperand(user, 0));
	}
	return NULL;
}

static bool find_message(struct lower *lower, LLVMValueRef string, struct message *message)
{
	for (LLVMUseRef use = LLVMGetFirstUse(string); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef store = LLVMGetUser(use);
		int64_t offset = 0;
		if (!LLVMIsAStoreInst(store))
			continue;
		message->words = segment_strip(lower, LLVMGetOperand(store, 1), &offset);
		message->argument = (unsigned)(offset / 8);
		message->format = format_of(message->words);
		return message->format;
	}
	return false;
}

/*
 * The word before a string's holds its precision, and was written before; a negative one is none.
 */
static LLVMValueRef load_precision(struct lower *lower, const struct message *message)
{
	LLVMBuilderRef builder = lower->builder;
	LLVMValueRef at = llvm_u64(lower, 8 * (uint64_t)(message->argument - 1));
	LLVMValueRef address = LLVMBuildGEP2(builder, lower->i8, message->words, &at, 1, "");
	LLVMValueRef precision = LLVMBuildLoad2(builder, lower->i32, address, "");
	return LLVMBuildSExt(builder, precision, lower->i64, "");
}

LLVMValueRef lower_log_limit(struct lower *lower, LLVMValueRef string)
{
	struct message message;
	struct conversion found;
	unsigned arguments = 0;
	if (!find_message(lower, string, &message))
		return llvm_u64(lower, UINT64_MAX);
	for (const char *at = message.format; find_conversion(at, &arguments, &found);
		at = behind(&found)) {
		if (*found.letter != 's' || found.argument != message.argument)
			continue;
		if (found.precision_is_argument)
			return load_precision(lower, &message);
		if (found.has_precision)
			return llvm_u64(lower, found.precision);
	}
	return llvm_u64(lower, UINT64_MAX);
}
