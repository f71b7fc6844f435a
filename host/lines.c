#include "host/lines.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* A range of bytes that is read from its beginning; behind its end there are only zeros. */
struct range {
	const uint8_t *at, *end;
};

static uint64_t left(const struct range *range)
{
	return (uint64_t)(range->end - range->at);
}

static uint64_t number(struct range *range, unsigned nbytes)
{
	uint64_t value = 0;

	if (left(range) < nbytes) {
		range->at = range->end;
		return 0;
	}
	memcpy(&value, range->at, nbytes); /* little-endian, as the processors here are */
	range->at += nbytes;
	return value;
}

/* ULEB128; bits beyond 64 are lost. `bits`: how many were there. */
static uint64_t leb(struct range *range, unsigned *bits, bool *is_negative)
{
	uint64_t value = 0;
	uint8_t byte;

	*bits = 0;
	do {
		byte = (uint8_t)number(range, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	*is_negative = byte & 0x40;
	return value;
}

static uint64_t uleb(struct range *range)
{
	unsigned bits;
	bool is_negative;

	return leb(range, &bits, &is_negative);
}

static int64_t sleb(struct range *range)
{
	unsigned bits;
	bool is_negative;
	uint64_t value = leb(range, &bits, &is_negative);

	if (is_negative && bits < 64)
		value |= ~(uint64_t)0 << bits;
	return (int64_t)value;
}

static struct range take(struct range *range, uint64_t nbytes)
{
	struct range part = {range->at, range->at + (nbytes < left(range) ? nbytes : left(range))};

	range->at = part.end;
	return part;
}

/* A string that ends inside the range, or NULL. */
static const char *string(struct range *range)
{
	const uint8_t *zero = left(range) ? memchr(range->at, '\0', left(range)) : NULL;
	const char *text = (const char *)range->at;

	range->at = zero ? zero + 1 : range->end;
	return zero ? text : NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

static struct range part_of(struct range file, uint64_t offset, uint64_t nbytes)
{
	take(&file, offset);
	return take(&file, nbytes);
}

static bool read_section(
	struct range file, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *section)
{
	struct range bytes =
		part_of(file, header->e_shoff + (uint64_t)index * sizeof *section, sizeof *section);

	if (left(&bytes) < sizeof *section)
		return false;
	memcpy(section, bytes.at, sizeof *section);
	return true;
}

static struct range find_section(struct range file, const char *name)
{
	const struct range none = {file.end, file.end};
	Elf64_Shdr names, section;
	Elf64_Ehdr header;

	if (left(&file) < sizeof header)
		return none;
	memcpy(&header, file.at, sizeof header);
	if (!read_section(file, &header, header.e_shstrndx, &names))
		return none;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		struct range at = part_of(file, names.sh_offset, names.sh_size);
		const char *found;

		if (!read_section(file, &header, i, &section))
			break;
		take(&at, section.sh_name);
		found = string(&at);
		if (found && !strcmp(found, name))
			return part_of(file, section.sh_offset, section.sh_size);
	}
	return none;
}

/* ---- a unit's header ------------------------------------------------------------------------- */

/* Of an entry of the lists of folders and files. */
enum {
	CONTENT_PATH = 1,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_DATA1 = 0x0b,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

struct unit {
	struct range header, program;
	struct range strings; /* .debug_line_str */
	struct range files;   /* the header from its list of files on */
	unsigned min_instruction;
	int line_base;
	unsigned line_range, opcode_base;
	uint8_t operands[256]; /* of standard opcodes */
};

/* One field: its string if it is one. False: unknown, so that what follows cannot be read. */
static bool read_field(
	const struct unit *unit, struct range *range, uint64_t form, const char **text)
{
	struct range strings = unit->strings;

	switch (form) {
	case FORM_LINE_STRP:
		take(&strings, number(range, 4));
		*text = string(&strings);
		return true;
	case FORM_STRING:
		*text = string(range);
		return true;
	case FORM_UDATA:
		uleb(range);
		return true;
	case FORM_DATA1:
		take(range, 1);
		return true;
	case FORM_DATA2:
		take(range, 2);
		return true;
	case FORM_DATA4:
		take(range, 4);
		return true;
	case FORM_DATA8:
		take(range, 8);
		return true;
	case FORM_DATA16:
		take(range, 16);
		return true;
	default:
		return false;
	}
}

/* Reads a list up to its entry `wanted`: that one's path, or NULL. */
static const char *read_list(const struct unit *unit, struct range *range, uint64_t wanted)
{
	uint64_t format_count = number(range, 1);
	struct range formats = *range, format;
	uint64_t count;

	for (uint64_t i = 0; i < format_count * 2; i++)
		uleb(range);
	formats.end = range->at;
	count = uleb(range);
	for (uint64_t i = 0; i < count && left(&formats) && left(range); i++) {
		const char *path = NULL;

		for (format = formats; left(&format);) {
			bool is_path = uleb(&format) == CONTENT_PATH;
			const char *text = NULL;

			if (!read_field(unit, range, uleb(&format), &text)) {
				range->at = range->end;
				return NULL;
			}
			if (is_path)
				path = text;
		}
		if (i == wanted)
			return path;
	}
	return NULL;
}

static bool read_unit(struct range *units, struct range strings, struct unit *unit)
{
	struct range rest = take(units, number(units, 4));
	unsigned version = (unsigned)number(&rest, 2);

	*unit = (struct unit){.strings = strings};
	number(&rest, 2); /* sizes of addresses and segments */
	unit->header = take(&rest, number(&rest, 4));
	unit->program = rest;
	unit->min_instruction = (unsigned)number(&unit->header, 1);
	number(&unit->header, 2); /* operations per instruction; whether rows begin statements */
	unit->line_base = (int8_t)number(&unit->header, 1);
	unit->line_range = (unsigned)number(&unit->header, 1);
	unit->opcode_base = (unsigned)number(&unit->header, 1);
	for (unsigned i = 1; i < unit->opcode_base; i++)
		unit->operands[i] = (uint8_t)number(&unit->header, 1);
	read_list(unit, &unit->header, UINT64_MAX);
	unit->files = unit->header;
	return version == 5 && unit->line_range && unit->opcode_base;
}

/* ---- its rows -------------------------------------------------------------------------------- */

enum {
	OP_EXTENDED = 0,
	OP_COPY = 1,
	OP_ADVANCE_PC = 2,
	OP_ADVANCE_LINE = 3,
	OP_SET_FILE = 4,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC = 9,
	OP_END_SEQUENCE = 1,
	OP_SET_ADDRESS = 2,
};

struct row {
	uint64_t address, file, line;
};

struct search {
	uint64_t address;
	struct row row;
	struct row last; /* that named a line; line = 0: none in this sequence */
	bool is_found;
};

/* The row before this one holds what is wanted, if it was not too far. Line 0 is none. */
static void add_row(struct search *search)
{
	const struct row *row = &search->row;

	if (search->last.line && search->last.address <= search->address &&
		search->address < row->address)
		search->is_found = true;
	else if (row->line)
		search->last = *row;
}

static void begin_sequence(struct search *search)
{
	search->row = (struct row){.file = 1, .line = 1};
	search->last.line = 0;
}

static void run_extended(struct range *program, struct search *search)
{
	struct range operands = take(program, uleb(program));

	switch (number(&operands, 1)) {
	case OP_END_SEQUENCE:
		add_row(search);
		if (!search->is_found)
			begin_sequence(search);
		break;
	case OP_SET_ADDRESS:
		search->row.address = number(&operands, 8);
		break;
	}
}

static void run_special(const struct unit *unit, unsigned opcode, struct search *search, bool adds)
{
	unsigned adjusted = opcode - unit->opcode_base;

	search->row.address += adjusted / unit->line_range * unit->min_instruction;
	if (!adds)
		return;
	search->row.line += (uint64_t)(unit->line_base + (int)(adjusted % unit->line_range));
	add_row(search);
}

static void run_standard(
	const struct unit *unit, struct range *program, unsigned opcode, struct search *search)
{
	switch (opcode) {
	case OP_COPY:
		add_row(search);
		break;
	case OP_ADVANCE_PC:
		search->row.address += uleb(program) * unit->min_instruction;
		break;
	case OP_ADVANCE_LINE:
		search->row.line += (uint64_t)sleb(program);
		break;
	case OP_SET_FILE:
		search->row.file = uleb(program);
		break;
	case OP_CONST_ADD_PC:
		run_special(unit, 255, search, false);
		break;
	case OP_FIXED_ADVANCE_PC:
		search->row.address += number(program, 2);
		break;
	default:
		for (unsigned i = 0; i < unit->operands[opcode]; i++)
			uleb(program);
	}
}

static void run(const struct unit *unit, struct search *search)
{
	struct range program = unit->program;

	begin_sequence(search);
	while (left(&program) && !search->is_found) {
		unsigned opcode = (unsigned)number(&program, 1);

		if (opcode == OP_EXTENDED)
			run_extended(&program, search);
		else if (opcode < unit->opcode_base)
			run_standard(unit, &program, opcode, search);
		else
			run_special(unit, opcode, search, true);
	}
}

bool nhost_line_find(const void *object, uint64_t nbytes, uint64_t address, struct nhost_line *line)
{
	struct range file = {object, (const uint8_t *)object + nbytes};
	struct range units = find_section(file, ".debug_line");
	struct range strings = find_section(file, ".debug_line_str");
	struct search search = {.address = address};
	struct unit unit = {.line_range = 0};

	while (left(&units) && !search.is_found)
		if (read_unit(&units, strings, &unit))
			run(&unit, &search);
	if (!search.is_found)
		return false;
	line->line = (uint32_t)search.last.line;
	line->file = read_list(&unit, &unit.files, search.last.file);
	return line->file != NULL;
}
