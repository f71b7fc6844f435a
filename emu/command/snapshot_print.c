/* snapshot_print.c - devices, their cores and their processes, as text and as JSON. */
#include <inttypes.h>

#include "device/abi/message.h"
#include "emu/command/snapshot.h"

static bool is_silent(const struct snapshot_device *device, unsigned core)
{
	return device->look.silent >> core & 1;
}

static struct view_counts counts_of(const struct snapshot *snapshot, const struct snapshot *before,
	const struct snapshot_device *device, unsigned core)
{
	return before ? snapshot_rates(snapshot, before, device, core) : device->counts[core];
}

/* ---- what a process does --------------------------------------------------------------------- */

static const char *verb_of(const struct nreg_process *process)
{
	static const char *const verbs[NREG_DOING_COUNT] = {
		[NREG_READY] = "ready",
		[NREG_READS] = "reads",
		[NREG_WRITES] = "writes",
		[NREG_WAITS] = "waits",
		[NREG_COPIES] = "copies",
		[NREG_LEAVES] = "leaves",
	};

	return verbs[process->doing];
}

static bool is_at_pipe(const struct nreg_process *process)
{
	return process->doing == NREG_READS || process->doing == NREG_WRITES;
}

static uint32_t pipe_of(const struct nreg_process *process)
{
	return process->waits_for & ~(NMSG_END_WRITES | NMSG_END_LOCAL);
}

/* The host started it itself: then it is its own. */
static uint32_t head_of(const struct nreg_process *process, const struct snapshot_device *device)
{
	uint32_t head = nreg_self_head(process->self);

	return nreg_self_process(process->self) > device->processes_max ? head : 0;
}

