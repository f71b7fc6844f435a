#include "emu/riscv/machine.h"

#include "device/abi/image.h"
#include "emu/riscv/elf_load.h"
#include "emu/riscv/uart.h"

/* ---- what QEMU's virt machine has ------------------------------------------------------------ */

static volatile uint32_t *const test_device = (volatile uint32_t *)0x100000;
static volatile uint64_t *const timer_now = (volatile uint64_t *)0x0200bff8; /* 10 MHz */
static volatile uint64_t *const timer_at = (volatile uint64_t *)0x02004000;  /* per hart */

enum {
	TEST_PASS = 0x5555,
	TEST_FAIL = 0x3333, /* and the status in the upper half */
	NAP_TICKS = 500,    /* 50 us */
	ROUNDS_AWAKE = 1000,
	INTERRUPT_TIMER = 1 << 7,
};

void machine_exit(unsigned status)
{
	*test_device = status ? TEST_FAIL | status << 16 : TEST_PASS;
	for (;;)
		__asm__ volatile("wfi");
}

/* Called by start.S. */
void trap_report(uint64_t cause, uint64_t where, uint64_t value);

void trap_report(uint64_t cause, uint64_t where, uint64_t value)
{
	uart_text("trap: cause ");
	uart_hex(cause);
	uart_text(" at ");
	uart_hex(where);
	uart_text(", value ");
	uart_hex(value);
	uart_text("\n");
	machine_exit(3);
}

/*
 * Nothing outside can interrupt a hart: it sleeps for a moment. Its interrupts stay disabled, wfi
 * only waits for one.
 */
static void nap(uint64_t hart)
{
	timer_at[hart] = *timer_now + NAP_TICKS;
	__asm__ volatile("csrw mie, %0\n\twfi\n\tcsrw mie, zero"
		:
		: "r"((uint64_t)INTERRUPT_TIMER)
		: "memory");
}

void machine_idle(uint64_t hart, uint64_t rounds)
{
	if (rounds > ROUNDS_AWAKE)
		nap(hart);
	else
		__asm__ volatile(".word 0x0100000f" : : : "memory");
}

/* ---- firmware -------------------------------------------------------------------------------- */

/* No wake words here: a core looks again by itself. */
static void wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
}

static int load(void *context, const void *code, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle)
{
	struct machine *machine = context;
	int64_t used =
		elf_load(code, nbytes, machine->code, machine->code_bytes, kernel_count, kernels);

	*handle = NULL;
	if (used < 0)
		return (int)used;
	machine->code += used;
	machine->code_bytes -= (uint64_t)used;
	return 0;
}

/* Addresses of code are not used again: the translations of another hart could be older. */
static void unload(void *context, void *handle)
{
	(void)context;
	(void)handle;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

static void complete(struct nreg_identity *identity)
{
	identity->magic = NREG_MAGIC;
	identity->version = NREG_VERSION;
	identity->abi_version = NK_ABI_VERSION;
	identity->isa = NIMG_RISCV64;
	identity->generation = 1;
	identity->capabilities = NREG_COHERENT | NREG_PREEMPTS_KERNELS;
	identity->far_offset =
		align_up(NREG_CORES_OFFSET + identity->core_count * NREG_CORE_BYTES, NREG_ALIGN);
	identity->region_bytes = identity->far_offset + align_up(identity->far_bytes, NREG_ALIGN);
}

static void clear(uint64_t begin, uint64_t end)
{
	__builtin_memset((void *)begin, 0, end - begin);
}

bool machine_open(
	struct machine *machine, struct nreg_identity *identity, uint64_t begin, uint64_t end)
{
	const struct ndev_platform platform = {
		.wake = wake, .load = load, .unload = unload, .context = machine};
	uint64_t region = align_up(begin, NREG_ALIGN);
	uint64_t memory, code;

	complete(identity);
	memory = region + identity->region_bytes;
	code = align_up(memory + ndev_memory_bytes(identity), ELF_LOAD_ALIGN);
	if (code >= end)
		return false;
	clear(region, code);
	*machine = (struct machine){
		.region = (void *)region,
		.memory = (void *)memory,
		.code = (char *)code,
		.code_bytes = end - code,
	};
	__builtin_memcpy(machine->region, identity, sizeof *identity);
	machine->device = ndev_init(machine->memory, machine->region, &platform);
	return true;
}

void machine_core(struct machine *machine, unsigned index)
{
	struct ndev_core *core = ndev_core(machine->device, index);
	uint64_t hart, idle_rounds = 0;

	__asm__("csrr %0, mhartid" : "=r"(hart));
	for (;;) {
		if (ndev_core_step(core) || !ndev_core_may_sleep(core))
			idle_rounds = 0;
		else
			machine_idle(hart, idle_rounds++);
		/* Another hart may have loaded code that this one runs next. */
		__asm__ volatile("fence.i" : : : "memory");
	}
}
