/*
 * smoke.c - the whole device on bare metal, with a small host beside it: hart 0 plays the host,
 * harts 1 and 2 are cores.
 *
 * Host and cores meet in the region alone, as if the host were another machine: no wake words, and
 * far addresses that the cores must translate. What comes out is printed and compared with
 * expected.txt.
 */
#include "channels/memory.h"
#include "device/abi/image.h"
#include "emu/riscv/elf_load.h"
#include "emu/riscv/machine.h"
#include "emu/riscv/parameters.h"
#include "emu/riscv/uart.h"
#include "tests/emu/small_host.h"

enum {
	CORES = 2,
	FAR_BYTES = 4 * 1024 * 1024,
	NUMBERS_OFFSET = 1024 * 1024, /* in far memory; images lie below */
	NUMBERS = 1000,
	RAM_BYTES = 64 * 1024 * 1024,
	DEVICE_TREE_BYTES = 2 * 1024 * 1024, /* at the end of RAM */
};

/* Where the host sees the region: an address that means nothing on this machine. */
static const uint64_t base = 0x7e8000000000;

extern const char hello_image[], kernels_image[], __firmware_end[];

static struct machine machine;
static struct small_host host;
static uint64_t is_open;

/* ---- the host -------------------------------------------------------------------------------- */

static int wait(struct small_host *self)
{
	for (uint64_t rounds = 0; !nchan_place_has_lines(&self->place); rounds++)
		if (small_host_may_sleep(self))
			machine_idle(rounds);
	return 0;
}

static void wake(void *context, unsigned core)
{
	(void)context;
	(void)core;
}

static void fail(const char *what, int64_t code)
{
	uart_text("failed: ");
	uart_text(what);
	uart_text(": ");
	uart_number(code);
	uart_text("\n");
	machine_exit(1);
}

static void load(unsigned image, const char *bytes, uint64_t offset)
{
	const struct nimg_header *header = (const struct nimg_header *)(const void *)bytes;
	const struct nimg_part *code = &header->code[NIMG_RISCV64];
	char *far_memory = (char *)machine.region + host.identity->far_offset;
	int status;

	nchan_copy(far_memory + offset, bytes + code->offset, code->bytes);
	status = small_host_load(&host, image, offset, code->bytes, header->kernel_count);
	if (status)
		fail("load", status);
}

/* The number of a kernel in an image by its name. */
static unsigned find(const char *bytes, const char *name)
{
	const struct nimg_header *header = (const struct nimg_header *)(const void *)bytes;
	const struct nimg_kernel *kernels =
		(const struct nimg_kernel *)(const void *)(bytes + header->kernels_offset);

	for (unsigned i = 0; i < header->kernel_count; i++) {
		const char *found = bytes + header->strings.offset + kernels[i].name;
		unsigned same = 0;

		while (found[same] == name[same] && name[same])
			same++;
		if (found[same] == name[same])
			return i;
	}
	fail(name, -NCHAN_EINVAL);
	return 0;
}

static const char *fault_text(unsigned fault)
{
	static const char *const texts[NK_FAULT_COUNT] = {"no fault",
#define TEXT(name, text) text,
		NK_FAULTS(TEXT)
#undef TEXT
	};

	return fault < NK_FAULT_COUNT ? texts[fault] : "unknown fault";
}

static void print_exit(const char *kernel)
{
	const struct nmsg_exit *how = &host.last_exit;

	uart_text(kernel);
	switch (how->ending) {
	case NMSG_EXITED:
		uart_text(" exited with ");
		uart_number(how->value);
		break;
	case NMSG_FAULTED:
		uart_text(" faulted: ");
		uart_text(fault_text(how->fault));
		break;
	case NMSG_KILLED:
		uart_text(" was killed");
		break;
	default:
		uart_text(" was refused: ");
		uart_number(how->value);
	}
	uart_text("\n");
}

static void spawn(const struct small_spawn *wanted)
{
	int status = small_host_spawn(&host, wanted);

	if (status)
		fail("spawn", status);
}

