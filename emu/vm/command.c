/* command.c - `nearside vm`: which of its commands. */
#include <stdio.h>
#include <string.h>

#include "emu/command/command.h"
#include "emu/vm/needs.h"
#include "emu/vm/vm.h"

static const char help[] =
	"usage: nearside vm check\n"
	"       nearside vm --help\n"
	"\n"
	"Machines that QEMU emulates on this one.\n"
	"\n"
	"  check            whether QEMU and what else is needed is installed, and which versions\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 1 something is missing, and standard error says what to install;\n"
	"2 wrong usage.\n";

static int check(void)
{
	char missing[2048], found[2048];
	bool has_all = vm_needs_check(
		VM_NEEDS_RISCV | VM_NEEDS_GUEST, missing, sizeof missing, found, sizeof found);
	int result = command_print(found);

	fputs(missing, stderr);
	return has_all ? result : COMMAND_FAILED;
}

int vm_command(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		return command_print(help);
	if (!strcmp(name, "check") && argc == 2)
		return check();
	return command_fail(COMMAND_USAGE, "vm", "%s%s; nearside vm --help says more",
		*name ? "wrong usage: " : "no command", name);
}
