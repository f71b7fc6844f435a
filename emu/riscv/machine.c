#include "emu/riscv/machine.h"

#include "channels/memory.h"
#include "emu/riscv/uart.h"

struct machine_hart machine_harts[LAYOUT_HARTS];

_Static_assert(sizeof(struct machine_hart) == 1 << LAYOUT_HART_SHIFT, "as start.S finds them");
_Static_assert(offsetof(struct machine_hart, fence_wanted) == LAYOUT_HART_FENCE_WANTED &&
		       offsetof(struct machine_hart, fence_done) == LAYOUT_HART_FENCE_DONE &&
		       offsetof(struct machine_hart, stop_wanted) == LAYOUT_HART_STOP_WANTED,
	"as start.S finds them");

/* ---- what QEMU's virt machine has ------------------------------------------------------------ */

static volatile uint32_t *const test_device = (volatile uint32_t *)0x100000;
static volatile uint32_t *const interrupts = (volatile uint32_t *)LAYOUT_INTERRUPTS;
static volatile uint64_t *const timer_now = (volatile uint64_t *)0x0200bff8; /* 10 MHz */
static volatile uint64_t *const timer_at = (volatile uint64_t *)0x02004000;  /* per hart */

enum {
	TEST_PASS = 0x5555,
	TEST_FAIL = 0x3333, /* and the status in the upper half */
	TICK_NS = 100,
	NAP_NS = 50 * 1000,
	ROUNDS_AWAKE = 1000,
	INTERRUPT_OTHERS = 1 << 3, /* another hart's */
	INTERRUPT_TIMER = 1 << 7,
	MSTATUS_INTERRUPTS = 1 << 3,
};

void machine_exit(unsigned status)
{
	*test_device = status ? TEST_FAIL | status << 16 : TEST_PASS;
	for (;;)
		__asm__ volatile("wfi");
}

uint64_t machine_now_ns(void)
{
	return *timer_now * TICK_NS;
}

uint64_t machine_this_hart(void)
{
	uint64_t hart;

	__asm__("csrr %0, mhartid" : "=r"(hart));
	return hart;
}

static void interrupts_on(void)
{
	__asm__ volatile("csrs mstatus, %0" : : "i"(MSTATUS_INTERRUPTS) : "memory");
}

static void interrupts_off(void)
{
	__asm__ volatile("csrc mstatus, %0" : : "i"(MSTATUS_INTERRUPTS) : "memory");
}

static void choose_interrupts(uint64_t which)
{
	__asm__ volatile("csrw mie, %0" : : "r"(which) : "memory");
}

/*
 * Nothing outside can interrupt a hart, so it sleeps for a moment. The timer's interrupt only ends
 * wfi; it is never taken.
 */
void machine_nap(uint64_t ns)
{
	interrupts_off();
	timer_at[machine_this_hart()] = *timer_now + ns / TICK_NS;
	choose_interrupts(INTERRUPT_TIMER | INTERRUPT_OTHERS);
	__asm__ volatile("wfi" : : : "memory");
	choose_interrupts(INTERRUPT_OTHERS);
	interrupts_on();
}

static void pause_hart(void)
{
	__asm__ volatile(".word 0x0100000f" : : : "memory");
}

void machine_idle(uint64_t rounds)
{
	if (rounds > ROUNDS_AWAKE)
		machine_nap(NAP_NS);
	else
		pause_hart();
}

/* ---- traps ----------------------------------------------------------------------------------- */

static _Noreturn void end_by_trap(uint64_t cause, uint64_t where, uint64_t value)
{
	uart_text("trap in the firmware: hart ");
	uart_number((int64_t)machine_this_hart());
	uart_text(", cause ");
	uart_hex(cause);
	uart_text(" at ");
	uart_hex(where);
	uart_text(", value ");
	uart_hex(value);
	uart_text("\n");
	machine_exit(3);
}

