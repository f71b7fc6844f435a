#include "emu/vm/cores.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emu/riscv/layout.h"
#include "emu/vm/arguments.h"
#include "emu/vm/guest.h"
#include "emu/vm/place.h"
#include "host/region.h"

/* QEMU puts its device tree below 3 GiB: the firmware must not lie there. */
static bool meets_tree(const struct nreg_identity *identity)
{
	uint64_t begin = LAYOUT_RAM + identity->region_bytes;
	uint64_t end = begin + RISCV_PARAMETERS_BYTES + RISCV_FIRMWARE_BYTES;

	return begin < RISCV_TREE_END && end > RISCV_TREE_END - RISCV_TREE_BYTES;
}

int vm_cores_plan(
	struct vm_cores_plan *plan, const struct vm_options *options, struct nhost_error *error)
{
	struct riscv_parameters *parameters = &plan->parameters;
	struct nhost_options usual;
	int result = nhost_options_parse("", NHOST_NO_PLACE, false, &usual, error);

	if (result)
		return result;
	*plan = (struct vm_cores_plan){
		.kind = options->device, .gdb_port = options->gdb_port, .memory = -1};
	*parameters = (struct riscv_parameters){
		.cores = options->cores,
		.far_nbytes = options->far_nbytes,
		.base = NHOST_BASE,
		.processes = usual.processes,
		.pipes = usual.pipes,
		.suspect_ns = usual.suspect_s * UINT64_C(1000000000),
		.is_zero = 1,
		.is_incoherent = options->is_incoherent,
	};
	do {
		if (!riscv_identity(parameters, &plan->identity))
			return nhost_fail(error, EINVAL,
				"no machine has so many cores (%u) and so "
				"much far memory (%" PRIu64 " bytes)",
				options->cores, options->far_nbytes);
		parameters->far_nbytes += NREG_ALIGN;
	} while (meets_tree(&plan->identity));
	parameters->far_nbytes -= NREG_ALIGN;
	plan->memory_nbytes = nreg_align_up(riscv_ram_nbytes(&plan->identity), VM_FAR_ALIGN);
	parameters->ram_nbytes = plan->memory_nbytes;
	return 0;
}

/* ---- command lines --------------------------------------------------------------------------- */

static void add_parameters(
	struct vm_arguments *to, uint64_t address, const struct riscv_parameters *parameters)
{
	const uint64_t *word = (const uint64_t *)parameters;

	for (size_t i = 0; i < sizeof *parameters / sizeof *word; i++)
		vm_option(to, "-device", "loader,addr=0x%" PRIx64 ",data=0x%" PRIx64 ",data-len=8",
			address + 8 * i, word[i]);
}

/* Two harts or more, as QEMU keeps atomic operations atomic for other programs only then. */
static void add_riscv(struct vm_arguments *to, const struct vm_cores_plan *plan, int console)
{
	uint64_t parameters = LAYOUT_RAM + plan->identity.region_bytes;
	uint64_t firmware = parameters + RISCV_PARAMETERS_BYTES;
	unsigned harts = plan->identity.core_count + 1;

	vm_argument(to, "qemu-system-riscv64");
	vm_option(to, "-M", "virt,memory-backend=far");
	vm_option(to, "-accel", "tcg,thread=multi");
	vm_option(to, "-smp", "%u", harts);
	vm_option(to, "-m", "%" PRIu64 "M", plan->memory_nbytes >> 20);
	vm_option(to, "-bios", "none");
	vm_option(to, "-display", "none");
	vm_option(to, "-monitor", "none");
	vm_argument(to, "-nodefaults");
	vm_argument(to, "-no-reboot");
	vm_option(to, "-chardev", "socket,id=console,fd=%d", console);
	vm_option(to, "-serial", "chardev:console");
	vm_option(to, "-object",
		"memory-backend-file,id=far,share=on,mem-path=/proc/self/fd/%d,size=%" PRIu64,
		plan->memory, plan->memory_nbytes);
	add_parameters(to, parameters, &plan->parameters);
	vm_option(to, "-device", "loader,file=%s,addr=0x%" PRIx64 ",force-raw=on",
		vm_place_library("riscv.bin").text, firmware);
	for (unsigned hart = 0; hart < harts; hart++)
		vm_option(to, "-device", "loader,addr=0x%" PRIx64 ",cpu-num=%u", firmware, hart);
	if (plan->gdb_port) {
		vm_option(to, "-gdb", "tcp:127.0.0.1:%u", plan->gdb_port);
		vm_argument(to, "-S");
	}
}

static void add_native(struct vm_arguments *to, const struct vm_cores_plan *plan)
{
	vm_argument(to, "%s", vm_place_program("nearside-device").text);
	vm_argument(to, "serve");
	vm_option(to, "--file", "/proc/self/fd/%d", plan->memory);
	vm_option(to, "--cores", "%u", plan->identity.core_count);
	vm_option(to, "--far", "%" PRIu64, plan->identity.far_bytes);
	vm_option(to, "--base", "0x%" PRIx64, plan->parameters.base);
	if (plan->parameters.is_incoherent)
		vm_option(to, "--incoherent", "flush");
}

/* ---- start and end --------------------------------------------------------------------------- */

/* A positive errno. */
static int start_child(
	struct vm_cores *cores, const struct vm_arguments *arguments, int console, int memory)
{
	const int kept[] = {console, memory, -1};

	if (arguments->is_too_long)
		return E2BIG;
	return vm_child_start(&cores->child, arguments->list, console, kept) ? 0 : errno;
}

int vm_cores_start(
	struct vm_cores *cores, const struct vm_cores_plan *plan, struct nhost_error *error)
{
	struct vm_arguments arguments = {.count = 0};
	int ends[2], number;

	*cores = (struct vm_cores){.console = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return nhost_fail(error, errno, "cannot start the cores: %s", strerror(errno));
	if (plan->kind == VM_NATIVE)
		add_native(&arguments, plan);
	else
		add_riscv(&arguments, plan, ends[1]);
	cores->console = ends[0];
	number = start_child(cores, &arguments, ends[1], plan->memory);
	close(ends[1]);
	if (!number)
		return 0;
	vm_cores_end(cores);
	return nhost_fail(error, number, "cannot start %s, the machine of the cores: %s",
		arguments.list[0], strerror(number));
}

void vm_cores_end(struct vm_cores *cores)
{
	vm_child_end(&cores->child);
	if (cores->console >= 0)
		close(cores->console);
	cores->console = -1;
}
