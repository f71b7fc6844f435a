/* serve.c - nearside-device serve: one device, for one host after another. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/daemon/daemon.h"
#include "emu/server.h"

static const char help[] =
	"usage: nearside-device serve --file PATH | --dax PATH [OPTION]...\n"
	"\n"
	"Serves one device until it is told to end. Its region is a file or a device DAX; a program\n"
	"opens it by the name file:PATH or dax:PATH, and gets it as new. One program at a time has it;\n"
	"when that closes the device or dies, all is taken back, and the next one may come.\n"
	"\n"
	"      --file PATH    made if it is not there, and then removed at the end; in /dev/shm it is\n"
	"                     memory\n"
	"      --dax PATH     such as /dev/dax0.0; all of its memory is zeroed at first\n"
	"      --cores N      1 to 64 (1)\n"
	"      --far SIZE     far memory, in bytes or with K, M, G (256M)\n"
	"      --processes N  the most at once on one core (131072)\n"
	"      --pipes N      the most at once (262144)\n"
	"      --port NAME    how a line is noticed: line, ring or mailbox (line)\n"
	"      --incoherent HOW  memory that is not coherent, to test programs: flush, the processor's\n"
	"                     instructions write caches back; a number, each side has a modelled\n"
	"                     cache, where lines come and go by that seed (0: only when told to)\n"
	"      --base ADDRESS where programs map the region: a multiple of 2 MiB (chosen by the path)\n"
	"      --suspect SECONDS  a program without a heartbeat for so long loses the region to the\n"
	"                     next one, but not before (5); 0: never\n"
	"      --once         end when the first program has left\n"
	"  -h, --help         this text\n"
	"\n"
	"Says one line when the device can be opened. Ends at SIGTERM, SIGINT and SIGHUP.\n"
	"\n"
	"Exit status: 0 done; 1 it failed; 2 wrong usage.\n";

enum {
	OPTION_FILE = 256,
	OPTION_DAX,
	OPTION_BASE,
	OPTION_INCOHERENT,
	OPTION_ONCE,
	OPTION_DEVICE, /* one that a device's name takes, too */
};

static const struct option long_options[] = {
	{"file", required_argument, NULL, OPTION_FILE},
	{"dax", required_argument, NULL, OPTION_DAX},
	{"cores", required_argument, NULL, OPTION_DEVICE},
	{"far", required_argument, NULL, OPTION_DEVICE},
	{"processes", required_argument, NULL, OPTION_DEVICE},
	{"pipes", required_argument, NULL, OPTION_DEVICE},
	{"port", required_argument, NULL, OPTION_DEVICE},
	{"suspect", required_argument, NULL, OPTION_DEVICE},
	{"incoherent", required_argument, NULL, OPTION_INCOHERENT},
	{"base", required_argument, NULL, OPTION_BASE},
	{"once", no_argument, NULL, OPTION_ONCE},
	{"help", no_argument, NULL, 'h'},
	{0},
};

struct serve {
	const struct nhost_region_kind *kind; /* NULL: no place was given */
	const char *place;
	struct daemon_device_options options;
	struct nemu_server_options server;
	bool wants_help;
};

static int wrong(const char *text, const char *what)
{
	return command_fail(
		COMMAND_USAGE, "serve", "%s%s; nearside-device serve --help says more", text, what);
}

/* "flush", or a seed. */
static bool take_incoherent(struct serve *serve, const char *text)
{
	char *end;
	unsigned long seed;

	serve->server.memory = NEMU_MEMORY_FLUSHED;
	if (!strcmp(text, "flush"))
		return true;
	errno = 0;
	seed = strtoul(text, &end, 10);
	serve->server.memory = NEMU_MEMORY_MODELLED;
	serve->server.cache_seed = (uint32_t)seed;
	return *text >= '0' && *text <= '9' && !*end && !errno && seed <= UINT32_MAX;
}

static int take_option(struct serve *serve, int letter, const char *name)
{
	switch (letter) {
	case OPTION_FILE:
	case OPTION_DAX:
		if (serve->kind)
			return wrong("two places for one region", "");
		serve->kind = letter == OPTION_FILE ? &nhost_file : &nhost_dax;
		serve->place = optarg;
		return 0;
	case OPTION_BASE:
		return daemon_parse_base(optarg, &serve->server.base)
			       ? 0
			       : wrong("--base: not a multiple of 2 MiB below 2^47: ", optarg);
	case OPTION_INCOHERENT:
		return take_incoherent(serve, optarg)
			       ? 0
			       : wrong("--incoherent: flush or a number up to 4294967295: ",
					 optarg);
	case OPTION_ONCE:
		serve->server.serves_once = true;
		return 0;
	case OPTION_DEVICE:
		return daemon_add_option(&serve->options, name, optarg)
			       ? 0
			       : wrong("too many options", "");
	case 'h':
		serve->wants_help = true;
		return 0;
	default:
		return COMMAND_USAGE; /* getopt has said why */
	}
}

static int parse(int argc, char **argv, struct serve *serve)
{
	struct nhost_error error;
	int letter, index = 0, result = 0;

	while (!result && (letter = getopt_long(argc, argv, "h", long_options, &index)) != -1)
		result = take_option(serve, letter, long_options[index].name);
	if (result || serve->wants_help)
		return result;
	if (optind < argc)
		return wrong("what is this? ", argv[optind]);
	if (!serve->kind)
		return wrong("where is the region to be? --file PATH, or --dax PATH", "");
	if (nhost_options_parse(
		    serve->options.text, NHOST_NO_PLACE, false, &serve->server.device, &error))
		return wrong(error.text, "");
	if (strlen(serve->place) >= sizeof serve->server.device.place)
		return wrong("the path is too long: ", serve->place);
	strcpy(serve->server.device.place, serve->place);
	return 0;
}

static int say_ready(const struct serve *serve, const struct nreg_identity *identity)
{
	char text[1024];

	snprintf(text, sizeof text,
		"%s:%s: %" PRIu32 " cores, far memory of %" PRIu64 " bytes, at 0x%" PRIx64 "\n",
		serve->kind->kind, serve->place, identity->core_count, identity->far_bytes,
		identity->base);
	return command_print(text);
}

static int run(const struct serve *serve)
{
	const volatile sig_atomic_t *stop = daemon_catch_signals();
	struct nemu_server *server;
	struct nhost_error error;
	int result = nemu_server_open(serve->kind, &serve->server, &server, &error);

	if (result)
		return command_fail(COMMAND_FAILED, "serve", "%s", error.text);
	nemu_server_offer(server);
	result = say_ready(serve, nemu_server_identity(server));
	if (!result && nemu_server_run(server, stop, &error))
		result = command_fail(COMMAND_FAILED, "serve", "%s", error.text);
	nemu_server_close(server);
	return result;
}

int daemon_serve(int argc, char **argv)
{
	struct serve serve = {.kind = NULL};
	int result = parse(argc, argv, &serve);

	if (result)
		return result;
	return serve.wants_help ? command_print(help) : run(&serve);
}
