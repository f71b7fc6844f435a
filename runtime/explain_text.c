/* explain_text.c - who waits for whom, in words. */
#include <inttypes.h>

#include "runtime/device_int.h"
#include "runtime/explain.h"

enum {
	PROCESSES_SHOWN = 1000,
	HOLDERS_SHOWN = 8,
};

/* A list of words with commas. */
struct list {
	FILE *out;
	unsigned count;
};

static FILE *next(struct list *list)
{
	if (list->count++)
		fputs(", ", list->out);
	return list->out;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *kernel_of(const struct nproc *process)
{
	const char *name = process ? nproc_image_kernel(process->image, process->kernel) : NULL;

	return name ? name : "unknown";
}

/* Of a process that a process started the host knows the head of its family. */
static void name_process(const struct explain *explain, unsigned core, uint64_t self, FILE *out)
{
	const struct nproc *process = process_by_self(explain->device, self);
	const struct nproc *head = head_by_self(explain->device, core, self);

	fprintf(out, "process %" PRIu32, nreg_self_process(self));
	if (head && head != process)
		fprintf(out, " of core %u (started by process %" PRIu32 ", %s)", core,
			nreg_self_process(head->self), kernel_of(head));
	else
		fprintf(out, " (%s)", kernel_of(process));
}

static void name_pipe(unsigned core, uint32_t end, FILE *out)
{
	fprintf(out, "pipe %" PRIu32, end & ~(NMSG_END_WRITES | NMSG_END_LOCAL));
	if (end & NMSG_END_LOCAL)
		fprintf(out, " of core %u", core);
}

static void name_site(const struct nproc *process, uint32_t number, FILE *out)
{
	const struct nhost_image *image = process ? process->image->image : NULL;
	const struct nimg_site *site = image && number ? nhost_image_site(image, number) : NULL;

	if (site)
		fprintf(out, " at %s:%" PRIu32 ":%" PRIu32 " in %s",
			nhost_image_string(image, site->file), site->line, site->column,
			nhost_image_string(image, site->function));
}

/* ---- who holds an end ------------------------------------------------------------------------ */

/* "; written by the host, process 3 (echo)" */
static void name_holders(const struct explain *explain, uint64_t end, FILE *out)
{
	const struct explain_end *last = explain->held + explain->held_count;
	const struct explain_end *at = explain_first(explain->held, explain->held_count, end);
	struct list list = {out, 0};

	fputs(end & NMSG_END_WRITES ? "; written by " : "; read by ", out);
	if (explain_host_holds(explain, end))
		fputs("the host", next(&list));
	for (; at < last && at->end == end && list.count < HOLDERS_SHOWN; at++)
		name_process(explain, explain->states[at->state].core,
			explain->states[at->state].line.self, next(&list));
	if (at < last && at->end == end)
		fputs("and others", next(&list));
	if (!list.count)
		fputs("nobody that could be asked", out);
}

/* ---- processes ------------------------------------------------------------------------------- */

static int number_of(const struct explain *explain, uint32_t at, uint32_t end)
{
	uint64_t self = explain->states[at].line.self;

	for (; at < explain->count && explain->states[at].line.self == self; at++) {
		const struct nmsg_state *line = &explain->states[at].line;

		for (unsigned k = 0; k < line->end_count; k++)
			if (line->ends[k] == end && !explain_is_of_children(line))
				return line->first_end + (int)k;
	}
	return -1;
}

static void tell_wait_at_end(const struct explain *explain, uint32_t at, FILE *out)
{
	const struct explain_state *state = &explain->states[at];
	uint32_t end = state->line.waits_at;

	fprintf(out, " waits to %s end %d, ", end & NMSG_END_WRITES ? "write" : "read",
		number_of(explain, at, end));
	name_pipe(state->core, end, out);
}

static void tell_process(const struct explain *explain, uint32_t at, FILE *out)
{
	const struct explain_state *state = &explain->states[at];
	const struct nproc *head = head_by_self(explain->device, state->core, state->line.self);
	uint32_t end = state->line.waits_at;

	name_process(explain, state->core, state->line.self, out);
	if (process_by_self(explain->device, state->line.self))
		fprintf(out, " on core %u", state->core);
	if (!end)
		fputs(" can run", out);
	else if (end == NMSG_WAITS_FOR_CHILD)
		fputs(" waits for a process that it started", out);
	else if (end == NMSG_WAITS_FOR_COPY)
		fputs(" waits for a copy to be done", out);
	else
		tell_wait_at_end(explain, at, out);
	name_site(head, state->line.site, out);
	if (end && end < NMSG_WAITS_FOR_COPY)
		name_holders(explain, explain_key(state->core, end ^ NMSG_END_WRITES), out);
	fputs("\n", out);
}

static void tell_processes(const struct explain *explain, FILE *out)
{
	uint32_t shown = 0, more = 0;

	for (uint32_t i = 0; i < explain->count; i++) {
		if (explain->states[i].line.first_end)
			continue;
		if (shown == PROCESSES_SHOWN) {
			more++;
			continue;
		}
		tell_process(explain, i, out);
		shown++;
	}
	if (more)
		fprintf(out, "and %" PRIu32 " process%s more\n", more, more == 1 ? "" : "es");
}

static void tell_silent_cores(const struct explain *explain, FILE *out)
{
	for (unsigned core = 0; core < device_core_count(explain->device); core++) {
		const struct nreg_core *shared = device_core(explain->device, core);
		uint64_t running = nchan_load(&shared->status.running);

		if (explain->answered >> core & 1)
			continue;
		fprintf(out, "core %u did not answer", core);
		if (running) {
			fputs(": it runs ", out);
			name_process(explain, core, running, out);
			fputs(", which does not wait", out);
		}
		fputs("\n", out);
	}
}

/* ---- the host -------------------------------------------------------------------------------- */

static unsigned count_waiters(const struct port_waiters *waiters)
{
	const struct port_waiter *waiter;
	unsigned count = 0;

	/* A list that was never used is not initialised. */
	if (!waiters->tqh_last)
		return 0;
	TAILQ_FOREACH(waiter, waiters, of_object)
	count++;
	return count;
}

static void tell_threads(unsigned count, FILE *out)
{
	fprintf(out, "%u thread%s of the host wait%s ", count, plural(count),
		count == 1 ? "s" : "");
}

static unsigned tell_waiters_at_end(const struct explain *explain, uint32_t end, FILE *out)
{
	const struct pipe *pipe = &explain->device->pipes[end & ~NMSG_END_WRITES];
	bool writes = end & NMSG_END_WRITES;
	unsigned count = count_waiters(writes ? &pipe->writers : &pipe->readers);

	if (!count)
		return 0;
	tell_threads(count, out);
	fprintf(out, "to %s pipe %" PRIu32, writes ? "write" : "read", end & ~NMSG_END_WRITES);
	name_holders(explain, end ^ NMSG_END_WRITES, out);
	fputs("\n", out);
	return count;
}

static unsigned tell_waiters_for(const struct explain *explain, uint32_t id, FILE *out)
{
	const struct nproc *process = explain->device->processes[id];
	unsigned count = process ? count_waiters(&process->waiters) : 0;

	if (!count)
		return 0;
	tell_threads(count, out);
	fputs("for ", out);
	name_process(explain, process->core, process->self, out);
	fputs("\n", out);
	return count;
}

static unsigned tell_others(unsigned count, const char *what, FILE *out)
{
	if (count) {
		tell_threads(count, out);
		fprintf(out, "%s\n", what);
	}
	return count;
}

static void tell_host(const struct explain *explain, FILE *out)
{
	const struct nproc_device *device = explain->device;
	const struct port_waiter *waiter;
	unsigned known = 0, all = 0;

	for (uint32_t id = 1; id <= device->pipe_ids.fresh; id++) {
		known += tell_waiters_at_end(explain, id, out);
		known += tell_waiters_at_end(explain, id | NMSG_END_WRITES, out);
	}
	for (uint32_t id = 1; id <= device->process_ids.fresh; id++)
		known += tell_waiters_for(explain, id, out);
	known += tell_others(
		count_waiters(&device->exit_waiters), "for one of several processes", out);
	known += tell_others(count_waiters(&device->port.room_waiters),
		"for a core to take lines or to load code", out);
	TAILQ_FOREACH(waiter, &device->port.waiters, of_port)
	all++;
	if (all > known)
		tell_others(all - known, "at several ends", out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void tell_stuck(const struct explain *explain, FILE *out)
{
	struct list list = {out, 0};

	if (!explain->is_still)
		return;
	for (uint32_t i = 0; i < explain->count && list.count < HOLDERS_SHOWN; i++) {
		if (explain->states[i].line.first_end || explain->can_go_on[i])
			continue;
		if (!list.count)
			fputs("can never go on, whatever the host does: ", out);
		name_process(explain, explain->states[i].core, explain->states[i].line.self,
			next(&list));
	}
	if (list.count == HOLDERS_SHOWN)
		fputs(" and perhaps others", out);
	if (list.count)
		fputs("\n", out);
}

void explain_text(const struct explain *explain, FILE *out)
{
	uint32_t processes = 0;

	for (uint32_t i = 0; i < explain->count; i++)
		processes += !explain->states[i].line.first_end;
	fprintf(out, "%s: %" PRIu32 " process%s, of which %" PRIu32 " wait%s\n",
		explain->device->host.name, processes, processes == 1 ? "" : "es", explain->waiters,
		explain->waiters == 1 ? "s" : "");
	tell_processes(explain, out);
	tell_silent_cores(explain, out);
	tell_host(explain, out);
	tell_stuck(explain, out);
}
