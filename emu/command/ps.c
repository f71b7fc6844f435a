/* ps.c - nearside ps and top: what devices do, once or again and again. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emu/command/command.h"
#include "emu/command/view.h"
#include "host/wait.h"

static const char ps_help[] =
	"usage: nearside ps [--json] [DEVICE]...\n"
	"\n"
	"One line for each core of the devices: how many processes are there, how many have been\n"
	"started, and which one runs now.\n"
	"\n"
	"  DEVICE           file:PATH, dax:PATH, daemon or daemon:SOCKET (daemon)\n"
	"      --json       one JSON array\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 2 wrong usage; 3 a device is not there, or is none.\n";

static const char top_help[] =
	"usage: nearside top [OPTION]... [DEVICE]...\n"
	"\n"
	"How busy the cores of devices are, again and again until interrupted: processes, and for each\n"
	"second those started, their turns, and bytes of far memory that they read and wrote.\n"
	"\n"
	"  DEVICE           file:PATH, dax:PATH, daemon or daemon:SOCKET (daemon)\n"
	"  -d, --delay SECONDS  between two looks, 0.1 to 3600 (1)\n"
	"  -n, --count N    so many times, and then end (0: for ever)\n"
	"      --json       a JSON array for each time, in a line of its own\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 2 wrong usage; 3 a device is not there, or is none.\n";

struct request {
	const char *command; /* ps, top */
	char **names;
	int name_count;
	double delay_s;
	unsigned long count; /* 0: for ever */
	bool as_json;
	bool is_rate; /* since the look before */
};

/* One core at one time. */
struct row {
	char device[sizeof(((struct view *)0)->name)];
	int program;
	unsigned core;
	uint32_t generation;
	struct view_counts counts;
};

struct rows {
	struct row *row;
	unsigned count;
	int64_t at_ns;
};

/* ---- looking --------------------------------------------------------------------------------- */

static bool add_view(struct rows *rows, const struct view *view)
{
	unsigned cores = view->identity.core_count;
	struct row *row = realloc(rows->row, (rows->count + cores) * sizeof *row);

	if (!row)
		return false;
	rows->row = row;
	for (unsigned core = 0; core < cores; core++) {
		row = &rows->row[rows->count++];
		*row = (struct row){.program = view->program,
			.core = core,
			.generation = view->identity.generation,
			.counts = view_core(view, core)};
		memcpy(row->device, view->name, sizeof row->device);
	}
	return true;
}

static int look_at(const struct request *request, const char *name, struct rows *rows)
{
	static struct view views[VIEWS_MAX];
	struct nhost_error error;
	int count = view_open(name, views, &error);
	bool has_memory = true;

	if (count < 0)
		return command_fail(COMMAND_NO_DEVICE, request->command, "%s", error.text);
	while (count) {
		has_memory = has_memory && add_view(rows, &views[count - 1]);
		view_close(&views[--count]);
	}
	return has_memory ? 0 : command_fail(COMMAND_FAILED, request->command, "out of memory");
}

static int look(const struct request *request, struct rows *rows)
{
	int result = request->name_count ? 0 : look_at(request, "daemon", rows);

	for (int i = 0; i < request->name_count && !result; i++)
		result = look_at(request, request->names[i], rows);
	rows->at_ns = nhost_clock_ns();
	return result;
}

/* ---- rates ----------------------------------------------------------------------------------- */

static const struct row *row_before(const struct rows *before, const struct row *row)
{
	for (unsigned i = 0; i < before->count; i++)
		if (before->row[i].core == row->core &&
			before->row[i].generation == row->generation &&
			!strcmp(before->row[i].device, row->device))
			return &before->row[i];
	return NULL;
}

/* Per second; what began meanwhile began at 0. */
static uint64_t rate(uint64_t now, uint64_t before, double seconds)
{
	return now >= before && seconds > 0 ? (uint64_t)((double)(now - before) / seconds) : 0;
}

