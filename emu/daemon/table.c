/* table.c - the program `nearside-device`: its commands. */
#include "emu/daemon/daemon.h"

static const struct command commands[] = {
	{"serve", "one device, whose region is a file that a program opens", daemon_serve},
	{"start", "devices for all programs that open `daemon`, each in a process of its own",
		daemon_start},
	{"stop", "end that", daemon_stop},
	{"status", "say who has one", daemon_status},
	{0},
};

const struct program this_program = {
	.name = "nearside-device",
	.about = "Near-memory devices that live outside the programs that use them.",
	.exits = "0 done; 1 it failed; 2 wrong usage.",
	.commands = commands,
};