static void wait_and_print(const char *kernel)
{
	small_host_wait_exits(&host, host.exit_count + 1);
	print_exit(kernel);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Far memory that holds nothing yet is no code. */
static void show_refusal(void)
{
	uart_text("garbage as code: ");
	uart_number(small_host_load(&host, 3, NUMBERS_OFFSET, 4096, 1));
	uart_text("\n");
}

static void greet(const char *name, uint64_t nbytes)
{
	char answer[64];
	int64_t got;

	if (small_host_write(&host, 1, name, nbytes) != (int64_t)nbytes)
		fail("write", 0);
	got = small_host_read(&host, 2, answer, sizeof answer);
	if (got < 0)
		fail("read", got);
	uart_write(answer, (uint64_t)got);
	uart_text("\n");
}

/* examples/hello.c, through two pipes. */
static void show_hello(void)
{
	const struct small_spawn hello = {
		.core = 0,
		.image = 1,
		.kernel = find(hello_image, "hello"),
		.self = nreg_self(1, 1),
		.end_count = 2,
		.ends = {1, 2 | NMSG_END_WRITES},
	};

	small_host_pipe(&host, 1);
	small_host_pipe(&host, 2);
	spawn(&hello);
	greet("world", 5);
	greet("far memory", 10);
	small_host_close_writer(&host, 1);
	wait_and_print("hello");
}

/* A kernel of kernels.c on the other core, with two argument words. */
static void run(const char *kernel, uint32_t process, uint64_t first, uint64_t second)
{
	const struct small_spawn wanted = {
		.core = 1,
		.image = 2,
		.kernel = find(kernels_image, kernel),
		.self = nreg_self(process, 1),
		.word_count = 2,
		.words = {first, second},
		.grant_set = 1,
	};

	spawn(&wanted);
	wait_and_print(kernel);
}

static void show_far_memory_and_faults(void)
{
	uint64_t address = base + host.identity->far_offset + NUMBERS_OFFSET;
	uint32_t *numbers = (uint32_t *)(void *)((char *)machine.region +
						 host.identity->far_offset + NUMBERS_OFFSET);
	const struct nmsg_grant grant = {.base = address, .len = NUMBERS * sizeof numbers[0]};

	for (uint32_t i = 0; i < NUMBERS; i++)
		numbers[i] = i;
	small_host_grant(&host, 1, 1, &grant);
	run("sum", 1, address, NUMBERS);
	uart_text("it logged: ");
	uart_write(host.log, host.log_nbytes);
	uart_text("\n");
	run("sum", 2, address, NUMBERS + 1);
	run("store", 3, address, 5);
	run("quotient", 4, 6, 3);
	run("quotient", 5, 1, 0);
	run("quotient", 6, 1ull << 63, ~0ull);
}

static void show_kill(void)
{
	const struct small_spawn loop = {
		.core = 1,
		.image = 2,
		.kernel = find(kernels_image, "for_ever"),
		.self = nreg_self(7, 1),
	};
	const struct nreg_core_status *status = &nreg_core(machine.region, 1)->status;

	spawn(&loop);
	for (uint64_t rounds = 0; nchan_load(&status->running) != loop.self; rounds++)
		machine_idle(rounds);
	small_host_kill(&host, 1, loop.self);
	wait_and_print("for_ever");
}

static void play_host(void)
{
	const struct small_host_platform platform = {wait, wake, NULL, NULL};

	small_host_init(&host, machine.region, &platform);
	show_refusal();
	load(1, hello_image, 0);
	load(2, kernels_image, 512 * 1024);
	show_hello();
	show_far_memory_and_faults();
	show_kill();
	if (host.place.faults)
		fail("lines that make no sense", (int64_t)host.place.faults);
	uart_text("done\n");
	machine_exit(0);
}

/* ---- harts ----------------------------------------------------------------------------------- */

static void open_device(void)
{
	const struct riscv_parameters parameters = {
		.base = base,
		.cores = CORES,
		.far_nbytes = FAR_BYTES,
		.processes = 64,
		.pipes = SMALL_HOST_PIPES,
	};
	uint64_t region = nreg_align_up((uint64_t)__firmware_end, NREG_ALIGN);
	uint64_t end = LAYOUT_RAM + RAM_BYTES - DEVICE_TREE_BYTES;
	struct nreg_identity identity;
	uint64_t memory, code;

	if (!riscv_identity(&parameters, &identity))
		fail("wrong parameters", 0);
	identity.generation = 1;
	identity.cells_max = 4096;
	identity.grant_sets_max = 16;
	identity.frame_bytes_max = 1024 * 1024;
	identity.scratch_bytes = 0;
	memory = region + identity.region_bytes;
	code = nreg_align_up(memory + ndev_memory_bytes(&identity), ELF_LOAD_ALIGN);
	if (code >= end)
		fail("too little memory", 0);
	__builtin_memset((void *)region, 0, identity.region_bytes);
	__builtin_memcpy((void *)region, &identity, sizeof identity);
	machine = (struct machine){
		.region = (void *)region,
		.memory = (void *)memory,
		.code = {(char *)code, end - code},
	};
	machine_begin(&machine);
	nchan_store_release(&is_open, 1);
}

void firmware_main(uint64_t hart)
{
	if (hart == 0) {
		open_device();
		play_host();
	}
	for (uint64_t rounds = 0; !nchan_load_acquire(&is_open); rounds++)
		machine_idle(rounds);
	if (hart <= CORES)
		machine_core(&machine, (unsigned)hart - 1);
	for (;;)
		machine_idle(~0ull);
}
