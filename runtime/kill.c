/*
 * kill.c - ending processes from outside.
 *
 * Each core has one attention word, which a kernel looks at in its loops, so one victim a core at a
 * time; the others wait in the core's queue. The KILL line only wakes a core that has nothing to
 * do, or that must look at a victim which does not run. The word stays until the victim's exit has
 * come, or until another victim is seen to run: that one must not keep the core from the first for
 * ever. So while victims queue, whoever waits looks now and then (kills_review()).
 *
 * A victim may be killed with its family: then the KILL line says so, and the core ends all of them
 * when it takes the line. The host does not know who they are, but for the one that runs; that one
 * is named to let the core come to the line.
 */
#include <errno.h>

#include "runtime/device_int.h"

static void send_kill(struct nproc_device *device, unsigned core)
{
	const struct nproc *victim = TAILQ_FIRST(&device->cores[core].victims);
	bool has_room = nchan_place_room(&device->port.place, core + 1);
	struct nmsg_kill kill = {victim ? victim->self : 0};
	unsigned nbytes = victim && victim->kills_family ? sizeof(kill) : 0;

	device->cores[core].owes_kill = !has_room;
	if (has_room)
		nchan_place_send(&device->port.place, core + 1,
			nchan_head(NCHAN_KILL, nbytes, 0, 0), &kill, nbytes);
	else
		nchan_tx_ask(&device->port.place.links[core + 1].tx);
}

static uint64_t running_on(const struct nproc_device *device, unsigned core)
{
	return nchan_load(&device_core(device, core)->status.running);
}

/* Whom the attention word is to name: of a family, the one that runs. */
static uint64_t name_of(const struct nproc *victim)
{
	uint64_t running = running_on(victim->device, victim->core);
	bool is_its = victim->kills_family &&
		      head_by_self(victim->device, victim->core, running) == victim;

	return is_its ? running : victim->self;
}

/* Names the first of the queue, if any, to the core. */
static void name_victim(struct nproc_device *device, unsigned core)
{
	const struct nproc *victim = TAILQ_FIRST(&device->cores[core].victims);
	struct nreg_core *shared = nreg_core(device->host.region, core);

	nchan_tell(device->host.caches, &shared->attention.victim, victim ? name_of(victim) : 0);
	if (victim)
		send_kill(device, core);
}

/* True when the first of the queue has changed. */
static bool put_running_first(struct nproc_device *device, unsigned core)
{
	struct victims *victims = &device->cores[core].victims;
	uint64_t self = running_on(device, core);
	struct nproc *running = head_by_self(device, core, self);

	if (!running || !running->is_victim || running->core != core ||
		TAILQ_FIRST(victims) == running)
		return false;
	if (running->self != self && !running->kills_family)
		return false;
	TAILQ_REMOVE(victims, running, victim);
	TAILQ_INSERT_HEAD(victims, running, victim);
	return true;
}

static void enlist(struct nproc *process)
{
	process->is_victim = true;
	TAILQ_INSERT_TAIL(&process->device->cores[process->core].victims, process, victim);
	process->device->victim_count++;
}

void kill_begin(struct nproc *process, bool kills_family)
{
	struct nproc_device *device = process->device;
	struct victims *victims = &device->cores[process->core].victims;

	if (process->is_victim && (process->kills_family || !kills_family))
		return;
	process->kills_family |= kills_family;
	if (!process->is_victim)
		enlist(process);
	if (put_running_first(device, process->core) || TAILQ_FIRST(victims) == process)
		name_victim(device, process->core);
	else if (device->port.drainer)
		/* It may have begun to wait for ever before there were victims. */
		port_call(device, device->port.drainer);
}

void kill_done(struct nproc *process)
{
	struct nproc_device *device = process->device;
	struct victims *victims = &device->cores[process->core].victims;
	bool was_first;

	if (!process->is_victim)
		return;
	was_first = TAILQ_FIRST(victims) == process;
	process->is_victim = false;
	process->kills_family = false;
	TAILQ_REMOVE(victims, process, victim);
	device->victim_count--;
	if (was_first) {
		put_running_first(device, process->core);
		name_victim(device, process->core);
	}
}

/* Of the first's family, than the one that is named. */
static bool runs_another(const struct nproc_device *device, unsigned core)
{
	const struct nproc *victim = TAILQ_FIRST(&device->cores[core].victims);
	const struct nreg_core *shared = nreg_core(device->host.region, core);

	return victim && nchan_load(&shared->attention.victim) != name_of(victim);
}

void kills_review(struct nproc_device *device)
{
	for (unsigned core = 0; core < device_core_count(device); core++)
		if (put_running_first(device, core) || runs_another(device, core))
			name_victim(device, core);
}

void kills_flush(struct nproc_device *device)
{
	if (nchan_likely(!device->victim_count))
		return;
	for (unsigned core = 0; core < device_core_count(device); core++)
		if (device->cores[core].owes_kill)
			send_kill(device, core);
}

int nproc_kill(struct nproc *process)
{
	if (!process || !device_is_usable(process->device))
		return -EBADF;
	port_enter(process->device);
	port_receive(process->device);
	if (process->state == NPROC_RUNNING)
		kill_begin(process, false);
	port_leave(process->device);
	return 0;
}
