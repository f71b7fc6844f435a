#include "emu/elf64.h"

#include "channels/memory.h"

struct file_header {
	unsigned char ident[16];
	uint16_t type;
	uint16_t machine;
	uint32_t version;
	uint64_t entry;
	uint64_t program_offset;
	uint64_t section_offset;
	uint32_t flags;
	uint16_t header_bytes;
	uint16_t program_entry_bytes;
	uint16_t program_count;
	uint16_t section_entry_bytes;
	uint16_t section_count;
	uint16_t section_names;
};

struct program_header {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t physical;
	uint64_t file_bytes;
	uint64_t memory_bytes;
	uint64_t align;
};

_Static_assert(sizeof(struct file_header) == 64, "as ELF says");
_Static_assert(sizeof(struct program_header) == 56, "as ELF says");

enum {
	TYPE_SHARED = 3,
	SEGMENT_LOAD = 1,
	SEGMENT_DYNAMIC = 2,
	SEGMENT_INTERPRETER = 3,
	SEGMENT_THREAD_LOCAL = 7,
	FLAG_EXECUTE = 1,
	FLAG_WRITE = 2,
};

/* 64 bits, little-endian, version 1. */
static const unsigned char ident[7] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

static bool is_inside(uint64_t offset, uint64_t nbytes, uint64_t limit)
{
	return offset <= limit && nbytes <= limit - offset;
}

static bool header_is_right(const struct file_header *header, uint64_t nbytes, unsigned machine)
{
	for (unsigned i = 0; i < sizeof ident; i++)
		if (header->ident[i] != ident[i])
			return false;
	return header->type == TYPE_SHARED && header->machine == machine &&
	       header->program_entry_bytes == sizeof(struct program_header) &&
	       is_inside(header->program_offset,
		       (uint64_t)header->program_count * sizeof(struct program_header), nbytes);
}

/* Segments come in the order of their addresses, the first at 0, and do not overlap. */
static bool take_segment(
	struct nemu_elf *elf, const struct program_header *program, uint64_t nbytes)
{
	if (elf->segment_count == NEMU_SEGMENTS_MAX ||
		!is_inside(program->offset, program->file_bytes, nbytes) ||
		program->file_bytes > program->memory_bytes || program->address < elf->span ||
		!is_inside(program->address, program->memory_bytes, NEMU_CODE_BYTES_MAX))
		return false;
	elf->segment[elf->segment_count++] = (struct nemu_segment){
		.offset = program->offset,
		.file_bytes = program->file_bytes,
		.address = program->address,
		.memory_bytes = program->memory_bytes,
		.writable = program->flags & FLAG_WRITE,
		.executable = program->flags & FLAG_EXECUTE,
	};
	elf->span = program->address + program->memory_bytes;
	return true;
}

static bool take_program(
	struct nemu_elf *elf, const struct program_header *program, uint64_t nbytes)
{
	switch (program->type) {
	case SEGMENT_LOAD:
		return take_segment(elf, program, nbytes);
	case SEGMENT_DYNAMIC:
		elf->dynamic = program->address;
		elf->dynamic_bytes = program->file_bytes;
		return true;
	case SEGMENT_INTERPRETER:
	case SEGMENT_THREAD_LOCAL:
		return false;
	default:
		return true;
	}
}

int nemu_elf_check(const void *bytes, uint64_t nbytes, unsigned machine, struct nemu_elf *elf)
{
	const char *file = bytes;
	struct file_header header;
	struct program_header program;

	*elf = (struct nemu_elf){0};
	if (nbytes < sizeof header || nbytes > NEMU_CODE_BYTES_MAX)
		return -NCHAN_EINVAL;
	nchan_copy(&header, file, sizeof header);
	if (!header_is_right(&header, nbytes, machine))
		return -NCHAN_EINVAL;
	for (unsigned i = 0; i < header.program_count; i++) {
		nchan_copy(&program, file + header.program_offset + i * sizeof program,
			sizeof program);
		if (!take_program(elf, &program, nbytes))
			return -NCHAN_EINVAL;
	}
	if (!elf->dynamic_bytes || !nemu_elf_holds(elf, elf->dynamic, elf->dynamic_bytes, false))
		return -NCHAN_EINVAL;
	return 0;
}

bool nemu_elf_holds(const struct nemu_elf *elf, uint64_t address, uint64_t nbytes, bool executable)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct nemu_segment *segment = &elf->segment[i];

		if (address >= segment->address && (!executable || segment->executable) &&
			is_inside(address - segment->address, nbytes, segment->memory_bytes))
			return true;
	}
	return false;
}

int nemu_elf_check_kernels(const struct nemu_elf *elf, uint64_t base, const struct nk_code *kernels,
	unsigned kernel_count)
{
	if (!nemu_elf_holds(
		    elf, (uintptr_t)kernels - base, kernel_count * sizeof kernels[0], false))
		return -NCHAN_EINVAL;
	for (unsigned i = 0; i < kernel_count; i++)
		if (!nemu_elf_holds(elf, (uintptr_t)kernels[i].entry - base, 1, true) ||
			kernels[i].frame_bytes > NK_FRAME_MAX)
			return -NCHAN_EINVAL;
	return 0;
}
