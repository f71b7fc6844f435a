#include "emu/vm/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/command/command.h"
#include "host/device.h"

enum {
	TIMEOUT_S = 180,
	GDB_PORT = 1234,
	CORES = 2,
};

static const struct option long_options[] = {
	{"device", required_argument, NULL, 'd'},
	{"cores", required_argument, NULL, 'c'},
	{"far", required_argument, NULL, 'f'},
	{"file", required_argument, NULL, 'F'},
	{"with", required_argument, NULL, 'w'},
	{"timeout", required_argument, NULL, 't'},
	{"gdb", optional_argument, NULL, 'g'},
	{"numa", no_argument, NULL, 'n'},
	{"incoherent", no_argument, NULL, 'i'},
	{"keep", no_argument, NULL, 'k'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static bool wrong(const char *command, const char *what)
{
	command_fail(COMMAND_USAGE, command, "%s; nearside vm --help says more", what);
	return false;
}

static bool number(const char *text, unsigned max, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = (unsigned)value;
	return *text >= '0' && *text <= '9' && !*end && value <= max;
}

/* In the manner of a device's name: the words for what is wrong are there. */
static bool set_device_option(
	struct vm_options *options, const char *command, const char *name, const char *value)
{
	struct nhost_options parsed;
	struct nhost_error error;
	char text[128];

	snprintf(text, sizeof text, "%s=%s", name, value);
	if (nhost_options_parse(text, NHOST_NO_PLACE, false, &parsed, &error))
		return wrong(command, error.text);
	if (!strcmp(name, "cores"))
		options->cores = parsed.cores;
	else
		options->far_nbytes = parsed.far_nbytes;
	return true;
}

static bool set_kind(struct vm_options *options, const char *command, const char *name)
{
	if (!strcmp(name, "riscv"))
		options->device = VM_RISCV;
	else if (!strcmp(name, "native"))
		options->device = VM_NATIVE;
	else
		return wrong(command, "--device riscv or --device native is wanted");
	return true;
}

static bool add_file(struct vm_options *options, const char *path)
{
	const char **more =
		realloc(options->files, (options->file_count + 1) * sizeof *options->files);

	if (!more)
		return false;
	options->files = more;
	options->files[options->file_count++] = path;
	return true;
}

static bool set(struct vm_options *options, const char *command, int letter, const char *value)
{
	switch (letter) {
	case 'd':
		return set_kind(options, command, value);
	case 'c':
		return set_device_option(options, command, "cores", value);
	case 'f':
		return set_device_option(options, command, "far", value);
	case 'F':
		options->file = value;
		return true;
	case 'w':
		return add_file(options, value);
	case 't':
		options->has_timeout = true;
		return number(value, 1000000, &options->timeout_s) ||
		       wrong(command, "--timeout is a number of seconds; 0: none");
	case 'g':
		options->gdb_port = GDB_PORT;
		if (!options->has_timeout)
			options->timeout_s = 0;
		return !value || (number(value, 65535, &options->gdb_port) && options->gdb_port) ||
		       wrong(command, "--gdb=PORT is a number from 1 to 65535");
	case 'n':
		options->device = VM_NONE;
		return true;
	case 'i':
		return options->is_incoherent = true;
	case 'k':
		return options->keep = true;
	case 'v':
		return options->verbose = true;
	case 'h':
		return options->wants_help = true;
	default:
		return wrong(command, "wrong usage");
	}
}

bool vm_options_read(struct vm_options *options, const char *command, int argc, char **argv)
{
	struct nhost_options usual;
	struct nhost_error error;
	int letter;

	nhost_options_parse("", NHOST_NO_PLACE, false, &usual, &error);
	*options = (struct vm_options){
		.cores = CORES, .far_nbytes = usual.far_nbytes, .timeout_s = TIMEOUT_S};
	optind = 0; /* this is another command line; and as if with "+" */
	while ((letter = getopt_long(argc, argv, "+d:c:f:w:t:kvh", long_options, NULL)) != -1)
		if (!set(options, command, letter, optarg))
			return false;
	options->program = argv + optind;
	return true;
}
