/*
 * random_kernel.c - see random_kernel.h. A kernel has scalars v0..., arrays a0..., structs s0...,
 * pointers `at` into a0, `far_at` into far memory, and a struct `view` of both, all of them in
 * sight of each statement:
 *
 *   shifts count modulo the width, divisors are not 0, indices are masked, loops count to a
 *   constant; signed overflow wraps, as both sides are compiled to do; one call with effects in
 *   each statement.
 */
#include "random_kernel.h"
#include "random_writer.h"

static void begin_line(struct writer *writer)
{
	for (unsigned i = 0; i < writer->indent; i++)
		random_put(writer, "\t");
}

/* ---- statements ------------------------------------------------------------------------------ */

static void block(struct writer *writer);

static void assignment(struct writer *writer)
{
	static const char *const operators[] = {"=", "=", "+=", "-=", "*=", "^=", "|=", "&="};
	random_place(writer, 1);
	random_put(writer, " %s ", operators[random_draw(writer, 8)]);
	random_expression(writer, 0);
	random_put(writer, ";\n");
}

static void condition(struct writer *writer)
{
	random_put(writer, "if (");
	random_expression(writer, 1);
	random_put(writer, ") {\n");
	block(writer);
	if (random_draw(writer, 2)) {
		begin_line(writer);
		random_put(writer, "} else {\n");
		block(writer);
	}
	begin_line(writer);
	random_put(writer, "}\n");
}

static void leave_loop(struct writer *writer)
{
	writer->indent++;
	begin_line(writer);
	random_put(writer, "if (");
	random_expression(writer, 2);
	random_put(writer, ")\n");
	writer->indent++;
	begin_line(writer);
	random_put(writer, random_draw(writer, 2) ? "break;\n" : "continue;\n");
	writer->indent -= 2;
}

static void loop(struct writer *writer)
{
	unsigned number = writer->loops++;
	random_put(writer, "for (uint64_t i%u = 0; i%u < %u; i%u++) {\n", number, number,
		1 + (unsigned)random_draw(writer, 9), number);
	block(writer);
	if (random_draw(writer, 2))
		leave_loop(writer);
	block(writer);
	begin_line(writer);
	random_put(writer, "}\n");
	writer->loops--;
}

/* Over all of far memory or of an array: what vectorisers look for. */
static void sweep(struct writer *writer)
{
	unsigned array = (unsigned)random_draw(writer, ARRAYS);
	unsigned scalar = (unsigned)random_draw(writer, SCALARS);
	switch (random_draw(writer, 4)) {
	case 0:
		random_put(writer, "for (uint64_t i = 0; i < nbytes / 4; i++) ");
		random_put(writer, "v%u += ((far uint32_t *)memory)[i];\n", scalar);
		break;
	case 1:
		random_put(writer, "for (uint64_t i = 0; i < nbytes / 8; i++) ");
		random_put(writer, "if (((far int32_t *)memory)[i] > (int32_t)v%u) ", scalar);
		random_put(writer, "((far int32_t *)memory)[i + nbytes / 8] ^= (int32_t)i;\n");
		break;
	case 2:
		random_put(writer, "for (uint64_t i = 0; i < %d; i++) ", ARRAY_LENGTH);
		random_put(writer, "a%u[i] += memory[i] * v%u;\n", array, scalar);
		break;
	default:
		random_put(writer, "for (uint64_t i = %d; i-- > 0;) ", ARRAY_LENGTH);
		random_put(writer, "v%u = v%u * 3 + a%u[i];\n", scalar, scalar, array);
		break;
	}
}

static void selection(struct writer *writer)
{
	random_put(writer, "switch ((uint64_t)(");
	random_expression(writer, 1);
	random_put(writer, ") %% 5) {\n");
	for (unsigned i = 0; i < 4; i++) {
		begin_line(writer);
		random_put(writer, "case %u:\n", i);
		block(writer);
		writer->indent++;
		begin_line(writer);
		random_put(writer,
			random_draw(writer, 4) ? "break;\n" : "__attribute__((fallthrough));\n");
		writer->indent--;
	}
	begin_line(writer);
	random_put(writer, "default:;\n");
	block(writer);
	begin_line(writer);
	random_put(writer, "}\n");
}

static void copying(struct writer *writer)
{
	unsigned to = (unsigned)random_draw(writer, ARRAYS),
		 from = (unsigned)random_draw(writer, ARRAYS);
	switch (random_draw(writer, 6)) {
	case 0:
		random_put(writer, "memcpy(a%u, memory + (uint64_t)v%u %% (nbytes - 15), 16);\n",
			to, (unsigned)random_draw(writer, SCALARS));
		break;
	case 1:
		random_put(writer,
			"memmove(memory + (uint64_t)v%u %% (nbytes / 2), memory, nbytes / 2);\n",
			(unsigned)random_draw(writer, SCALARS));
		break;
	case 2:
		random_put(writer, "memset(a%u, (int)v%u, (uint64_t)v%u %% 17);\n", to,
			(unsigned)random_draw(writer, SCALARS),
			(unsigned)random_draw(writer, SCALARS));
		break;
	case 3:
		random_put(writer, "memcpy(memory, a%u, (uint64_t)v%u %% 17);\n", from,
			(unsigned)random_draw(writer, SCALARS));
		break;
	case 4:
		random_put(writer, "v%u += memcmp(a%u, memory, 12) > 0;\n",
			(unsigned)random_draw(writer, SCALARS), from);
		break;
	default:
		random_put(writer, "s%u = s%u;\n", (unsigned)random_draw(writer, STRUCTS),
			(unsigned)random_draw(writer, STRUCTS));
		break;
	}
}

