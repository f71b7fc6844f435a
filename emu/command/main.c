/* main.c - nearside: devices and machines from the command line. table.c lists the commands. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "emu/command/command.h"

static int help(void)
{
	char text[4096];
	size_t used = (size_t)snprintf(text, sizeof text,
		"usage: nearside COMMAND [ARGUMENT]...\n"
		"       nearside COMMAND --help\n"
		"       nearside --help | --version\n"
		"\n"
		"Looks after near-memory devices and the machines that they are part of.\n"
		"\n"
		"Commands\n");

	for (const struct command *command = commands; command->name && used < sizeof text;
		command++)
		used += (size_t)snprintf(text + used, sizeof text - used, "  %-12s %s\n",
			command->name, command->summary);
	if (used < sizeof text)
		snprintf(text + used, sizeof text - used,
			"\nExit status: 0 done; 1 it failed; 2 wrong usage; 3 the device cannot be "
			"opened or failed.\n");
	return command_print(text);
}

static const struct command *find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof name, "nearside %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

static bool is(const char *argument, const char *letter, const char *word)
{
	return !strcmp(argument, letter) || !strcmp(argument, word);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find(argv[1]) : NULL;

	if (command)
		return run(command, argc - 1, argv + 1);
	if (argc > 1 && is(argv[1], "-h", "--help"))
		return help();
	if (argc > 1 && is(argv[1], "-V", "--version"))
		return command_print("nearside " NEARSIDE_VERSION "\n");
	fprintf(stderr, "nearside: %s%s; nearside --help lists the commands\n",
		argc > 1 ? "unknown command: " : "no command", argc > 1 ? argv[1] : "");
	return COMMAND_USAGE;
}
