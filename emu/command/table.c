#include "emu/command/command.h"
#include "emu/vm/vm.h"

const struct command commands[] = {
	{"vm", "emulated machines: a guest with CXL memory, RISC-V cores beside it", vm_command},
	{0},
};
