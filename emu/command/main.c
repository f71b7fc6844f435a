/* main.c - finds the command. Each program has a table.c with its own. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "emu/command/command.h"

static int help(void)
{
	char text[4096];
	size_t used = (size_t)snprintf(text, sizeof text,
		"usage: %s COMMAND [ARGUMENT]...\n"
		"       %s COMMAND --help\n"
		"       %s --help | --version\n"
		"\n"
		"%s\n"
		"\n"
		"Commands\n",
		this_program.name, this_program.name, this_program.name, this_program.about);

	for (const struct command *command = this_program.commands;
		command->name && used < sizeof text; command++)
		used += (size_t)snprintf(text + used, sizeof text - used, "  %-12s %s\n",
			command->name, command->summary);
	if (used < sizeof text)
		snprintf(
			text + used, sizeof text - used, "\nExit status: %s\n", this_program.exits);
	return command_print(text);
}

static int version(void)
{
	char text[128];

	snprintf(text, sizeof text, "%s " NEARSIDE_VERSION "\n", this_program.name);
	return command_print(text);
}

static const struct command *find(const char *name)
{
	for (const struct command *command = this_program.commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof name, "%s %s", this_program.name, command->name);
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
		return version();
	fprintf(stderr, "%s: %s%s; %s --help lists the commands\n", this_program.name,
		argc > 1 ? "unknown command: " : "no command", argc > 1 ? argv[1] : "",
		this_program.name);
	return COMMAND_USAGE;
}
