/*
 * main.c - the firmware of a RISC-V machine that is a device: it offers its region to one host
 * after the other (device/attach.h).
 *
 * Harts 0, 1... are the cores. The hart behind the last core looks after them: it hears hosts come
 * and go, starts and stops the cores, and writes the heartbeat, whatever the cores do.
 */
#include "channels/memory.h"
#include "device/attach.h"
#include "emu/riscv/caches.h"
#include "emu/riscv/elf_load.h"
#include "emu/riscv/machine.h"
#include "emu/riscv/parameters.h"
#include "emu/riscv/uart.h"

extern char __firmware[], __firmware_end[];

enum {
	LOOK_NS = 500 * 1000,
	PARKED_NS = 200 * 1000,
};

static struct machine machine;
static struct ndev_attach attach;
static unsigned core_count;
static uint64_t session; /* how many hosts have come; the cores run while it is odd */

/* ---- cores ----------------------------------------------------------------------------------- */

static _Noreturn void be_core(uint64_t hart)
{
	uint64_t seen = 0;

	for (;;) {
		uint64_t now = nchan_load_acquire(&session);

		if (now == seen || now % 2 == 0) {
			machine_nap(PARKED_NS);
			continue;
		}
		seen = now;
		machine_core(&machine, (unsigned)hart);
	}
}

static void start_cores(void)
{
	nchan_store_release(&session, session + 1);
	for (unsigned i = 0; i < core_count; i++)
		while (!nchan_load_acquire(&machine_harts[i].is_core))
			__asm__ volatile(".word 0x0100000f");
}

static void stop_cores(void)
{
	nchan_store_release(&session, session + 1);
	for (unsigned i = 0; i < core_count; i++)
		machine_stop(i);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

static void say(const char *what)
{
	uart_text("nearside: ");
	uart_text(what);
	uart_text("\n");
}

static void welcome(void)
{
	ndev_attach_take(&attach);
	machine_begin(&machine);
	start_cores();
	ndev_attach_accept(&attach, machine_now_ns());
	say("a host has come");
}

static void part(void)
{
	uint64_t used = ndev_attach_far_used(&attach);

	stop_cores();
	ndev_close(machine.device);
	ndev_attach_offer(&attach, used);
	say("the host has gone");
}

static _Noreturn void look_after_hosts(void)
{
	uint64_t beat_at = 0;

	for (;;) {
		uint64_t now = machine_now_ns();

		switch (ndev_attach_look(&attach, now)) {
		case NDEV_CLAIMED:
			welcome();
			break;
		case NDEV_LEFT:
			part();
			break;
		case NDEV_NOTHING:
			machine_nap(LOOK_NS);
			break;
		}
		if (attach.owner)
			ndev_exchange(machine.device);
		if (now >= beat_at) {
			ndev_attach_beat(&attach);
			beat_at = now + (uint64_t)NREG_BEAT_MS * 1000000 / 2;
		}
	}
}

/* ---- start ----------------------------------------------------------------------------------- */

static _Noreturn void refuse(const char *why)
{
	say(why);
	machine_exit(1);
}

/* What QEMU left in far memory at start, if it is so large. */
static void clear_tree(const struct nreg_identity *identity)
{
	uint64_t begin = RISCV_TREE_END - RISCV_TREE_BYTES,
		 end = LAYOUT_RAM + identity->region_bytes;

	for (uint64_t i = 0; i < RISCV_TREE_BYTES && begin + i < end; i += 8)
		*(uint64_t *)(begin + i) = 0;
}

static void lay_out(const struct riscv_parameters *parameters, const struct nreg_identity *identity)
{
	uint64_t memory = ((uint64_t)__firmware_end + 4095) & ~4095ull;
	uint64_t nbytes = (ndev_memory_bytes(identity) + ELF_LOAD_ALIGN - 1) &
			  ~(uint64_t)(ELF_LOAD_ALIGN - 1);
	uint64_t end = LAYOUT_RAM + parameters->ram_nbytes;

	if (end < memory + nbytes + RISCV_CODE_BYTES)
		refuse("too little memory");
	machine = (struct machine){
		.region = (void *)LAYOUT_RAM,
		.memory = (void *)memory,
		.code = {(char *)memory + nbytes, end - memory - nbytes},
		.caches = parameters->is_incoherent ? &machine_caches : NULL,
	};
}

static _Noreturn void look_after(const struct riscv_parameters *parameters)
{
	struct nreg_identity identity;
	const struct nreg_identity *before = (const struct nreg_identity *)LAYOUT_RAM;
	unsigned generation = before->magic == NREG_MAGIC ? before->generation : 0;

	if (!riscv_identity(parameters, &identity))
		refuse("wrong parameters");
	if (LAYOUT_RAM + identity.region_bytes != (uint64_t)parameters)
		refuse("the firmware does not lie behind the region");
	lay_out(parameters, &identity);
	if (parameters->is_zero)
		clear_tree(&identity);
	ndev_attach_begin(&attach, machine.region, machine.caches, &identity, generation,
		parameters->suspect_ns);
	ndev_attach_offer(&attach, parameters->is_zero ? 0 : identity.far_bytes);
	say("waits for hosts");
	look_after_hosts();
}

void firmware_main(uint64_t hart)
{
	const struct riscv_parameters *parameters =
		(const void *)(__firmware - RISCV_PARAMETERS_BYTES);

	core_count = (unsigned)parameters->cores;
	if (hart == core_count)
		look_after(parameters);
	if (hart < core_count)
		be_core(hart);
	for (;;)
		__asm__ volatile("wfi");
}
