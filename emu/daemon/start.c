/* start.c - nearside-device start, stop, status: the supervisor, and questions to it. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/daemon/daemon.h"
#include "emu/daemon/supervisor.h"

static const char start_help[] =
	"usage: nearside-device start [OPTION]...\n"
	"\n"
	"Starts a nearside-device in the background, which gives each program that opens the device\n"
	"`daemon` one of its own: a worker process that maps that program's region alone, in a sandbox.\n"
	"When the program ends, however that is, so does the worker.\n"
	"\n"
	"      --socket PATH  where it listens; programs then open daemon:PATH (a name without a file)\n"
	"      --clients N    programs at once, 1 to 256 (64)\n"
	"      --cores N      the most that a program gets (64)\n"
	"      --far SIZE     likewise, with K, M, G (64G)\n"
	"      --foreground   stay, and end at SIGTERM, SIGINT or SIGHUP\n"
	"  -h, --help         this text\n"
	"\n"
	"Says where it listens as soon as it does. For the programs of this user and of root.\n"
	"\n"
	"Exit status: 0 done; 1 it failed; 2 wrong usage.\n";

static const char stop_help[] =
	"usage: nearside-device stop [--socket PATH]\n"
	"\n"
	"Ends a nearside-device and its workers; their programs get -ENODEV. Returns when all have "
	"ended.\n"
	"\n"
	"      --socket PATH  where it listens (where start listens)\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0 done; 1 it failed, or there is none; 2 wrong usage.\n";

static const char status_help[] = "usage: nearside-device status [--socket PATH] [--json]\n"
				  "\n"
				  "Says which programs have a device of this nearside-device.\n"
				  "\n"
				  "      --socket PATH  where it listens (where start listens)\n"
				  "      --json         one JSON object\n"
				  "  -h, --help         this text\n"
				  "\n"
				  "Exit status: 0 done; 1 there is none; 2 wrong usage.\n";

enum {
	OPTION_SOCKET = 256,
	OPTION_CLIENTS,
	OPTION_CORES,
	OPTION_FAR,
	OPTION_FOREGROUND,
	OPTION_JSON,
};

struct start {
	char socket[NHOST_PLACE_MAX];
	struct supervisor_limits limits;
	bool stays;
	bool wants_json;
	bool wants_help;
};

/* ---- options --------------------------------------------------------------------------------- */

/* As the options of a device say numbers and sizes. */
static bool take_limit(const char *option, const char *text, struct start *start)
{
	struct nhost_options device;
	struct nhost_error error;
	char whole[128];

	snprintf(whole, sizeof whole, "%s=%.64s", option, text);
	if (nhost_options_parse(whole, NHOST_NO_PLACE, false, &device, &error)) {
		fprintf(stderr, "nearside-device start: %s\n", error.text);
		return false;
	}
	if (*option == 'c')
		start->limits.cores = device.cores;
	else
		start->limits.far_nbytes = device.far_nbytes;
	return true;
}

static bool take_clients(const char *text, struct start *start)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !count || count > SUPERVISOR_CLIENTS_MAX) {
		fprintf(stderr, "nearside-device start: --clients takes 1 to %d, not '%.40s'\n",
			SUPERVISOR_CLIENTS_MAX, text);
		return false;
	}
	start->limits.clients = (unsigned)count;
	return true;
}

static bool take_option(int letter, struct start *start)
{
	switch (letter) {
	case OPTION_SOCKET:
		snprintf(start->socket, sizeof start->socket, "%s", optarg);
		return true;
	case OPTION_CLIENTS:
		return take_clients(optarg, start);
	case OPTION_CORES:
		return take_limit("cores", optarg, start);
	case OPTION_FAR:
		return take_limit("far", optarg, start);
	case OPTION_FOREGROUND:
		return start->stays = true;
	case OPTION_JSON:
		return start->wants_json = true;
	case 'h':
		return start->wants_help = true;
	default:
		return false; /* getopt has said why */
	}
}

static int parse(int argc, char **argv, const struct option *known, struct start *start)
{
	int letter;

	*start = (struct start){.limits = {64, NREG_CORES_MAX, 64ull << 30}};
	while ((letter = getopt_long(argc, argv, "h", known, NULL)) != -1)
		if (!take_option(letter, start))
			return COMMAND_USAGE;
	if (optind < argc) {
		fprintf(stderr, "%s: what is this? %s; --help says more\n", argv[0], argv[optind]);
		return COMMAND_USAGE;
	}
	return COMMAND_DONE;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int say_where(const struct start *start)
{
	char name[128] = "", text[1024];

	nhost_daemon_name(start->socket, name, sizeof name);
	snprintf(text, sizeof text, "listening at %s; programs open daemon%s%s\n", name,
		*start->socket ? ":" : "", start->socket);
	return command_print(text);
}

/* Nothing of the terminal is kept. */
static void detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null < 0)
		return;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
	if (chdir("/"))
		return; /* it stays where it is */
}

