#include "emu/vm/guest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/abi/region.h"
#include "emu/vm/arguments.h"
#include "emu/vm/place.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* QEMU's ends of the sockets, and what else it gets. */
struct descriptors {
	int port[VM_PORT_COUNT];
	int console;
	const struct vm_guest_plan *plan;
};

/* ---- its command line ------------------------------------------------------------------------ */

/*
 * Debian's kernels commit no CXL region while they see a hypervisor. Two processors, for with one
 * QEMU would not keep atomic operations atomic for other programs.
 */
static void add_machine(struct vm_arguments *to, const struct vm_guest_plan *plan)
{
	vm_argument(to, "qemu-system-x86_64");
	vm_option(to, "-accel", "tcg,thread=multi");
	vm_option(to, "-cpu", "max,-hypervisor");
	vm_option(to, "-smp", "2");
	vm_option(to, "-display", "none");
	vm_option(to, "-monitor", "none");
	vm_argument(to, "-nodefaults");
	vm_argument(to, "-no-reboot");
	vm_option(to, "-kernel", "%s", vm_place_cached("kernel/vmlinuz").text);
	vm_option(to, "-initrd", "/proc/self/fd/%d", plan->initramfs);
	vm_option(
		to, "-append", "console=ttyS0 panic=-1 quiet mitigations=off random.trust_cpu=on");
}

static void add_far_memory(struct vm_arguments *to, const struct vm_guest_plan *plan)
{
	uint64_t window = nreg_align_up(plan->memory_nbytes, 4 * GIB);

	vm_option(to, "-object",
		"memory-backend-file,id=far,share=on,mem-path=/proc/self/fd/%d,size=%" PRIu64,
		plan->memory, plan->memory_nbytes);
	if (plan->far == VM_FAR_NUMA) {
		vm_option(to, "-M", "q35");
		vm_option(to, "-m", "%" PRIu64 "M", (GIB + plan->memory_nbytes) / MIB);
		vm_option(to, "-object", "memory-backend-ram,id=near,size=1G");
		vm_option(to, "-numa", "node,nodeid=0,cpus=0-1,memdev=near");
		vm_option(to, "-numa", "node,nodeid=1,memdev=far");
		vm_option(to, "-numa", "dist,src=0,dst=1,val=40");
		return;
	}
	vm_option(to, "-m", "1G");
	vm_option(to, "-M", "q35,cxl=on,cxl-fmw.0.targets.0=cxl.1,cxl-fmw.0.size=%" PRIu64 "G",
		window / GIB);
	vm_option(to, "-device", "pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl.1");
	vm_option(to, "-device", "cxl-rp,port=0,bus=cxl.1,id=rp0,chassis=0,slot=2");
	vm_option(to, "-device", "cxl-type3,bus=rp0,volatile-memdev=far,id=cxl-mem0");
}

static void add_ports(struct vm_arguments *to, const struct descriptors *its)
{
	static const char *const names[] = {
#define TEXT(port, name) name,
		VM_PORTS(TEXT)
#undef TEXT
	};

	vm_option(to, "-chardev", "socket,id=console,fd=%d", its->console);
	vm_option(to, "-serial", "chardev:console");
	vm_option(to, "-device", "virtio-serial-pci,bus=pcie.0");
	for (int i = 0; i < VM_PORT_COUNT; i++) {
		vm_option(to, "-chardev", "socket,id=%s,fd=%d", names[i], its->port[i]);
		vm_option(to, "-device", "%s,chardev=%s,name=%s",
			i == VM_PORT_TERMINAL ? "virtconsole" : "virtserialport", names[i],
			names[i]);
	}
}

/* ---- start and end --------------------------------------------------------------------------- */

static void close_all(const int *port, int console)
{
	for (int i = 0; i < VM_PORT_COUNT; i++)
		if (port[i] >= 0)
			close(port[i]);
	if (console >= 0)
		close(console);
}

static bool make_socket(int *ours, int *theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return false;
	*ours = ends[0];
	*theirs = ends[1];
	return true;
}

static bool make_sockets(struct vm_guest *guest, struct descriptors *its)
{
	bool is_good = make_socket(&guest->console, &its->console);

	for (int i = 0; i < VM_PORT_COUNT && is_good; i++)
		is_good = make_socket(&guest->port[i], &its->port[i]);
	return is_good;
}

static bool start(struct vm_guest *guest, const struct descriptors *its)
{
	struct vm_arguments arguments = {.count = 0};
	int kept[VM_PORT_COUNT + 4], count = 0;

	add_machine(&arguments, its->plan);
	add_far_memory(&arguments, its->plan);
	add_ports(&arguments, its);
	for (; count < VM_PORT_COUNT; count++)
		kept[count] = its->port[count];
	kept[count++] = its->console;
	kept[count++] = its->plan->memory;
	kept[count++] = its->plan->initramfs;
	kept[count] = -1;
	return vm_child_start(&guest->child, arguments.list, its->console, kept);
}

int vm_guest_start(
	struct vm_guest *guest, const struct vm_guest_plan *plan, struct nhost_error *error)
{
	struct descriptors its = {.console = -1, .plan = plan};
	int result = 0;

	*guest = VM_GUEST_NONE;
	memset(its.port, -1, sizeof its.port);
	if (!make_sockets(guest, &its) || !start(guest, &its))
		result = nhost_fail(error, errno, "cannot start the guest: %s", strerror(errno));
	close_all(its.port, its.console);
	if (result)
		vm_guest_end(guest);
	return result;
}

void vm_guest_end(struct vm_guest *guest)
{
	vm_child_end(&guest->child);
	close_all(guest->port, guest->console);
	*guest = VM_GUEST_NONE;
}