/* Called by start.S. */
void machine_trap(uint64_t cause, uint64_t where, uint64_t value, uint64_t caller);

/*
 * An exception in a kernel's code is its process's fault; so is a jump to where no code is, which
 * the caller's address tells about. In the firmware it is the end.
 */
void machine_trap(uint64_t cause, uint64_t where, uint64_t value, uint64_t caller)
{
	struct machine_hart *hart = &machine_harts[machine_this_hart()];
	const struct code_part *code;

	if ((int64_t)cause < 0) {
		nchan_store(&hart->stop_wanted, 0);
		interrupts_on();
		ndev_context_jump(&hart->parked);
	}
	code = code_find(where);
	if (!code) {
		where = caller - 1;
		code = cause <= 1 ? code_find(where) : NULL;
	}
	if (!code || !hart->core)
		end_by_trap(cause, where, value);
	interrupts_on();
	ndev_core_trap(hart->core, value, where - (uint64_t)code->base);
	end_by_trap(cause, where, value);
}

/* ---- what harts want of each other ----------------------------------------------------------- */

static void interrupt(uint64_t hart)
{
	__asm__ volatile("fence rw, ow" : : : "memory");
	interrupts[hart] = 1;
}

static void fence_code_here(void)
{
	__asm__ volatile("fence rw, rw\n\tfence.i" : : : "memory");
}

static void ask_for_fence(uint64_t number)
{
	struct machine_hart *hart = &machine_harts[number];
	uint64_t wanted = hart->fence_wanted + 1;

	nchan_store(&hart->fence_wanted, wanted);
	interrupt(number);
	while (nchan_load_acquire(&hart->fence_done) != wanted &&
		nchan_load_acquire(&hart->is_core))
		pause_hart();
}

void machine_fence_code(void)
{
	fence_code_here();
	for (uint64_t hart = 0; hart < LAYOUT_HARTS; hart++)
		if (hart != machine_this_hart() && nchan_load_acquire(&machine_harts[hart].is_core))
			ask_for_fence(hart);
}

void machine_stop(uint64_t hart)
{
	struct machine_hart *other = &machine_harts[hart];

	nchan_store_release(&other->stop_wanted, 1);
	interrupt(hart);
	while (nchan_load_acquire(&other->is_core))
		pause_hart();
}

/* ---- firmware -------------------------------------------------------------------------------- */

/* No wake words here: a core looks again by itself. */
static void wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
}

static int load(void *context, const void *file, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle)
{
	struct machine *machine = context;
	int result = code_load(&machine->code, file, nbytes, kernel_count, kernels, handle);

	if (!result)
		machine_fence_code();
	return result;
}

static void unload(void *context, void *handle)
{
	(void)context;
	code_unload(handle);
}

void machine_begin(struct machine *machine)
{
	const struct ndev_platform platform = {.wake = wake,
		.load = load,
		.unload = unload,
		.context = machine,
		.caches = machine->caches};

	ndev_clear(machine->memory, machine->region);
	code_forget_all();
	machine->device = ndev_init(machine->memory, machine->region, &platform);
}

static _Noreturn void run_core(struct ndev_core *core)
{
	uint64_t idle_rounds = 0;

	for (;;) {
		if (ndev_core_step(core) || !ndev_core_may_sleep(core))
			idle_rounds = 0;
		else
			machine_idle(idle_rounds++);
	}
}

void machine_core(struct machine *machine, unsigned index)
{
	struct machine_hart *hart = &machine_harts[machine_this_hart()];

	hart->core = ndev_core(machine->device, index);
	if (!ndev_context_save(&hart->parked)) {
		nchan_store_release(&hart->is_core, 1);
		fence_code_here();
		choose_interrupts(INTERRUPT_OTHERS);
		interrupts_on();
		run_core(hart->core);
	}
	hart->core = NULL;
	nchan_store_release(&hart->is_core, 0);
}
