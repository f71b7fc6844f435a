/* info.c - nearside info: what one device is. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device/abi/image.h"
#include "emu/command/command.h"
#include "emu/command/view.h"

static const char help[] =
	"usage: nearside info DEVICE [--json]\n"
	"\n"
	"What a device outside its program says of itself: whether it serves, identity, cores, ports,\n"
	"memory, and how many processes and pipes there are and may be. Nothing is written, and nobody\n"
	"notices.\n"
	"\n"
	"  DEVICE           file:PATH, dax:PATH, daemon or daemon:SOCKET (all of its devices)\n"
	"      --json       one JSON object for each device\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done; 2 wrong usage; 3 the device is not there, has ended, or is none.\n";

static const char *isa_name(uint32_t isa)
{
	static const char *const names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};

	return isa < NIMG_ISA_COUNT ? names[isa] : "?";
}

static const struct {
	uint32_t capability;
	const char *name;
} capabilities[] = {
	{NREG_CAN_WAKE, "wakes"},
	{NREG_COHERENT, "coherent"},
	{NREG_ATOMICS, "atomics"},
	{NREG_PREEMPTS_KERNELS, "preempts"},
	{NREG_MODELLED_CACHE, "modelled cache"},
};

static void print_capabilities(FILE *out, uint32_t there, const char *mark, const char *between)
{
	bool is_first = true;

	for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
		if (!(there & capabilities[i].capability))
			continue;
		fprintf(out, "%s%s%s%s", is_first ? "" : between, mark, capabilities[i].name, mark);
		is_first = false;
	}
}

static const char *about_device(enum view_device device)
{
	return device == VIEW_ENDED
		       ? "has ended: start it again (nearside-device serve --file PATH)"
	       : device == VIEW_SILENT ? "is silent: it is stopped, or its machine is, or has gone"
				       : "serves";
}

static void print_text(FILE *out, const struct view *view, enum view_device device)
{
	const struct nreg_identity *identity = &view->identity;
	struct view_counts sum = view_sum(view);

	fprintf(out, "%s\n", view->name);
	fprintf(out, "  device        %s\n", about_device(device));
	fprintf(out, "  owner         %s", view_owner(view));
	if (view->program)
		fprintf(out, " (%d)", view->program);
	fprintf(out, "\n  generation    %" PRIu32 "\n", identity->generation);
	fprintf(out, "  code          %s\n", isa_name(identity->isa));
	fprintf(out, "  can do        ");
	print_capabilities(out, identity->capabilities, "", ", ");
	fprintf(out, "\n  port          %s, one down and one up for each core\n",
		nchan_ports[identity->port].name);
	fprintf(out, "  base          0x%" PRIx64 "\n", identity->base);
	fprintf(out, "  far memory    %" PRIu64 " bytes, %" PRIu64 " of them used so far\n",
		identity->far_bytes, nchan_load(&nreg_claim(view->region)->far_used));
	fprintf(out, "  scratch       %" PRIu32 " bytes for each core\n", identity->scratch_bytes);
	fprintf(out, "  pipes         at most %" PRIu32 "\n", identity->pipes_max);
	fprintf(out, "  processes     %" PRIu64 ", at most %" PRIu32 " on each core\n", sum.alive,
		identity->processes_max);
	fprintf(out, "  core  processes     spawns   switches  running\n");
	for (unsigned core = 0; core < identity->core_count; core++) {
		struct view_counts one = view_core(view, core);

		fprintf(out, "  %4u %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %" PRIu32 "\n", core,
			one.alive, one.spawns, one.switches, nreg_self_process(one.running));
	}
}

static void print_json(FILE *out, const struct view *view, enum view_device device)
{
	const struct nreg_identity *identity = &view->identity;

	fputs("{\"device\": ", out);
	view_json_string(out, view->name);
	fprintf(out,
		", \"state\": \"%s\", \"owner\": \"%s\", \"program\": %d, \"generation\": %" PRIu32,
		view_device_name(device), view_owner(view), view->program, identity->generation);
	fprintf(out, ", \"code\": \"%s\", \"capabilities\": [", isa_name(identity->isa));
	print_capabilities(out, identity->capabilities, "\"", ", ");
	fprintf(out, "], \"port\": \"%s\", \"base\": %" PRIu64, nchan_ports[identity->port].name,
		identity->base);
	fprintf(out, ", \"far\": %" PRIu64 ", \"far_used\": %" PRIu64 ", \"scratch\": %" PRIu32,
		identity->far_bytes, nchan_load(&nreg_claim(view->region)->far_used),
		identity->scratch_bytes);
	fprintf(out, ", \"pipes_max\": %" PRIu32 ", \"processes_max\": %" PRIu32 ", \"cores\": [",
		identity->pipes_max, identity->processes_max);
	for (unsigned core = 0; core < identity->core_count; core++) {
		struct view_counts one = view_core(view, core);

		fprintf(out,
			"%s{\"processes\": %" PRIu64 ", \"spawns\": %" PRIu64
			", \"switches\": %" PRIu64 ", \"running\": %" PRIu32 "}",
			core ? ", " : "", one.alive, one.spawns, one.switches,
			nreg_self_process(one.running));
	}
	fputs("]}\n", out);
}

static int print_all(const struct view *views, int count, bool as_json)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *out = open_memstream(&text, &nbytes);
	int result, ended = 0;

	if (!out)
		return command_fail(COMMAND_FAILED, "info", "out of memory");
	for (int i = 0; i < count; i++) {
		enum view_device device = view_device(&views[i]);

		if (as_json)
			print_json(out, &views[i], device);
		else
			print_text(out, &views[i], device);
		if (device == VIEW_ENDED)
			ended = COMMAND_NO_DEVICE;
	}
	if (!count && !as_json)
		fputs("no program has a device there\n", out);
	fclose(out);
	result = command_print(text);
	free(text);
	return result ? result : ended;
}

int info_command(int argc, char **argv)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	static struct view views[VIEWS_MAX];
	struct nhost_error error;
	bool as_json = false;
	int letter, count, result;

	while ((letter = getopt_long(argc, argv, "h", known, NULL)) != -1) {
		if (letter == 'h')
			return command_print(help);
		if (letter != 'j')
			return COMMAND_USAGE;
		as_json = true;
	}
	if (optind + 1 != argc)
		return command_fail(COMMAND_USAGE, "info",
			"one device is wanted, such as file:PATH; nearside info --help says more");
	count = view_open(argv[optind], views, &error);
	if (count < 0)
		return command_fail(COMMAND_NO_DEVICE, "info", "%s", error.text);
	result = print_all(views, count, as_json);
	while (count)
		view_close(&views[--count]);
	return result;
}
