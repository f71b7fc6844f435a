/*
 * random_kernel.c - see random_kernel.h. A kernel has scalars v0..., arrays a0..., structs s0..., pointers `at` into a0,
 * `far_at` into far memory, and a struct `view` of both, all of them in sight of each statement:
 *
 *   shifts count modulo the width, divisors are not 0, indices are masked, loops count to a constant;
 *   signed overflow wraps, as both sides are compiled to do; one call with effects in each statement.
 */
#include "random_kernel.h"

#include <stdarg.h>
#include <stdbool.h>

enum {
	SCALARS = 12,
	ARRAYS = 4,
	ARRAY_LENGTH = 16, /* a power of two */
	STRUCTS = 2,
	HELPERS = 3,
	DEPTH_MAX = 4,
	LOOPS_MAX = 3
};

static const char *const types[] = {"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
	"uint32_t", "int64_t", "uint64_t", "bool", "char"};

struct writer {
	FILE *out;
	uint64_t seed, state;
	unsigned indent;
	unsigned loops;      /* around this statement */
	unsigned statements; /* still to be written */
	bool may_wait;       /* and use what only the kernel itself has */
};

static uint64_t draw(struct writer *writer, uint64_t count)
{
	writer->state ^= writer->state << 13;
	writer->state ^= writer->state >> 7;
	writer->state ^= writer->state << 17;
	return (writer->state * 0x2545f4914f6cdd1du >> 32) % count;
}

static const char *draw_type(struct writer *writer)
{
	return types[draw(writer, sizeof types / sizeof *types)];
}

/* Of arrays: no bools, which must not hold any bytes. */
static const char *array_type(unsigned array)
{
	static const char *const of[ARRAYS] = {"uint32_t", "int8_t", "int64_t", "uint16_t"};
	return of[array];
}

__attribute__((format(printf, 2, 3))) static void put(
	struct writer *writer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(writer->out, format, args);
	va_end(args);
}

static void begin_line(struct writer *writer)
{
	for (unsigned i = 0; i < writer->indent; i++)
		put(writer, "\t");
}

/* ---- expressions, all of integer type ------------------------------------------------------------ */

static void expression(struct writer *writer, unsigned depth);

static void index_of_array(struct writer *writer, unsigned depth)
{
	put(writer, "[(uint64_t)(");
	expression(writer, depth + 1);
	put(writer, ") %% %d]", ARRAY_LENGTH);
}

/* Anywhere in far memory, at any alignment. */
static void far_element(struct writer *writer, unsigned depth)
{
	static const char *const of[] = {
		"uint8_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t"};
	put(writer, "*(far %s *)(memory + (uint64_t)(", of[draw(writer, 6)]);
	expression(writer, depth + 1);
	put(writer, ") %% (nbytes - 7))");
}

/* What pointer variables lead to: 12 elements of a0, 12 bytes of far memory. */
static void pointed_at(struct writer *writer, unsigned depth)
{
	static const char *const pointers[] = {"at", "view.at", "far_at", "view.far_at"};
	put(writer, "%s[(uint64_t)(", pointers[draw(writer, 4)]);
	expression(writer, depth + 1);
	put(writer, ") %% 12]");
}

static void place(struct writer *writer, unsigned depth)
{
	switch (draw(writer, 9)) {
	case 0:
	case 1:
		put(writer, "a%u", (unsigned)draw(writer, ARRAYS));
		index_of_array(writer, depth);
		break;
	case 2:
		put(writer, "s%u.%s", (unsigned)draw(writer, STRUCTS),
			draw(writer, 2) ? "a" : "bits");
		break;
	case 3:
		put(writer, "s%u.array[(uint64_t)(", (unsigned)draw(writer, STRUCTS));
		expression(writer, depth + 1);
		put(writer, ") %% 4]");
		break;
	case 4:
		far_element(writer, depth);
		break;
	case 5:
		pointed_at(writer, depth);
		break;
	default:
		put(writer, "v%u", (unsigned)draw(writer, SCALARS));
		break;
	}
}

