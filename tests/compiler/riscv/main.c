/*
 * main.c - the kernels of accepted/ and faults/ as riscv64 code, on one hart of bare metal with the firmware of
 * fake_ops.h. Each run is a line for test_riscv.c to judge:
 *
 *     accepted KERNEL LEVEL SEED ENDING CODE HASH
 *     faults KERNEL LEVEL NUMBER ENDING KIND LINE
 */
#include "device/abi/image.h"
#include "emu/riscv/elf_load.h"
#include "emu/riscv/machine.h"
#include "emu/riscv/uart.h"
#include "tests/compiler/fake_ops.h"
#include "tests/compiler/riscv/runs.h"

/* images.S */
struct image {
	const char *bytes;
	uint64_t is_accepted;
	uint64_t level;
};
extern const struct image images[];

static _Alignas(4096) char code[4 * 1024 * 1024];
static struct {
	struct nk_near near;
	struct nk_process record;
	_Alignas(64) unsigned char frame[NK_FRAME_MAX];
} process_memory;
static _Alignas(64) uint8_t far_memory[RUN_NBYTES];
static struct world world;
static struct fake_process process;

static const struct nimg_header *header_of(const struct image *image)
{
	return (const void *)image->bytes;
}

static const char *text_of(const struct image *image, uint32_t string)
{
	return image->bytes + header_of(image)->strings.offset + string;
}

static void print_word(const char *text)
{
	uart_text(text);
	uart_text(" ");
}

static void print_number(int64_t number)
{
	uart_number(number);
	uart_text(" ");
}

static void run(const struct nk_code *kernel, bool is_const, uint64_t argument, bool killed)
{
	process = (struct fake_process){.world = &world, .segment_count = 1, .killed = killed};
	world.memory = far_memory;
	world.nbytes = sizeof far_memory;
	world.blocks = argument & 1;
	world_fill(&world, argument);
	process.segments[0] = (struct nk_segment){
		.base = RUN_BASE,
		.len = RUN_NBYTES,
		.writable = is_const ? 0 : RUN_NBYTES,
		.delta = (uint64_t)(uintptr_t)far_memory - RUN_BASE,
	};
	const uint64_t words[] = {RUN_BASE, RUN_NBYTES, argument};
	fake_run_code(kernel, &process_memory.record, &process, words);
	if (process.broken)
		print_word(process.broken);
}

static void print_run(const struct image *image, const char *name, uint64_t argument)
{
	char level[2] = {(char)image->level, '\0'};
	print_word(image->is_accepted ? "accepted" : "faults");
	print_word(name);
	print_word(level);
	print_number((int64_t)argument);
}

static void print_accepted(void)
{
	print_number(process.ending);
	print_number(process.code);
	print_number((int64_t)world_hash(&world));
	uart_text("\n");
}

static void print_fault(const struct image *image)
{
	const struct nimg_site *sites =
		(const void *)(image->bytes + header_of(image)->sites_offset);
	print_number(process.ending);
	print_number((int64_t)process.fault);
	print_number(process.ending == FAKE_FAULTED ? sites[process.site].line : 0);
	uart_text("\n");
}

static void run_kernel(
	const struct image *image, const struct nimg_kernel *kernel, const struct nk_code *compiled)
{
	const char *name = text_of(image, kernel->name);
	const struct nimg_param *params =
		(const void *)(image->bytes + header_of(image)->params_offset);
	bool is_const = params[kernel->first_param].is_const;
	bool killed = name[0] == 'e' && name[1] == 'n' && name[2] == 'd'; /* endless */
	uint64_t first = image->is_accepted ? 1 : 0;
	uint64_t last = image->is_accepted ? RUN_SEEDS : RUN_NUMBERS;
	for (uint64_t argument = first; argument <= last; argument++) {
		print_run(image, name, argument);
		run(compiled, is_const, argument, killed);
		if (image->is_accepted)
			print_accepted();
		else
			print_fault(image);
	}
}

static void run_image(const struct image *image)
{
	const struct nimg_header *header = header_of(image);
	const struct nimg_part *part = &header->code[NIMG_RISCV64];
	const struct nimg_kernel *kernels = (const void *)(image->bytes + header->kernels_offset);
	const struct nk_code *compiled;
	int64_t used = elf_load(image->bytes + part->offset, part->bytes, code, sizeof code,
		header->kernel_count, &compiled);
	__asm__ volatile("fence.i" : : : "memory");
	if (used < 0)
		print_word("the code cannot be loaded");
	for (uint32_t i = 0; used >= 0 && i < header->kernel_count; i++)
		run_kernel(image, &kernels[i], &compiled[i]);
}

void firmware_main(uint64_t hart)
{
	if (hart != 0)
		return;
	for (const struct image *image = images; image->bytes; image++)
		run_image(image);
	uart_text("done\n");
	machine_exit(0);
}
