/*
 * command.h - a program of many commands, one row of a table for each: `nearside` (table.c) and
 * `nearside-device` (emu/daemon/table.c).
 *
 * A command is a function with main()'s arguments, of which argv[0] is "PROGRAM NAME", so that
 * getopt() begins its messages with that. It answers --help and returns an exit code.
 */
#ifndef NEARSIDE_EMU_COMMAND_COMMAND_H
#define NEARSIDE_EMU_COMMAND_COMMAND_H

enum command_exit {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1, /* standard error says why */
	COMMAND_USAGE = 2,
	COMMAND_NO_DEVICE = 3, /* it cannot be opened, or failed */
};

struct command {
	const char *name;
	const char *summary; /* half a line for --help */
	int (*run)(int argc, char **argv);
};

struct program {
	const char *name;
	const char *about;              /* a sentence for --help */
	const char *exits;              /* what its exit codes say */
	const struct command *commands; /* in the order of --help; ends with a row without a name */
};

/* This one. */
extern const struct program this_program;

/* Text to standard output, all of it: COMMAND_DONE, or it says why not: COMMAND_FAILED. */
int command_print(const char *text);

/* "PROGRAM NAME: ..." and a new line, to standard error. Returns exit_code. */
int command_fail(int exit_code, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