static void binary(struct writer *writer, unsigned depth)
{
	static const char *const operators[] = {
		"+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
	put(writer, "(");
	expression(writer, depth + 1);
	put(writer, " %s ", operators[draw(writer, sizeof operators / sizeof *operators)]);
	expression(writer, depth + 1);
	put(writer, ")");
}

static void shift(struct writer *writer, unsigned depth)
{
	bool wide = draw(writer, 2);
	put(writer, "((%s)", wide ? "uint64_t" : "int32_t");
	expression(writer, depth + 1);
	put(writer, " %s ((", draw(writer, 2) ? "<<" : ">>");
	expression(writer, depth + 1);
	put(writer, ") & %d))", wide ? 63 : 31);
}

static void division(struct writer *writer, unsigned depth)
{
	const char *type = draw(writer, 2) ? "int64_t" : "uint32_t";
	put(writer, "((%s)", type);
	expression(writer, depth + 1);
	put(writer, " %s ((%s)((", draw(writer, 2) ? "/" : "%", type);
	expression(writer, depth + 1);
	put(writer, ") & 1023) + 1))");
}

static void of_doubles(struct writer *writer, unsigned depth)
{
	put(writer, "(int64_t)((double)(int32_t)");
	expression(writer, depth + 1);
	put(writer, " %s (float)(int16_t)", draw(writer, 2) ? "*" : "-");
	expression(writer, depth + 1);
	put(writer, " / %d.0)", 1 + (int)draw(writer, 9));
}

static void builtin(struct writer *writer, unsigned depth)
{
	static const char *const names[] = {"popcountll", "clzll", "ctzll", "bswap64", "parityll"};
	put(writer, "__builtin_%s((uint64_t)", names[draw(writer, 5)]);
	expression(writer, depth + 1);
	put(writer, " | 1)");
}

static void choice(struct writer *writer, unsigned depth)
{
	put(writer, "(");
	expression(writer, depth + 1);
	put(writer, " ? ");
	expression(writer, depth + 1);
	put(writer, " : ");
	expression(writer, depth + 1);
	put(writer, ")");
}

static void expression(struct writer *writer, unsigned depth)
{
	uint64_t kind = depth >= DEPTH_MAX ? draw(writer, 4) : draw(writer, 16);
	if (kind == 0)
		put(writer, "(int64_t)%lld", (long long)(int8_t)draw(writer, 256));
	else if (kind == 1)
		put(writer, "table[(uint64_t)v%u %% 8]", (unsigned)draw(writer, SCALARS));
	else if (kind < 4)
		put(writer, "v%u", (unsigned)draw(writer, SCALARS));
	else if (kind < 7)
		place(writer, depth);
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
		put(writer, "(%s)v%u", draw_type(writer), (unsigned)draw(writer, SCALARS));
	else
		binary(writer, depth);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static void block(struct writer *writer);

static void assignment(struct writer *writer)
{
	static const char *const operators[] = {"=", "=", "+=", "-=", "*=", "^=", "|=", "&="};
	place(writer, 1);
	put(writer, " %s ", operators[draw(writer, 8)]);
	expression(writer, 0);
	put(writer, ";\n");
}

static void condition(struct writer *writer)
{
	put(writer, "if (");
	expression(writer, 1);
	put(writer, ") {\n");
	block(writer);
	if (draw(writer, 2)) {
		begin_line(writer);
		put(writer, "} else {\n");
		block(writer);
	}
	begin_line(writer);
	put(writer, "}\n");
}

static void leave_loop(struct writer *writer)
{
	writer->indent++;
	begin_line(writer);
	put(writer, "if (");
	expression(writer, 2);
	put(writer, ")\n");
	writer->indent++;
	begin_line(writer);
	put(writer, draw(writer, 2) ? "break;\n" : "continue;\n");
	writer->indent -= 2;
}

static void loop(struct writer *writer)
{
	unsigned number = writer->loops++;
	put(writer, "for (uint64_t i%u = 0; i%u < %u; i%u++) {\n", number, number,
		1 + (unsigned)draw(writer, 9), number);
	block(writer);
	if (draw(writer, 2))
		leave_loop(writer);
	block(writer);
	begin_line(writer);
	put(writer, "}\n");
	writer->loops--;
}

/* Over all of far memory or of an array: what vectorisers look for. */
static void sweep(struct writer *writer)
{
	unsigned array = (unsigned)draw(writer, ARRAYS);
	unsigned scalar = (unsigned)draw(writer, SCALARS);
	switch (draw(writer, 4)) {
	case 0:
		put(writer, "for (uint64_t i = 0; i < nbytes / 4; i++) ");
		put(writer, "v%u += ((far uint32_t *)memory)[i];\n", scalar);
		break;
	case 1:
		put(writer, "for (uint64_t i = 0; i < nbytes / 8; i++) ");
		put(writer, "if (((far int32_t *)memory)[i] > (int32_t)v%u) ", scalar);
		put(writer, "((far int32_t *)memory)[i + nbytes / 8] ^= (int32_t)i;\n");
		break;
	case 2:
		put(writer, "for (uint64_t i = 0; i < %d; i++) ", ARRAY_LENGTH);
		put(writer, "a%u[i] += memory[i] * v%u;\n", array, scalar);
		break;
	default:
		put(writer, "for (uint64_t i = %d; i-- > 0;) ", ARRAY_LENGTH);
		put(writer, "v%u = v%u * 3 + a%u[i];\n", scalar, scalar, array);
		break;
	}
}

static void selection(struct writer *writer)
{
	put(writer, "switch ((uint64_t)(");
	expression(writer, 1);
	put(writer, ") %% 5) {\n");
	for (unsigned i = 0; i < 4; i++) {
		begin_line(writer);
		put(writer, "case %u:\n", i);
		block(writer);
		writer->indent++;
		begin_line(writer);
		put(writer, draw(writer, 4) ? "break;\n" : "__attribute__((fallthrough));\n");
		writer->indent--;
	}
	begin_line(writer);
	put(writer, "default:;\n");
	block(writer);
	begin_line(writer);
	put(writer, "}\n");
}

static void copying(struct writer *writer)
{
	unsigned to = (unsigned)draw(writer, ARRAYS), from = (unsigned)draw(writer, ARRAYS);
	switch (draw(writer, 6)) {
	case 0:
		put(writer, "memcpy(a%u, memory + (uint64_t)v%u %% (nbytes - 15), 16);\n", to,
			(unsigned)draw(writer, SCALARS));
		break;
	case 1:
		put(writer,
			"memmove(memory + (uint64_t)v%u %% (nbytes / 2), memory, nbytes / 2);\n",
			(unsigned)draw(writer, SCALARS));
		break;
	case 2:
		put(writer, "memset(a%u, (int)v%u, (uint64_t)v%u %% 17);\n", to,
			(unsigned)draw(writer, SCALARS), (unsigned)draw(writer, SCALARS));
		break;
	case 3:
		put(writer, "memcpy(memory, a%u, (uint64_t)v%u %% 17);\n", from,
			(unsigned)draw(writer, SCALARS));
		break;
	case 4:
		put(writer, "v%u += memcmp(a%u, memory, 12) > 0;\n",
			(unsigned)draw(writer, SCALARS), from);
		break;
	default:
		put(writer, "s%u = s%u;\n", (unsigned)draw(writer, STRUCTS),
			(unsigned)draw(writer, STRUCTS));
		break;
	}
}

static void call(struct writer *writer)
{
	unsigned array = (unsigned)draw(writer, 2);
	put(writer, "v%u = helper_%llu_%u(memory, nbytes, ", (unsigned)draw(writer, SCALARS),
		(unsigned long long)writer->seed, (unsigned)draw(writer, HELPERS));
	put(writer, "v%u & 1 ? a0 : b0, &s%u, v%u);\n", (unsigned)draw(writer, SCALARS), array,
		(unsigned)draw(writer, SCALARS));
}

static void pointing(struct writer *writer)
{
	unsigned scalar = (unsigned)draw(writer, SCALARS);
	switch (draw(writer, 6)) {
	case 0:
		put(writer, "at = a0 + (v%u & 3);\n", scalar);
		break;
	case 1:
		put(writer, "at = v%u & 1 ? view.at : at;\n", scalar);
		break;
	case 2:
		put(writer, "view = (struct view){at, far_at};\n");
		break;
	case 3:
		put(writer, "far_at = memory + (uint64_t)v%u %% (nbytes - 16);\n", scalar);
		break;
	case 4:
		put(writer, "if (v%u & 1) view.at = &a0[v%u & 3]; else view.far_at = memory;\n",
			scalar, scalar);
		break;
	default:
		put(writer, "for (at = a0; at < a0 + 4 && *at %% 2; at++) v%u++;\n", scalar);
		break;
	}
}

static void waiting(struct writer *writer)
{
	unsigned array = (unsigned)draw(writer, ARRAYS);
	switch (draw(writer, 4)) {
	case 0:
		put(writer, "nproc_yield();\n");
		break;
	case 1:
		put(writer, "npipe_write(1, a%u, (uint64_t)v%u %% 17);\n", array,
			(unsigned)draw(writer, SCALARS));
		break;
	default:
		put(writer, "npipe_read_full(0, a%u, 1 + (uint64_t)v%u %% 16);\n", array,
			(unsigned)draw(writer, SCALARS));
		break;
	}
}

static void statement(struct writer *writer)
{
	uint64_t kind = draw(writer, 16);
	begin_line(writer);
	if (kind < 2 && writer->loops < LOOPS_MAX)
		loop(writer);
	else if (kind < 4)
		condition(writer);
	else if (kind == 4)
		selection(writer);
	else if (kind == 5 && !writer->loops)
		sweep(writer);
	else if (kind == 6)
		copying(writer);
	else if (kind == 7 && writer->may_wait)
		call(writer);
	else if (kind == 8 && writer->may_wait)
		waiting(writer);
	else if (kind == 9)
		pointing(writer);
	else
		assignment(writer);
}

static void block(struct writer *writer)
{
	uint64_t count = 1 + draw(writer, 3);
	writer->indent++;
	for (; count > 0 && writer->statements > 0; count--) {
		writer->statements--;
		statement(writer);
	}
	writer->indent--;
}

/* ---- functions ----------------------------------------------------------------------------------- */

static void declarations(struct writer *writer)
{
	for (unsigned i = 0; i < SCALARS; i++)
		put(writer, "\t%s v%u = (%s)(seed * %u + %u);\n", types[i % 10], i, types[i % 10],
			1 + (unsigned)draw(writer, 1000), (unsigned)draw(writer, 100));
	for (unsigned i = 0; i < ARRAYS; i++)
		put(writer, "\t%s a%u[%d] = {%u, %u};\n", array_type(i), i, ARRAY_LENGTH,
			(unsigned)draw(writer, 100), (unsigned)draw(writer, 100));
	put(writer, "\tuint32_t *at = a0;\n\tfar uint8_t *far_at = memory;\n"
		    "\tstruct view view = {a0 + 2, memory + 8};\n");
	for (unsigned i = 0; i < STRUCTS; i++)
		put(writer, "\tstruct parts s%u = {.a = %u, .bits = 5};\n", i,
			(unsigned)draw(writer, 1000));
}

static void body(struct writer *writer, unsigned statements)
{
	writer->statements = statements;
	while (writer->statements > 0)
		block(writer);
}

static void results(struct writer *writer)
{
	put(writer, "\tuint64_t hash = 0;\n");
	for (unsigned i = 0; i < SCALARS; i++)
		put(writer, "\thash = hash * 31 + (uint64_t)v%u;\n", i);
	for (unsigned i = 0; i < ARRAYS; i++)
		put(writer,
			"\tfor (int i = 0; i < %d; i++)\n\t\thash = hash * 31 + (uint64_t)a%u[i];\n",
			ARRAY_LENGTH, i);
	for (unsigned i = 0; i < STRUCTS; i++)
		put(writer, "\thash = hash * 31 + (uint64_t)s%u.a + s%u.bits + s%u.array[2];\n", i,
			i, i);
}

static void helper(struct writer *writer, unsigned number)
{
	put(writer,
		"static uint64_t helper_%llu_%u(far uint8_t *memory, uint64_t nbytes, uint32_t *p,\n"
		"\tstruct parts *parts, uint64_t seed)\n{\n",
		(unsigned long long)writer->seed, number);
	declarations(writer);
	body(writer, 8);
	results(writer);
	put(writer,
		"\tp += v0 & 3;\n\tp[hash %% 8] ^= (uint32_t)hash;\n\tparts->array[hash %% 4] += p[3];\n"
		"\treturn hash;\n}\n\n");
}

void random_kernel_begin(FILE *out)
{
	fputs("#include <string.h>\n\n#include <nearside/kernel.h>\n\n"
	      "static const int16_t table[8] = {1, -2, 300, -4000, 5, 66, -7, 32767};\n\n"
	      "struct parts {\n\tuint32_t a;\n\tunsigned bits : 5;\n\tint16_t array[4];\n};\n\n"
	      "struct view {\n\tuint32_t *at;\n\tfar uint8_t *far_at;\n};\n\n",
		out);
}

void random_kernel_write(FILE *out, uint64_t seed)
{
	struct writer writer = {.out = out, .seed = seed, .state = seed * 0x9e3779b97f4a7c15u + 1};
	for (unsigned i = 0; i < 20; i++)
		draw(&writer, 2);
	for (unsigned i = 0; i < HELPERS; i++)
		helper(&writer, i);
	put(&writer,
		"NPROC_KERNEL int64_t random_%llu(far uint8_t *memory, uint64_t nbytes, uint64_t seed)\n{\n",
		(unsigned long long)seed);
	declarations(&writer);
	put(&writer, "\tuint32_t b0[16] = {7};\n");
	writer.may_wait = true;
	body(&writer, 40);
	results(&writer);
	put(&writer, "\tnpipe_write(1, &hash, sizeof hash);\n\tnpipe_write(1, b0, sizeof b0);\n"
		     "\treturn (int64_t)hash;\n}\n\n");
}
