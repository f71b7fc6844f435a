/* exit.c - processes end: the EXIT line, and what becomes of what they held. */
#include <errno.h>
#include <string.h>

#include "host/lines.h"
#include "runtime/device_int.h"

struct nproc *process_by_self(const struct nproc_device *device, uint64_t self)
{
	uint32_t id = nreg_self_process(self);
	struct nproc *process =
		id <= device->host.identity.processes_max ? device->processes[id] : NULL;

	return process && process->self == self ? process : NULL;
}

struct nproc *head_by_self(const struct nproc_device *device, unsigned core, uint64_t self)
{
	uint32_t max = device->host.identity.processes_max;
	struct nproc *head;

	if (nreg_self_process(self) <= max)
		return process_by_self(device, self);
	head = nreg_self_head(self) <= max ? device->processes[nreg_self_head(self)] : NULL;
	return head && head->core == core ? head : NULL;
}

void process_put(struct nproc *process)
{
	if (--process->references)
		return;
	image_put(process->image);
	pool_put(&process->device->nprocs, process);
}

static const enum nproc_state state_of[] = {
	[NMSG_EXITED] = NPROC_EXITED,
	[NMSG_FAULTED] = NPROC_FAULTED,
	[NMSG_KILLED] = NPROC_KILLED,
	[NMSG_REFUSED] = NPROC_REFUSED,
};

static bool is_possible(const struct nmsg_exit *ending)
{
	if (ending->ending >= sizeof(state_of) / sizeof(state_of[0]))
		return false;
	return ending->ending != NMSG_REFUSED || (ending->value < 0 && ending->value > -4096);
}

/* Nobody uses what it was given any more. */
static void release(struct nproc *process)
{
	struct nproc_device *device = process->device;
	uint32_t id = nreg_self_process(process->self);

	device->processes[id] = NULL;
	ids_put(&device->process_ids, id);
	device->cores[process->core].living--;
	process->image->living--;
	if (process->grants)
		grants_put(&device->grants, process->grants);
	process->grants = NULL;
	process->has_family = false;
	group_leave(process);
	kill_done(process);
}

static void note_end(struct nproc *process, const struct nmsg_exit *ending, bool leaves_family)
{
	process->ending = *ending;
	process->state = state_of[ending->ending];
	process->has_family = leaves_family;
	process->ended_by_device = ending->ending == NMSG_KILLED && !process->is_victim;
	process->device->exits++;
	if (process->parent)
		birth_tell(process);
	if (!leaves_family)
		release(process);
	else if (!process->kills_family)
		kill_done(process);
}

bool exit_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct nmsg_exit ending;
	struct nproc *process;
	bool leaves_family;

	memcpy(&ending, line->word, sizeof(ending));
	leaves_family = ending.ending & NMSG_LEAVES_FAMILY;
	ending.ending &= (uint16_t)~NMSG_LEAVES_FAMILY;
	process = process_by_self(device, ending.self);
	if (!process || process->core != core)
		return false;
	if (ending.ending == NMSG_FAMILY_ENDED) {
		if (!process->has_family || leaves_family)
			return false;
		release(process);
	} else {
		if (process->state != NPROC_RUNNING || !is_possible(&ending))
			return false;
		note_end(process, &ending, leaves_family);
		port_call_all(device, &process->waiters);
		watches_tell(device, &process->watches);
	}
	port_call_all(device, &device->exit_waiters);
	if (!process->has_family)
		process_put(process);
	return true;
}

/* ---- status ---------------------------------------------------------------------------------- */

static const char *fault_text(unsigned fault, uint64_t address)
{
	static const char *const texts[NK_FAULT_COUNT] = {[NK_FAULT_NONE] = "a fault of no kind",
#define FAULT_TEXT(name, text) [NK_FAULT_##name] = text,
		NK_FAULTS(FAULT_TEXT)
#undef FAULT_TEXT
	};

	if (!address && fault == NK_FAULT_FAR_READ)
		return "read outside the far memory granted to the process: a null pointer";
	if (!address && fault == NK_FAULT_FAR_WRITE)
		return "write outside the far memory granted to the process: a null pointer";
	return fault < NK_FAULT_COUNT ? texts[fault]
				      : "a fault of a kind that this library does not know";
}

/* A trap says only which instruction it was. */
static void fill_place_of_trap(const struct nproc *process, struct nproc_status *status)
{
	const struct nhost_image *image = process->image->image;
	uint64_t nbytes;
	const void *code = nhost_image_code(image, process->device->host.identity.isa, &nbytes);
	struct nhost_line line;

	if (!code || !nhost_line_find(code, nbytes, (uint64_t)process->ending.value, &line))
		return;
	status->file = line.file;
	status->line = line.line;
	status->function =
		nhost_image_string(image, nhost_image_kernel(image, process->kernel)->name);
}

static void fill_place(const struct nproc *process, struct nproc_status *status)
{
	const struct nhost_image *image = process->image->image;
	const struct nimg_site *site = nhost_image_site(image, process->ending.site);

	if (process->ending.fault == NK_FAULT_TRAP && !process->ending.site)
		fill_place_of_trap(process, status);
	if (!site || !process->ending.site)
		return;
	status->file = nhost_image_string(image, site->file);
	status->line = site->line;
	status->column = site->column;
	status->function = nhost_image_string(image, site->function);
	status->text = nhost_image_string(image, site->text);
}

void status_fill(const struct nproc *process, struct nproc_status *status)
{
	*status = (struct nproc_status){.state = process->state,
		.has_family = process->has_family,
		.fault = "",
		.file = "",
		.function = "",
		.text = ""};
	switch (process->state) {
	case NPROC_RUNNING:
		if (process->device->port.gone) {
			status->state = NPROC_LOST;
			status->error = process->device->port.gone;
		}
		break;
	case NPROC_EXITED:
		status->exit_code = process->ending.value;
		break;
	case NPROC_FAULTED:
		status->fault = fault_text(process->ending.fault, process->ending.address);
		status->address = process->ending.address;
		fill_place(process, status);
		break;
	case NPROC_REFUSED:
		status->error = (int)process->ending.value;
		break;
	case NPROC_KILLED:
		if (process->ended_by_device)
			status->text = "the device ended it, as it ran for too long without "
				       "waiting; nproc_yield() lets others run";
		break;
	case NPROC_LOST:
		break;
	}
}