static void print_doing(FILE *out, const struct nreg_process *process)
{
	fputs(verb_of(process), out);
	if (is_at_pipe(process))
		fprintf(out, " pipe %" PRIu32 "%s", pipe_of(process),
			process->waits_for & NMSG_END_LOCAL ? " of this core" : "");
	else if (process->doing == NREG_WAITS && process->waits_for)
		fprintf(out, " for process %" PRIu32, process->waits_for);
	else if (process->doing == NREG_WAITS)
		fputs(" for a process that it started", out);
	else if (process->doing == NREG_LEAVES)
		fputs(" when its copies are done", out);
	if (process->line)
		fprintf(out, " at %s:%" PRIu32, process->file, process->line);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_heading(FILE *out, const struct snapshot_device *device)
{
	fputs(device->name, out);
	if (device->program)
		fprintf(out, ", of program %d", device->program);
	else
		fprintf(out, ", %s%s", device->is_free ? "" : "of ", device->owner);
	fputs("\n", out);
}

static void print_cores(FILE *out, const struct snapshot *snapshot, const struct snapshot *before,
	const struct snapshot_device *device)
{
	fprintf(out, before ? "  core  processes   spawns/s  switches/s   far read/s far written/s"
			      "  runs\n"
			    : "  core  processes     spawns    switches     far read   far written"
			      "  runs\n");
	for (unsigned core = 0; core < device->core_count; core++) {
		struct view_counts counts = counts_of(snapshot, before, device, core);

		fprintf(out,
			"  %4u %10" PRIu64 " %10" PRIu64 " %11" PRIu64 " %12" PRIu64 " %13" PRIu64
			"  %" PRIu32 "\n",
			core, counts.alive, counts.spawns, counts.switches, counts.far_read,
			counts.far_written, nreg_self_process(counts.running));
	}
}

static void print_process(
	FILE *out, const struct snapshot_device *device, const struct look_process *looked)
{
	const struct nreg_process *process = &looked->process;
	char family[16] = "-";

	if (head_of(process, device))
		snprintf(family, sizeof family, "%" PRIu32, head_of(process, device));
	fprintf(out, "  %4u %8" PRIu32 " %8s  %-20s %6" PRIu32 " %4" PRIu32 "  ", looked->core,
		nreg_self_process(process->self), family, *process->kernel ? process->kernel : "?",
		process->frame_bytes, process->end_count);
	print_doing(out, process);
	fputs("\n", out);
}

static void print_silent(FILE *out, const struct snapshot_device *device)
{
	for (unsigned core = 0; core < device->core_count; core++) {
		uint32_t running = nreg_self_process(device->counts[core].running);

		if (!is_silent(device, core))
			continue;
		fprintf(out, "  %4u ", core);
		if (running)
			fprintf(out, "%8" PRIu32 " %8s  %-20s %6s %4s  runs, and does not wait\n",
				running, "?", "?", "?", "?");
		else
			fprintf(out, "has %" PRIu64 " processes and does not say which\n",
				device->counts[core].alive);
	}
}

static void print_processes(
	FILE *out, const struct snapshot_device *device, unsigned long processes_max)
{
	size_t count = device->look.count;

	if (processes_max && count > processes_max)
		count = processes_max;
	if (!count && !device->look.silent) {
		fputs("  no process\n", out);
		return;
	}
	fputs("  core  process   family  kernel                frame ends  does\n", out);
	print_silent(out, device);
	for (size_t i = 0; i < count; i++)
		print_process(out, device, &device->look.processes[i]);
	if (count < device->look.count)
		fprintf(out, "  and %zu processes more\n", device->look.count - count);
}

static void print_trouble(FILE *out, const struct snapshot_device *device)
{
	if (device->state == VIEW_SILENT)
		fputs("  the device is silent: it is stopped, or its machine is, or has gone\n",
			out);
	else if (!device->may_ask)
		fputs("  this user may not write the region, so its cores cannot be asked\n", out);
}

void snapshot_print(FILE *out, const struct snapshot *snapshot, const struct snapshot *before,
	unsigned parts, unsigned long processes_max)
{
	for (unsigned i = 0; i < snapshot->count; i++) {
		const struct snapshot_device *device = &snapshot->devices[i];

		print_heading(out, device);
		if (device->state == VIEW_ENDED) {
			fputs("  the device has ended: start it again (nearside-device serve --file PATH)\n",
				out);
			continue;
		}
		print_trouble(out, device);
		if (parts & SNAPSHOT_CORES)
			print_cores(out, snapshot, before, device);
		if (parts & SNAPSHOT_PROCESSES)
			print_processes(out, device, processes_max);
	}
	if (!snapshot->count)
		fputs("no program has a device there\n", out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_json_cores(FILE *out, const struct snapshot *snapshot,
	const struct snapshot *before, const struct snapshot_device *device)
{
	fputs("\"cores\": [", out);
	for (unsigned core = 0; core < device->core_count; core++) {
		struct view_counts counts = counts_of(snapshot, before, device, core);

		fprintf(out,
			"%s{\"core\": %u, \"processes\": %" PRIu64 ", \"spawns\": %" PRIu64
			", \"switches\": %" PRIu64 ", \"far_read\": %" PRIu64
			", \"far_written\": %" PRIu64 ", \"runs\": %" PRIu32 ", \"answers\": %s}",
			core ? ", " : "", core, counts.alive, counts.spawns, counts.switches,
			counts.far_read, counts.far_written, nreg_self_process(counts.running),
			is_silent(device, core) ? "false" : "true");
	}
	fputs("]", out);
}

static void print_json_process(
	FILE *out, const struct snapshot_device *device, const struct look_process *looked)
{
	const struct nreg_process *process = &looked->process;

	fprintf(out, "{\"core\": %u, \"process\": %" PRIu32 ", \"family\": %" PRIu32, looked->core,
		nreg_self_process(process->self), head_of(process, device));
	fputs(", \"kernel\": ", out);
	view_json_string(out, process->kernel);
	fprintf(out, ", \"frame\": %" PRIu32 ", \"ends\": %" PRIu32 ", \"does\": \"%s\"",
		process->frame_bytes, process->end_count, verb_of(process));
	if (is_at_pipe(process))
		fprintf(out, ", \"pipe\": %" PRIu32 ", \"is_of_core\": %s", pipe_of(process),
			process->waits_for & NMSG_END_LOCAL ? "true" : "false");
	if (process->doing == NREG_WAITS)
		fprintf(out, ", \"child\": %" PRIu32, process->waits_for);
	if (process->line) {
		fputs(", \"file\": ", out);
		view_json_string(out, process->file);
		fprintf(out, ", \"line\": %" PRIu32, process->line);
	}
	fputs("}", out);
}

static void print_json_device(FILE *out, const struct snapshot *snapshot,
	const struct snapshot *before, const struct snapshot_device *device)
{
	fputs("{\"device\": ", out);
	view_json_string(out, device->name);
	fprintf(out, ", \"program\": %d, \"owner\": \"%s\", \"state\": \"%s\", ", device->program,
		device->owner, view_device_name(device->state));
	print_json_cores(out, snapshot, before, device);
	fputs(", \"processes\": [", out);
	for (size_t i = 0; i < device->look.count; i++) {
		fputs(i ? ", " : "", out);
		print_json_process(out, device, &device->look.processes[i]);
	}
	fputs("]}", out);
}

void snapshot_print_json(FILE *out, const struct snapshot *snapshot, const struct snapshot *before)
{
	fputs("[", out);
	for (unsigned i = 0; i < snapshot->count; i++) {
		fputs(i ? ", " : "", out);
		print_json_device(out, snapshot, before, &snapshot->devices[i]);
	}
	fputs("]\n", out);
}
