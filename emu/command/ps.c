/* ps.c - nearside ps and top: what devices do, once or again and again. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "emu/command/command.h"
#include "emu/command/snapshot.h"
#include "host/wait.h"

static const char ps_help[] =
	"usage: nearside ps [OPTION]... [DEVICE]...\n"
	"\n"
	"The processes of devices: on which core, of which kernel, how many bytes they take, how many\n"
	"ends they have open, and what they do or wait for, with the source line. The family of one that\n"
	"a process has started: the process that the program itself has started. A core that runs a\n"
	"process which does not wait cannot say more than that.\n"
	"\n"
	"  DEVICE           file:PATH, dax:PATH, daemon or daemon:SOCKET (daemon)\n"
	"      --cores      what each core has counted, too\n"
	"      --json       one JSON array, of all that is known\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 2 wrong usage; 3 a device is not there, has ended, or is none.\n";

static const char top_help[] =
	"usage: nearside top [OPTION]... [DEVICE]...\n"
	"\n"
	"How busy the cores of devices are, again and again until interrupted: processes, and for each\n"
	"second those started, their turns, and bytes of far memory that they read and wrote. Then what\n"
	"the processes do, as nearside ps says it.\n"
	"\n"
	"  DEVICE           file:PATH, dax:PATH, daemon or daemon:SOCKET (daemon)\n"
	"  -d, --delay SECONDS  between two looks, 0.1 to 3600 (1)\n"
	"  -n, --count N    so many times, and then end (0: for ever)\n"
	"  -p, --processes N  so many processes of each device at most (20; 0: all)\n"
	"      --json       a JSON array for each time, in a line of its own\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 2 wrong usage; 3 a device is not there, has ended, or is none.\n";

struct request {
	const char *command; /* ps, top */
	char **names;
	int name_count;
	double delay_s;
	unsigned long count;         /* 0: for ever */
	unsigned long processes_max; /* to show of each device; 0: all */
	unsigned parts;              /* enum snapshot_parts */
	bool as_json;
	bool is_rate; /* since the look before */
};

static int look(const struct request *request, struct snapshot *snapshot)
{
	int result = 0;

	snapshot->at_ns = nhost_clock_ns();
	if (!request->name_count)
		return snapshot_add(snapshot, "daemon", request->command);
	for (int i = 0; i < request->name_count && !result; i++)
		result = snapshot_add(snapshot, request->names[i], request->command);
	return result;
}

static int print(const struct request *request, const struct snapshot *snapshot,
	const struct snapshot *before)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *out = open_memstream(&text, &nbytes);
	int result;

	if (!out)
		return command_fail(COMMAND_FAILED, request->command, "out of memory");
	if (request->is_rate && !request->as_json && isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", out); /* a clear screen */
	if (request->as_json)
		snapshot_print_json(out, snapshot, before);
	else
		snapshot_print(out, snapshot, before, request->parts, request->processes_max);
	fclose(out);
	result = command_print(text);
	free(text);
	return result;
}

static int judge(const struct snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->count; i++)
		if (snapshot->devices[i].state == VIEW_ENDED)
			return COMMAND_NO_DEVICE;
	return 0;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static void pause_for(double seconds)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};

	rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

static int run_once(const struct request *request)
{
	struct snapshot now = {.devices = NULL};
	int result = look(request, &now);

	if (!result)
		result = print(request, &now, NULL);
	if (!result)
		result = judge(&now);
	snapshot_free(&now);
	return result;
}

static int run_again_and_again(const struct request *request)
{
	struct snapshot before, now = {.devices = NULL};
	int result = look(request, &now);

	for (unsigned long i = 0; !result && (!request->count || i < request->count); i++) {
		before = now;
		now = (struct snapshot){.devices = NULL};
		pause_for(request->delay_s);
		result = look(request, &now);
		if (!result)
			result = print(request, &now, &before);
		if (!result)
			result = judge(&now);
		snapshot_free(&before);
	}
	snapshot_free(&now);
	return result;
}

static int take_delay(const char *text, double *delay_s)
{
	char *end;

	*delay_s = strtod(text, &end);
	return end != text && !*end && *delay_s >= 0.1 && *delay_s <= 3600
		       ? 0
		       : command_fail(COMMAND_USAGE, "top", "--delay takes 0.1 to 3600 seconds");
}

static int take_number(const char *option, const char *text, unsigned long *number)
{
	char *end;

	*number = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end
		       ? 0
		       : command_fail(COMMAND_USAGE, "top", "%s takes a number", option);
}

static int parse(int argc, char **argv, const char *letters, const struct option *known,
	const char *help, struct request *request)
{
	int letter, result = 0;

	while (!result && (letter = getopt_long(argc, argv, letters, known, NULL)) != -1) {
		switch (letter) {
		case 'h':
			request->command = NULL;
			return command_print(help);
		case 'j':
			request->as_json = true;
			break;
		case 'd':
			result = take_delay(optarg, &request->delay_s);
			break;
		case 'n':
			result = take_number("--count", optarg, &request->count);
			break;
		case 'p':
			result = take_number("--processes", optarg, &request->processes_max);
			break;
		case 'c':
			request->parts |= SNAPSHOT_CORES;
			break;
		default:
			result = COMMAND_USAGE;
		}
	}
	request->names = argv + optind;
	request->name_count = argc - optind;
	return result;
}

int ps_command(int argc, char **argv)
{
	static const struct option known[] = {
		{"cores", no_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request request = {.command = "ps", .parts = SNAPSHOT_PROCESSES};
	int result = parse(argc, argv, "h", known, ps_help, &request);

	return result || !request.command ? result : run_once(&request);
}

int top_command(int argc, char **argv)
{
	static const struct option known[] = {
		{"delay", required_argument, NULL, 'd'},
		{"count", required_argument, NULL, 'n'},
		{"processes", required_argument, NULL, 'p'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request request = {
		.command = "top",
		.delay_s = 1,
		.processes_max = 20,
		.parts = SNAPSHOT_CORES | SNAPSHOT_PROCESSES,
		.is_rate = true,
	};
	int result = parse(argc, argv, "hd:n:p:", known, top_help, &request);

	return result || !request.command ? result : run_again_and_again(&request);
}
