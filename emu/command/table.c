/* table.c - the program `nearside`: its commands. */
#include "emu/command/command.h"
#include "emu/command/view.h"
#include "emu/doctor/command.h"
#include "emu/dsa/command.h"
#include "emu/vm/vm.h"

static const struct command commands[] = {
	{"vm", "emulated machines: a guest with CXL memory, RISC-V cores beside it", vm_command},
	{"dsa-model", "runs a program on a machine that seems to have a DSA", dsa_model_command},
	{"doctor", "what this machine offers, what is missing, and what to type", doctor_command},
	{"info", "what a device is, and who has it", info_command},
	{"ps", "the cores of devices, and their processes", ps_command},
	{"top", "how busy they are, again and again", top_command},
	{0},
};

const struct program this_program = {
	.name = "nearside",
	.about = "Looks after near-memory devices and the machines that they are part of.",
	.exits = "0 done; 1 it failed; 2 wrong usage; 3 the device cannot be opened or failed.",
	.commands = commands,
};