static struct view_counts rates_of(
	const struct rows *rows, const struct rows *before, const struct row *row)
{
	const struct row *last = row_before(before, row);
	double seconds = (double)(rows->at_ns - before->at_ns) / 1e9;
	struct view_counts rates = row->counts, old = {0};

	if (last)
		old = last->counts;
	rates.spawns = rate(rates.spawns, old.spawns, seconds);
	rates.switches = rate(rates.switches, old.switches, seconds);
	rates.far_read = rate(rates.far_read, old.far_read, seconds);
	rates.far_written = rate(rates.far_written, old.far_written, seconds);
	return rates;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_row(
	FILE *out, const struct row *row, const struct view_counts *counts, bool as_json)
{
	if (!as_json) {
		fprintf(out,
			"%8d %4u %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64
			" %8" PRIu32 "  %s\n",
			row->program, row->core, counts->alive, counts->spawns, counts->switches,
			counts->far_read, counts->far_written, nreg_self_process(counts->running),
			row->device);
		return;
	}
	fputs("{\"device\": ", out);
	view_json_string(out, row->device);
	fprintf(out,
		", \"program\": %d, \"core\": %u, \"processes\": %" PRIu64 ", \"spawns\": %" PRIu64
		", \"switches\": %" PRIu64 ", \"far_read\": %" PRIu64 ", \"far_written\": %" PRIu64
		", \"running\": %" PRIu32 "}",
		row->program, row->core, counts->alive, counts->spawns, counts->switches,
		counts->far_read, counts->far_written, nreg_self_process(counts->running));
}

static void print_rows(FILE *out, const struct request *request, const struct rows *rows,
	const struct rows *before)
{
	fputs(request->as_json ? "["
		: request->is_rate
			? " program core  processes   spawns/s  switches/s   far read/s far written/s"
			  " running  device\n"
			: " program core  processes     spawns   switches     far read  far written"
			  "  running  device\n",
		out);
	for (unsigned i = 0; i < rows->count; i++) {
		struct view_counts counts = request->is_rate ? rates_of(rows, before, &rows->row[i])
							     : rows->row[i].counts;

		if (request->as_json && i)
			fputs(", ", out);
		print_row(out, &rows->row[i], &counts, request->as_json);
	}
	if (request->as_json)
		fputs("]\n", out);
}

static int print(const struct request *request, const struct rows *rows, const struct rows *before)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *out = open_memstream(&text, &nbytes);
	int result;

	if (!out)
		return command_fail(COMMAND_FAILED, request->command, "out of memory");
	if (request->is_rate && !request->as_json && isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", out); /* a clear screen */
	print_rows(out, request, rows, before);
	fclose(out);
	result = command_print(text);
	free(text);
	return result;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static void pause_for(double seconds)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};

	rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

static int run(const struct request *request)
{
	struct rows before = {0}, rows = {0};
	int result = look(request, &rows);

	if (!request->is_rate) {
		if (!result)
			result = print(request, &rows, &before);
		free(rows.row);
		return result;
	}
	for (unsigned long i = 0; !result && (!request->count || i < request->count); i++) {
		free(before.row);
		before = rows;
		rows = (struct rows){0};
		pause_for(request->delay_s);
		result = look(request, &rows);
		if (!result)
			result = print(request, &rows, &before);
	}
	free(before.row);
	free(rows.row);
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

static int take_count(const char *text, unsigned long *count)
{
	char *end;

	*count = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end
		       ? 0
		       : command_fail(COMMAND_USAGE, "top", "--count takes a number");
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
			result = take_count(optarg, &request->count);
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
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct request request = {.command = "ps"};
	int result = parse(argc, argv, "h", known, ps_help, &request);

	return result || !request.command ? result : run(&request);
}

int top_command(int argc, char **argv)
{
	static const struct option known[] = {
		{"delay", required_argument, NULL, 'd'},
		{"count", required_argument, NULL, 'n'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request request = {.command = "top", .delay_s = 1, .is_rate = true};
	int result = parse(argc, argv, "hd:n:", known, top_help, &request);

	return result || !request.command ? result : run(&request);
}