static int run(const struct start *start)
{
	const volatile sig_atomic_t *stop = daemon_catch_signals();
	struct nhost_error error;
	int listener = nhost_daemon_listen(start->socket, &error);
	int result;

	if (listener < 0)
		return command_fail(COMMAND_FAILED, "start", "%s", error.text);
	result = say_where(start);
	if (!start->stays) {
		pid_t child = result ? -1 : fork();

		if (child)
			return child < 0 ? COMMAND_FAILED : COMMAND_DONE;
		detach();
	}
	if (!result)
		supervisor_run(listener, &start->limits, stop);
	if (*start->socket)
		unlink(start->socket);
	return result;
}

int daemon_start(int argc, char **argv)
{
	static const struct option known[] = {
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"clients", required_argument, NULL, OPTION_CLIENTS},
		{"cores", required_argument, NULL, OPTION_CORES},
		{"far", required_argument, NULL, OPTION_FAR},
		{"foreground", no_argument, NULL, OPTION_FOREGROUND},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct start start;
	int result = parse(argc, argv, known, &start);

	if (result)
		return result;
	return start.wants_help ? command_print(start_help) : run(&start);
}

/* ---- stop, status ---------------------------------------------------------------------------- */

/* A connection on which the reply has come, or a negative errno. */
static int ask(const struct start *start, enum nhost_daemon_ask what,
	struct nhost_daemon_reply *reply, struct nhost_error *error)
{
	const struct nhost_daemon_request request = {.magic = NHOST_DAEMON_MAGIC, .ask = what};
	int socket = nhost_daemon_connect(start->socket, error);
	int result;

	if (socket < 0)
		return socket;
	result = nhost_daemon_ask(socket, &request, NULL, 0, reply, error);
	if (!result)
		return socket;
	close(socket);
	return result;
}

int daemon_stop(int argc, char **argv)
{
	static const struct option known[] = {
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct nhost_daemon_reply reply;
	struct nhost_error error;
	struct start start;
	char byte;
	int socket, result = parse(argc, argv, known, &start);

	if (result || start.wants_help)
		return result ? result : command_print(stop_help);
	socket = ask(&start, NHOST_ASK_STOP, &reply, &error);
	if (socket < 0)
		return command_fail(COMMAND_FAILED, "stop", "%s", error.text);
	while (recv(socket, &byte, 1, 0) > 0) /* its end is what is waited for */
		;
	close(socket);
	return COMMAND_DONE;
}

/* Its number has not become another process's. */
static bool still_serves(const struct nhost_daemon_client *client)
{
	return supervisor_start_of(client->worker) == client->worker_started;
}

static void format_client(const struct nhost_daemon_client *client, bool as_json, bool is_first,
	char *text, size_t nbytes)
{
	double seconds = (double)(nhost_clock_ns() - client->since_ns) / 1e9;

	if (as_json)
		snprintf(text, nbytes,
			"%s{\"pid\": %d, \"worker\": %d, \"cores\": %u, \"far\": %" PRIu64
			", \"seconds\": %.1f, \"region\": \"/proc/%d/fd/%d\"}",
			is_first ? "" : ", ", client->pid, client->worker, client->cores,
			client->far_nbytes, seconds, client->worker, client->region);
	else
		snprintf(text, nbytes, "%8d %8d %6u %14" PRIu64 " %10.1f  file:/proc/%d/fd/%d\n",
			client->pid, client->worker, client->cores, client->far_nbytes, seconds,
			client->worker, client->region);
}

static int print_clients(int socket, bool as_json)
{
	struct nhost_daemon_client client;
	bool is_first = true;
	int result = COMMAND_DONE;

	while (!result && recv(socket, &client, sizeof client, 0) == sizeof client) {
		char text[512];

		if (!still_serves(&client))
			continue;
		format_client(&client, as_json, is_first, text, sizeof text);
		result = command_print(text);
		is_first = false;
	}
	return result;
}

int daemon_status(int argc, char **argv)
{
	static const struct option known[] = {
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct nhost_daemon_reply reply;
	struct nhost_error error;
	struct start start;
	char text[128];
	int socket, result = parse(argc, argv, known, &start);

	if (result || start.wants_help)
		return result ? result : command_print(status_help);
	socket = ask(&start, NHOST_ASK_STATUS, &reply, &error);
	if (socket < 0)
		return command_fail(COMMAND_FAILED, "status", "%s", error.text);
	snprintf(text, sizeof text,
		start.wants_json
			? "{\"supervisor\": %d, \"clients\": ["
			: "nearside-device %d\n program   worker  cores     far memory    seconds  region\n",
		reply.pid);
	result = command_print(text);
	if (!result)
		result = print_clients(socket, start.wants_json);
	close(socket);
	return result || !start.wants_json ? result : command_print("]}\n");
}
