#include "emu/riscv/elf_load.h"

#include "channels/memory.h"
#include "emu/elf64.h"

struct dynamic {
	int64_t tag;
	uint64_t value;
};

struct relocation {
	uint64_t offset;
	uint64_t info;
	int64_t addend;
};

struct symbol {
	uint32_t name;
	uint8_t info;
	uint8_t other;
	uint16_t section;
	uint64_t value;
	uint64_t size;
};

enum {
	TAG_HASH = 4,
	TAG_STRINGS = 5,
	TAG_SYMBOLS = 6,
	TAG_RELOCATIONS = 7,
	TAG_RELOCATIONS_BYTES = 8,
	TAG_STRINGS_BYTES = 10,
	TAG_COUNT = 16, /* more are of no interest */
	RISCV_RELATIVE = 3,
};

/* An object in memory, on its way. */
struct object {
	const struct nemu_elf *elf;
	char *base;
	uint64_t tag[TAG_COUNT]; /* values of the dynamic section; 0: absent */
};

/* nbytes of the object at this address, or NULL. */
static void *at(const struct object *object, uint64_t address, uint64_t nbytes)
{
	return nemu_elf_holds(object->elf, address, nbytes, false) ? object->base + address : NULL;
}

static void copy_segments(const struct nemu_elf *elf, const char *file, char *base)
{
	__builtin_memset(base, 0, elf->span);
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct nemu_segment *segment = &elf->segment[i];

		nchan_copy(base + segment->address, file + segment->offset, segment->file_bytes);
	}
}

static void read_dynamic(struct object *object)
{
	const struct dynamic *entry = at(object, object->elf->dynamic, object->elf->dynamic_bytes);
	uint64_t count = object->elf->dynamic_bytes / sizeof *entry;

	for (uint64_t i = 0; i < count && entry[i].tag; i++)
		if (entry[i].tag > 0 && entry[i].tag < TAG_COUNT)
			object->tag[entry[i].tag] = entry[i].value;
}

static bool relocate(const struct object *object)
{
	uint64_t nbytes = object->tag[TAG_RELOCATIONS_BYTES];
	const struct relocation *list = at(object, object->tag[TAG_RELOCATIONS], nbytes);

	if (nbytes && !list)
		return false;
	for (uint64_t i = 0; i < nbytes / sizeof *list; i++) {
		uint64_t *place = at(object, list[i].offset, sizeof *place);

		if (!place || list[i].offset % sizeof *place || list[i].info != RISCV_RELATIVE)
			return false;
		*place = (uint64_t)object->base + (uint64_t)list[i].addend;
	}
	return true;
}

static bool is_named(const struct object *object, const struct symbol *symbol)
{
	static const char wanted[] = "nk_kernels";
	const char *name = at(object, object->tag[TAG_STRINGS] + symbol->name, sizeof wanted);

	if (!name || symbol->name >= object->tag[TAG_STRINGS_BYTES])
		return false;
	for (unsigned i = 0; i < sizeof wanted; i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

/* The hash table says how many symbols there are; with so few, it is not needed to find one. */
static const struct nk_code *find_kernels(const struct object *object)
{
	const uint32_t *hash = at(object, object->tag[TAG_HASH], 2 * sizeof *hash);
	uint64_t count = hash ? hash[1] : 0;
	const struct symbol *symbols =
		at(object, object->tag[TAG_SYMBOLS], count * sizeof *symbols);

	for (uint64_t i = 1; symbols && i < count; i++)
		if (is_named(object, &symbols[i]))
			return (const struct nk_code *)(void *)(object->base + symbols[i].value);
	return NULL;
}

static bool prepare(struct object *object, unsigned kernel_count, const struct nk_code **kernels)
{
	read_dynamic(object);
	if (!relocate(object))
		return false;
	*kernels = find_kernels(object);
	return *kernels &&
	       !nemu_elf_check_kernels(object->elf, (uint64_t)object->base, *kernels, kernel_count);
}

int64_t elf_load(const void *file, uint64_t nbytes, char *to, uint64_t to_nbytes,
	unsigned kernel_count, const struct nk_code **kernels)
{
	struct nemu_elf elf;
	struct object object = {.elf = &elf, .base = to};
	uint64_t taken;

	if (nemu_elf_check(file, nbytes, NEMU_ELF_RISCV, &elf))
		return -NCHAN_EINVAL;
	taken = (elf.span + ELF_LOAD_ALIGN - 1) & ~(uint64_t)(ELF_LOAD_ALIGN - 1);
	if (taken > to_nbytes)
		return -NCHAN_ENOMEM;
	copy_segments(&elf, file, to);
	if (!prepare(&object, kernel_count, kernels))
		return -NCHAN_EINVAL;
	__asm__ volatile("fence rw, rw\n\tfence.i" : : : "memory");
	return (int64_t)taken;
}
