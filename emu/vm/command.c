/* command.c - `nearside vm`: which of its commands. */
#include <stdio.h>
#include <string.h>

#include "emu/command/command.h"
#include "emu/vm/needs.h"
#include "emu/vm/options.h"
#include "emu/vm/run.h"
#include "emu/vm/vm.h"

static const char help[] =
	"usage: nearside vm run [OPTION]... -- PROGRAM [ARGUMENT]...\n"
	"       nearside vm shell [OPTION]...\n"
	"       nearside vm device [OPTION]... -- PROGRAM [ARGUMENT]...\n"
	"       nearside vm device [OPTION]... --file FILE\n"
	"       nearside vm check\n"
	"       nearside vm --help\n"
	"\n"
	"Machines that QEMU emulates on this one.\n"
	"\n"
	"  run              PROGRAM in a Linux guest that has far memory behind CXL, with cores beside it\n"
	"  shell            a prompt in that guest\n"
	"  device           PROGRAM on this machine, its device being cores that QEMU emulates; or these cores\n"
	"                   alone, for programs that open file:FILE, until it is interrupted\n"
	"  check            whether QEMU and what else is needed is installed, and which versions\n"
	"\n"
	"The guest has the program, its libraries, files that its arguments name, and busybox. What the\n"
	"program does with NEARSIDE_DEVICE unset or NULL happens on the device in far memory.\n"
	"\n"
	"  -d, --device KIND  who executes: riscv (cores that QEMU emulates, the default) or native\n"
	"                     (nearside-device on this machine)\n"
	"  -c, --cores N      of the device (2)\n"
	"  -f, --far SIZE     far memory, such as 512M (256M)\n"
	"  -w, --with FILE    also in the guest, with its libraries if it is a program; may be repeated\n"
	"      --file FILE    of device: a new file that the region lies in; it goes with the device\n"
	"      --numa         far memory is a NUMA node without processors instead, and no device there\n"
	"      --incoherent   far memory is treated as not coherent, and caches are written back\n"
	"      --timeout S    ends after S seconds, a shell only before its prompt; 0: never (180; with --gdb\n"
	"                     or --file: 0)\n"
	"      --gdb[=PORT]   the cores stop at their start and wait for gdb at this TCP port (1234)\n"
	"  -k, --keep         far memory, consoles and the guest's file system stay, in a new folder\n"
	"  -v, --verbose      what happens, and what the consoles say, to standard error\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: that of PROGRAM; 124 the time was over; 125 the machines failed; 126, 127 PROGRAM\n"
	"cannot be run; 2 wrong usage. Of check: 1 something is missing, and it says what to install.\n";

static int check(void)
{
	char missing[2048], found[2048];
	bool has_all = vm_needs_check(
		VM_NEEDS_RISCV | VM_NEEDS_GUEST, missing, sizeof missing, found, sizeof found);
	int result = command_print(found);

	fputs(missing, stderr);
	return has_all ? result : COMMAND_FAILED;
}

static int run(const struct vm_options *options)
{
	if (!options->program[0])
		return command_fail(
			COMMAND_USAGE, "vm run", "no program; nearside vm --help says more");
	return vm_run(options);
}

static int shell(const struct vm_options *options)
{
	static char busybox[] = "/bin/busybox", word[] = "sh";
	static char *program[] = {busybox, word, NULL};
	struct vm_options shell = *options;

	if (options->program[0])
		return command_fail(COMMAND_USAGE, "vm shell",
			"a shell takes no program; nearside vm run does");
	shell.program = program;
	shell.wants_terminal = true;
	return vm_run(&shell);
}

static int device(const struct vm_options *options)
{
	struct vm_options device = *options;

	if (!options->program[0] == !options->file || options->device != VM_RISCV)
		return command_fail(COMMAND_USAGE, "vm device",
			"a program or --file is wanted, and cores that QEMU emulates");
	if (options->file && !options->has_timeout)
		device.timeout_s = 0;
	return vm_device(&device);
}

static const struct {
	const char *name;
	int (*run)(const struct vm_options *options);
} commands_of_vm[] = {{"run", run}, {"shell", shell}, {"device", device}};

static int run_by_name(int argc, char **argv)
{
	struct vm_options options;
	char name[32];

	for (size_t i = 0; i < sizeof commands_of_vm / sizeof commands_of_vm[0]; i++) {
		if (strcmp(commands_of_vm[i].name, argv[0]))
			continue;
		snprintf(name, sizeof name, "vm %s", argv[0]);
		if (!vm_options_read(&options, name, argc, argv))
			return COMMAND_USAGE;
		return options.wants_help ? command_print(help) : commands_of_vm[i].run(&options);
	}
	return -1;
}

int vm_command(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int result = argc > 1 ? run_by_name(argc - 1, argv + 1) : -1;

	if (result >= 0)
		return result;

	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		return command_print(help);
	if (!strcmp(name, "check") && argc == 2)
		return check();
	return command_fail(COMMAND_USAGE, "vm", "%s%s; nearside vm --help says more",
		*name ? "wrong usage: " : "no command", name);
}
