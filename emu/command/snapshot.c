#include "emu/command/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "emu/command/command.h"

static int take(struct view *view, struct snapshot_device *device)
{
	*device = (struct snapshot_device){
		.owner = view_owner(view),
		.program = view->program,
		.is_free = !view_is_in_use(view),
		.may_ask = view->writable,
		.generation = view->identity.generation,
		.core_count = view->identity.core_count,
		.processes_max = view->identity.processes_max,
	};
	memcpy(device->name, view->name, sizeof device->name);
	for (unsigned core = 0; core < device->core_count; core++)
		device->counts[core] = view_core(view, core);
	if (view_has_ended(view)) {
		device->state = VIEW_ENDED;
		return 0;
	}
	if (look_at_processes(view, &device->look))
		return -1;
	if (device->look.silent)
		device->state = view_device(view);
	return 0;
}

static int add_view(struct snapshot *snapshot, struct view *view)
{
	struct snapshot_device *grown =
		realloc(snapshot->devices, (snapshot->count + 1) * sizeof *grown);

	if (!grown)
		return -1;
	snapshot->devices = grown;
	return take(view, &grown[snapshot->count++]);
}

int snapshot_add(struct snapshot *snapshot, const char *name, const char *command)
{
	static struct view views[VIEWS_MAX];
	struct nhost_error error;
	int count = view_open(name, views, &error), result = 0;

	if (count < 0)
		return command_fail(COMMAND_NO_DEVICE, command, "%s", error.text);
	for (int i = 0; i < count; i++) {
		if (!result && add_view(snapshot, &views[i]))
			result = command_fail(COMMAND_FAILED, command, "out of memory");
		view_close(&views[i]);
	}
	return result;
}

void snapshot_free(struct snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->count; i++)
		look_free(&snapshot->devices[i].look);
	free(snapshot->devices);
	*snapshot = (struct snapshot){.devices = NULL};
}

/* ---- rates ----------------------------------------------------------------------------------- */

static const struct snapshot_device *same_device(
	const struct snapshot *before, const struct snapshot_device *device)
{
	for (unsigned i = 0; i < before->count; i++)
		if (before->devices[i].generation == device->generation &&
			!strcmp(before->devices[i].name, device->name))
			return &before->devices[i];
	return NULL;
}

/* Per second; what began meanwhile began at 0. The counts may be any numbers. */
static uint64_t rate(uint64_t now, uint64_t before, double seconds)
{
	double wanted = now >= before && seconds > 0 ? (double)(now - before) / seconds : 0;

	return wanted < (double)UINT64_MAX ? (uint64_t)wanted : UINT64_MAX;
}

struct view_counts snapshot_rates(const struct snapshot *snapshot, const struct snapshot *before,
	const struct snapshot_device *device, unsigned core)
{
	const struct snapshot_device *last = same_device(before, device);
	double seconds = (double)(snapshot->at_ns - before->at_ns) / 1e9;
	struct view_counts rates = device->counts[core], old = {0};

	if (last && core < last->core_count)
		old = last->counts[core];
	rates.spawns = rate(rates.spawns, old.spawns, seconds);
	rates.switches = rate(rates.switches, old.switches, seconds);
	rates.far_read = rate(rates.far_read, old.far_read, seconds);
	rates.far_written = rate(rates.far_written, old.far_written, seconds);
	return rates;
}