static void call(struct writer *writer)
{
	unsigned array = (unsigned)random_draw(writer, 2);
	random_put(writer, "v%u = helper_%llu_%u(memory, nbytes, ",
		(unsigned)random_draw(writer, SCALARS), (unsigned long long)writer->seed,
		(unsigned)random_draw(writer, HELPERS));
	random_put(writer, "v%u & 1 ? a0 : b0, &s%u, v%u);\n",
		(unsigned)random_draw(writer, SCALARS), array,
		(unsigned)random_draw(writer, SCALARS));
}

static void pointing(struct writer *writer)
{
	unsigned scalar = (unsigned)random_draw(writer, SCALARS);
	switch (random_draw(writer, 6)) {
	case 0:
		random_put(writer, "at = a0 + (v%u & 3);\n", scalar);
		break;
	case 1:
		random_put(writer, "at = v%u & 1 ? view.at : at;\n", scalar);
		break;
	case 2:
		random_put(writer, "view = (struct view){at, far_at};\n");
		break;
	case 3:
		random_put(writer, "far_at = memory + (uint64_t)v%u %% (nbytes - 16);\n", scalar);
		break;
	case 4:
		random_put(writer,
			"if (v%u & 1) view.at = &a0[v%u & 3]; else view.far_at = memory;\n", scalar,
			scalar);
		break;
	default:
		random_put(writer, "for (at = a0; at < a0 + 4 && *at %% 2; at++) v%u++;\n", scalar);
		break;
	}
}

static void waiting(struct writer *writer)
{
	unsigned array = (unsigned)random_draw(writer, ARRAYS);
	switch (random_draw(writer, 4)) {
	case 0:
		random_put(writer, "nproc_yield();\n");
		break;
	case 1:
		random_put(writer, "npipe_write(1, a%u, (uint64_t)v%u %% 17);\n", array,
			(unsigned)random_draw(writer, SCALARS));
		break;
	default:
		random_put(writer, "npipe_read_full(0, a%u, 1 + (uint64_t)v%u %% 16);\n", array,
			(unsigned)random_draw(writer, SCALARS));
		break;
	}
}

static void statement(struct writer *writer)
{
	uint64_t kind = random_draw(writer, 16);
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
	uint64_t count = 1 + random_draw(writer, 3);
	writer->indent++;
	for (; count > 0 && writer->statements > 0; count--) {
		writer->statements--;
		statement(writer);
	}
	writer->indent--;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void declarations(struct writer *writer)
{
	for (unsigned i = 0; i < SCALARS; i++)
		random_put(writer, "\t%s v%u = (%s)(seed * %u + %u);\n", random_type(i), i,
			random_type(i), 1 + (unsigned)random_draw(writer, 1000),
			(unsigned)random_draw(writer, 100));
	for (unsigned i = 0; i < ARRAYS; i++)
		random_put(writer, "\t%s a%u[%d] = {%u, %u};\n", random_array_type(i), i,
			ARRAY_LENGTH, (unsigned)random_draw(writer, 100),
			(unsigned)random_draw(writer, 100));
	random_put(writer, "\tuint32_t *at = a0;\n\tfar uint8_t *far_at = memory;\n"
			   "\tstruct view view = {a0 + 2, memory + 8};\n");
	for (unsigned i = 0; i < STRUCTS; i++)
		random_put(writer, "\tstruct parts s%u = {.a = %u, .bits = 5};\n", i,
			(unsigned)random_draw(writer, 1000));
}

static void body(struct writer *writer, unsigned statements)
{
	writer->statements = statements;
	while (writer->statements > 0)
		block(writer);
}

static void results(struct writer *writer)
{
	random_put(writer, "\tuint64_t hash = 0;\n");
	for (unsigned i = 0; i < SCALARS; i++)
		random_put(writer, "\thash = hash * 31 + (uint64_t)v%u;\n", i);
	for (unsigned i = 0; i < ARRAYS; i++)
		random_put(writer,
			"\tfor (int i = 0; i < %d; i++)\n\t\thash = hash * 31 + (uint64_t)a%u[i];\n",
			ARRAY_LENGTH, i);
	for (unsigned i = 0; i < STRUCTS; i++)
		random_put(writer,
			"\thash = hash * 31 + (uint64_t)s%u.a + s%u.bits + s%u.array[2];\n", i, i,
			i);
}

static void helper(struct writer *writer, unsigned number)
{
	random_put(writer,
		"static uint64_t helper_%llu_%u(far uint8_t *memory, uint64_t nbytes, uint32_t *p,\n"
		"\tstruct parts *parts, uint64_t seed)\n{\n",
		(unsigned long long)writer->seed, number);
	declarations(writer);
	body(writer, 8);
	results(writer);
	random_put(writer,
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
		random_draw(&writer, 2);
	for (unsigned i = 0; i < HELPERS; i++)
		helper(&writer, i);
	random_put(&writer,
		"NPROC_KERNEL int64_t random_%llu(far uint8_t *memory, uint64_t nbytes, uint64_t seed)\n{\n",
		(unsigned long long)seed);
	declarations(&writer);
	random_put(&writer, "\tuint32_t b0[16] = {7};\n");
	writer.may_wait = true;
	body(&writer, 40);
	results(&writer);
	random_put(&writer,
		"\tnpipe_write(1, &hash, sizeof hash);\n\tnpipe_write(1, b0, sizeof b0);\n"
		"\treturn (int64_t)hash;\n}\n\n");
}
