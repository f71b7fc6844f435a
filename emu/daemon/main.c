/* main.c - nearside-device: devices outside the programs that use them. */
#include <stdio.h>
#include <string.h>

#include "emu/daemon/daemon.h"

static const char help[] =
	"usage: nearside-device COMMAND [ARGUMENT]...\n"
	"       nearside-device COMMAND --help\n"
	"       nearside-device --help | --version\n"
	"\n"
	"Near-memory devices that live outside the programs that use them.\n"
	"\n"
	"Commands\n"
	"  serve        one device, whose region is a file that a program opens\n"
	"  start        devices for all programs that open `daemon`, each in a process of its own\n"
	"  stop         end that\n"
	"  status       say who has one\n"
	"\n"
	"Exit status: 0 done; 1 it failed; 2 wrong usage.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"serve", daemon_serve},
	{"start", daemon_start},
	{"stop", daemon_stop},
	{"status", daemon_status},
};

static bool is(const char *argument, const char *letter, const char *word)
{
	return !strcmp(argument, letter) || !strcmp(argument, word);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		char whole[64];

		if (strcmp(name, commands[i].name) != 0)
			continue;
		snprintf(whole, sizeof whole, "nearside-device %s", name);
		argv[1] = whole;
		return commands[i].run(argc - 1, argv + 1);
	}
	if (is(name, "-h", "--help"))
		return daemon_print(help);
	if (is(name, "-V", "--version"))
		return daemon_print("nearside-device " NEARSIDE_VERSION "\n");
	fprintf(stderr, "nearside-device: %s%s; nearside-device --help lists the commands\n",
		*name ? "unknown command: " : "no command", name);
	return DAEMON_USAGE;
}
