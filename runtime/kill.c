/*
 * kill.c - ending processes from outside.
 *
 * Each core has one attention word, which a kernel looks at in its loops, so one victim a core at a time; the others wait in
 * the core's queue. The KILL line only wakes a core that has nothing to do, or that must look at a victim which does not
 * run. The word stays until the victim's exit has come, or until another victim is seen to run: that one must not keep
 * the core from the first for ever. So while victims queue, whoever waits looks now and then (kills_review()).
 */
#include <errno.h>

#include "runtime/device_int.h"

static void send_kill(struct nproc_device *device, unsigned core)
{
	bool has_room = nchan_place_room(&device->port.place, core + 1);

	device->cores[core].owes_kill = !has_room;
	if (has_room)
		nchan_place_send(
			&device->port.place, core + 1, nchan_head(NCHAN_KILL, 0, 0, 0), NULL, 0);
	else
		nchan_tx_ask(&device->port.place.links[core + 1].tx);
}

/* Names the first of the queue, if any, to the core. */
static void name_victim(struct nproc_device *device, unsigned core)
{
	const struct nproc *victim = TAILQ_FIRST(&device->cores[core].victims);
	struct nreg_core *shared = nreg_core(device->host.region, core);

	nchan_store_release(&shared->attention.victim, victim ? victim->self : 0);
	if (victim)
		send_kill(device, core);
}

/* True when the first of the queue has changed. */
static bool put_running_first(struct nproc_device *device, unsigned core)
{
	struct victims *victims = &device->cores[core].victims;
	const struct nreg_core *shared = nreg_core(device->host.region, core);
	struct nproc *running = process_by_self(device, nchan_load(&shared->status.running));

	if (!running || !running->is_victim || running->core != core ||
		TAILQ_FIRST(victims) == running)
		return false;
	TAILQ_REMOVE(victims, running, victim);
	TAILQ_INSERT_HEAD(victims, running, victim);
	return true;
}

static void kill_begin(struct nproc *process)
{
	struct nproc_device *device = process->device;
	struct victims *victims = &device->cores[process->core].victims;

	process->is_victim = true;
	TAILQ_INSERT_TAIL(victims, process, victim);
	device->victim_count++;
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
	TAILQ_REMOVE(victims, process, victim);
	device->victim_count--;
	if (was_first) {
		put_running_first(device, process->core);
		name_victim(device, process->core);
	}
}

void kills_review(struct nproc_device *device)
{
	for (unsigned core = 0; core < device_core_count(device); core++)
		if (put_running_first(device, core))
			name_victim(device, core);
}

void kills_flush(struct nproc_device *device)
{
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
	if (process->state == NPROC_RUNNING && !process->is_victim)
		kill_begin(process);
	port_leave(process->device);
	return 0;
}
