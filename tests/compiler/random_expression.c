#include <stdarg.h>

#include "random_writer.h"

static const char *const types[] = {"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
	"uint32_t", "int64_t", "uint64_t", "bool", "char"};

uint64_t random_draw(struct writer *writer, uint64_t count)
{
	writer->state ^= writer->state << 13;
	writer->state ^= writer->state >> 7;
	writer->state ^= writer->state << 17;
	return (writer->state * 0x2545f4914f6cdd1du >> 32) % count;
}

const char *random_type(unsigned scalar)
{
	return types[scalar % (sizeof types / sizeof *types)];
}

/* Of arrays: no bools, which must not hold any bytes. */
const char *random_array_type(unsigned array)
{
	static const char *const of[ARRAYS] = {"uint32_t", "int8_t", "int64_t", "uint16_t"};
	return of[array];
}

__attribute__((format(printf, 2, 3))) void random_put(
	struct writer *writer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(writer->out, format, args);
	va_end(args);
}

/* ---- expressions, all of integer type -------------------------------------------------------- */

static void index_of_array(struct writer *writer, unsigned depth)
{
	random_put(writer, "[(uint64_t)(");
	random_expression(writer, depth + 1);
	random_put(writer, ") %% %d]", ARRAY_LENGTH);
}

/* Anywhere in far memory, at any alignment. */
static void far_element(struct writer *writer, unsigned depth)
{
	static const char *const of[] = {
		"uint8_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t"};
	random_put(writer, "*(far %s *)(memory + (uint64_t)(", of[random_draw(writer, 6)]);
	random_expression(writer, depth + 1);
	random_put(writer, ") %% (nbytes - 7))");
}

/* What pointer variables lead to: 12 elements of a0, 12 bytes of far memory. */
static void pointed_at(struct writer *writer, unsigned depth)
{
	static const char *const pointers[] = {"at", "view.at", "far_at", "view.far_at"};
	random_put(writer, "%s[(uint64_t)(", pointers[random_draw(writer, 4)]);
	random_expression(writer, depth + 1);
	random_put(writer, ") %% 12]");
}

void random_place(struct writer *writer, unsigned depth)
{
	switch (random_draw(writer, 9)) {
	case 0:
	case 1:
		random_put(writer, "a%u", (unsigned)random_draw(writer, ARRAYS));
		index_of_array(writer, depth);
		break;
	case 2:
		random_put(writer, "s%u.%s", (unsigned)random_draw(writer, STRUCTS),
			random_draw(writer, 2) ? "a" : "bits");
		break;
	case 3:
		random_put(writer, "s%u.array[(uint64_t)(", (unsigned)random_draw(writer, STRUCTS));
		random_expression(writer, depth + 1);
		random_put(writer, ") %% 4]");
		break;
	case 4:
		far_element(writer, depth);
		break;
	case 5:
		pointed_at(writer, depth);
		break;
	default:
		random_put(writer, "v%u", (unsigned)random_draw(writer, SCALARS));
		break;
	}
}

static void binary(struct writer *writer, unsigned depth)
{
	static const char *const operators[] = {
		"+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
	random_put(writer, "(");
	random_expression(writer, depth + 1);
	random_put(writer, " %s ",
		operators[random_draw(writer, sizeof operators / sizeof *operators)]);
	random_expression(writer, depth + 1);
	random_put(writer, ")");
}

static void shift(struct writer *writer, unsigned depth)
{
	bool wide = random_draw(writer, 2);
	random_put(writer, "((%s)", wide ? "uint64_t" : "int32_t");
	random_expression(writer, depth + 1);
	random_put(writer, " %s ((", random_draw(writer, 2) ? "<<" : ">>");
	random_expression(writer, depth + 1);
	random_put(writer, ") & %d))", wide ? 63 : 31);
}

static void division(struct writer *writer, unsigned depth)
{
	const char *type = random_draw(writer, 2) ? "int64_t" : "uint32_t";
	random_put(writer, "((%s)", type);
	random_expression(writer, depth + 1);
	random_put(writer, " %s ((%s)((", random_draw(writer, 2) ? "/" : "%", type);
	random_expression(writer, depth + 1);
	random_put(writer, ") & 1023) + 1))");
}

static void of_doubles(struct writer *writer, unsigned depth)
{
	random_put(writer, "(int64_t)((double)(int32_t)");
	random_expression(writer, depth + 1);
	random_put(writer, " %s (float)(int16_t)", random_draw(writer, 2) ? "*" : "-");
	random_expression(writer, depth + 1);
	random_put(writer, " / %d.0)", 1 + (int)random_draw(writer, 9));
}

static void builtin(struct writer *writer, unsigned depth)
{
	static const char *const names[] = {"popcountll", "clzll", "ctzll", "bswap64", "parityll"};
	random_put(writer, "__builtin_%s((uint64_t)", names[random_draw(writer, 5)]);
	random_expression(writer, depth + 1);
	random_put(writer, " | 1)");
}

static void choice(struct writer *writer, unsigned depth)
{
	random_put(writer, "(");
	random_expression(writer, depth + 1);
	random_put(writer, " ? ");
	random_expression(writer, depth + 1);
	random_put(writer, " : ");
	random_expression(writer, depth + 1);
	random_put(writer, ")");
}

void random_expression(struct writer *writer, unsigned depth)
{
	uint64_t kind = depth >= DEPTH_MAX ? random_draw(writer, 4) : random_draw(writer, 16);
	if (kind == 0)
		random_put(writer, "(int64_t)%lld", (long long)(int8_t)random_draw(writer, 256));
	else if (kind == 1)
		random_put(writer, "table[(uint64_t)v%u %% 8]",
			(unsigned)random_draw(writer, SCALARS));
	else if (kind < 4)
		random_put(writer, "v%u", (unsigned)random_draw(writer, SCALARS));
	else if (kind < 7)
		random_place(writer, depth);
	else if (kind == 7)
		shift(writer, depth);
	else if (kind == 8)
		division(writer, depth);
	else if (kind == 9)
		choice(writer, depth);
	else if (kind == 10)
		of_doubles(writer, depth);
	else if (kind == 11)
		builtin(writer, depth);
	else if (kind == 12)
		random_put(writer, "(%s)v%u", random_type((unsigned)random_draw(writer, 10)),
			(unsigned)random_draw(writer, SCALARS));
	else
		binary(writer, depth);
}
