/*
 * poll.c - waiting at many ends and for many processes at once.
 *
 * Each entry gets a watch at its pipe or process, so that after a wait only entries at which
 * something has happened are looked at again. At one device the call waits as all others do; at
 * several, or at channels beside them (poll_channels.c), it listens to their bells.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "host/cancel.h"
#include "runtime/device_int.h"

enum {
	DEVICES_MAX = 64, /* in one call */
	FEW = 16,         /* entries that need no memory */
};

STAILQ_HEAD(poll_watches, poll_watch);

struct poll_watch {
	struct watch at_pipe, at_process; /* where the entry has such */
	struct npoll *entry;
	struct poll_device *of;
	bool is_changed;
	STAILQ_ENTRY(poll_watch) changed;
};

/* The entries of one device. Guarded by its lock. */
struct poll_device {
	struct nproc_device *device;
	struct poll_watches changed;
	struct port_waiters nobody; /* a list for waiter, which is called by the watches alone */
	struct port_waiter waiter;
	int event; /* set by changes instead; -1: one device, which waits */
};

struct poll {
	struct npoll *entries;
	size_t count;
	struct poll_watch *watches; /* [count] */
	struct poll_watch few[FEW];
	unsigned device_count;
	struct poll_device devices[DEVICES_MAX];
	bool has_channels;
	int channels;                 /* while it waits: a descriptor for all of them, or -1 */
	int64_t ready;                /* entries */
	const struct poll_stop *stop; /* NULL: nothing else ends the wait */
};

/* ---- looking --------------------------------------------------------------------------------- */

static unsigned look_at_end(const struct npipe *end, unsigned wanted)
{
	unsigned state, found = 0;

	if (!end->end)
		return NPOLL_ERROR;
	state = pipe_state(end);
	if (state & NCHAN_READY)
		found |= wanted & (end->writes ? NPOLL_WRITE : NPOLL_READ);
	if (state & NCHAN_HUNG_UP)
		found |= NPOLL_HANGUP;
	return found;
}

/* True: it is ready. */
static bool look(struct npoll *entry)
{
	unsigned found = entry->end ? look_at_end(entry->end, entry->events) : 0;

	if (entry->process && process_has_ended(entry->process))
		found |= NPOLL_EXIT;
	entry->revents = (uint16_t)found;
	return found != 0;
}

static struct nproc_device *device_of(const struct npoll *entry)
{
	if (entry->end)
		return entry->end->device;
	return entry->process ? entry->process->device : NULL;
}

static void look_at_all(struct poll *poll, const struct nproc_device *device)
{
	for (size_t i = 0; i < poll->count; i++)
		if (device_of(&poll->entries[i]) == device)
			poll->ready += look(&poll->entries[i]);
}

static void look_at_changed(struct poll *poll, struct poll_device *at)
{
	struct poll_watch *watch;

	while ((watch = STAILQ_FIRST(&at->changed))) {
		STAILQ_REMOVE_HEAD(&at->changed, changed);
		watch->is_changed = false;
		poll->ready += !watch->entry->revents && look(watch->entry);
	}
}

/* ---- watches --------------------------------------------------------------------------------- */

static void note_change(struct nproc_device *device, struct poll_watch *watch)
{
	struct poll_device *at = watch->of;

	if (watch->is_changed)
		return;
	watch->is_changed = true;
	STAILQ_INSERT_TAIL(&at->changed, watch, changed);
	if (at->event < 0)
		port_call(device, &at->waiter);
	else
		nhost_event_set(at->event);
}

static void pipe_changed(struct nproc_device *device, struct watch *watch)
{
	note_change(device, (struct poll_watch *)(void *)watch);
}

static void process_changed(struct nproc_device *device, struct watch *watch)
{
	note_change(device, (struct poll_watch *)(void *)((char *)watch -
							  offsetof(struct poll_watch, at_process)));
}

static void attach(struct poll *poll, struct poll_device *at)
{
	for (size_t i = 0; i < poll->count; i++) {
		struct npoll *entry = &poll->entries[i];
		struct poll_watch *watch = &poll->watches[i];

		if (device_of(entry) != at->device)
			continue;
		*watch = (struct poll_watch){.entry = entry, .of = at};
		watch->at_pipe.changed = pipe_changed;
		watch->at_process.changed = process_changed;
		if (entry->end)
			LIST_INSERT_HEAD(&at->device->pipes[entry->end->pipe].watches,
				&watch->at_pipe, of_object);
		if (entry->process)
			LIST_INSERT_HEAD(&entry->process->watches, &watch->at_process, of_object);
	}
}

static void detach(struct poll *poll, const struct poll_device *at)
{
	for (size_t i = 0; i < poll->count; i++) {
		struct poll_watch *watch = &poll->watches[i];

		if (watch->of != at)
			continue;
		if (watch->entry->end)
			LIST_REMOVE(&watch->at_pipe, of_object);
		if (watch->entry->process)
			LIST_REMOVE(&watch->at_process, of_object);
	}
}

static int make_watches(struct poll *poll)
{
	if (poll->count <= FEW)
		poll->watches = poll->few;
	else
		poll->watches = calloc(poll->count, sizeof(*poll->watches));
	return poll->watches ? 0
			     : device_fail(poll->devices[0].device, ENOMEM,
				       "no memory to wait at %zu ends", poll->count);
}

/* ---- one device ------------------------------------------------------------------------------ */

static int wait_at_one(struct poll *poll, struct port_patience *patience)
{
	struct poll_device *at = &poll->devices[0];
	int result = 0;

	port_enter(at->device);
	attach(poll, at);
	look_at_all(poll, at->device);
	while (!poll->ready && !result) {
		result = port_wait(at->device, &at->nobody, &at->waiter, patience);
		look_at_changed(poll, at);
	}
	detach(poll, at);
	port_leave(at->device);
	return result;
}

/* ---- several devices ------------------------------------------------------------------------- */

/* Lines that have come, and what they changed. */
static int listen_to(struct poll *poll, struct poll_device *at)
{
	int result, listened;

	port_enter(at->device);
	listened = loop_listen(at->device);
	look_at_changed(poll, at);
	result = listened && listened != -EDEADLK ? port_fail_wait(at->device, listened)
						  : port_check(at->device);
	port_leave(at->device);
	return result ? result : listened;
}

/* 0, -EDEADLK: no device will ever ring, or another error. */
static int listen_to_all(struct poll *poll)
{
	unsigned silent = 0;

	for (unsigned i = 0; i < poll->device_count; i++) {
		int result = listen_to(poll, &poll->devices[i]);

		silent += result == -EDEADLK;
		if (result && result != -EDEADLK)
			return result;
	}
	if (poll->has_channels) {
		poll->ready += channels_look(poll->entries, poll->count);
		return 0;
	}
	return silent == poll->device_count ? -EDEADLK : 0;
}

static int sleep_until_rung(const struct poll *poll, int event, int64_t deadline_ns)
{
	struct pollfd fds[2 + 2 * DEVICES_MAX] = {
		{.fd = event, .events = POLLIN}, {.fd = poll->channels, .events = POLLIN}};
	int64_t left_ns = deadline_ns < 0 ? 0 : deadline_ns - nhost_clock_ns();
	const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
	nfds_t count = 2;
	int rung, cancel;

	if (left_ns < 0)
		return -ETIMEDOUT;
	for (unsigned i = 0; i < poll->device_count; i++) {
		const struct nhost_bell *bell = &poll->devices[i].device->port.loop.bell;

		fds[count++] = (struct pollfd){.fd = bell->event, .events = POLLIN};
		fds[count++] = (struct pollfd){.fd = bell->timer, .events = POLLIN};
	}
	/* Interrupted by a signal it looks once more, as every call of this library. */
	cancel = nhost_cancel_hold();
	rung = ppoll(fds, count, deadline_ns < 0 ? NULL : &left, NULL);
	nhost_cancel_release(cancel);
	if (!rung)
		return -ETIMEDOUT;
	nhost_event_clear(event);
	return 0;
}

static int attach_to_all(struct poll *poll, int event)
{
	int result = 0;

	for (unsigned i = 0; i < poll->device_count && !result; i++) {
		struct poll_device *at = &poll->devices[i];

		at->event = event;
		port_enter(at->device);
		attach(poll, at);
		look_at_all(poll, at->device);
		result = loop_need_bell(at->device);
		port_leave(at->device);
	}
	return result;
}

static void detach_from_all(struct poll *poll)
{
	for (unsigned i = 0; i < poll->device_count; i++) {
		port_enter(poll->devices[i].device);
		detach(poll, &poll->devices[i]);
		port_leave(poll->devices[i].device);
	}
}

static bool is_stopped(const struct poll *poll)
{
	return poll->stop && poll_is_stopped(poll->stop);
}

static int listen_until_ready(struct poll *poll, int event, int64_t timeout_ns)
{
	int64_t deadline_ns = nhost_deadline_ns(timeout_ns);
	int result = attach_to_all(poll, event);

	while (!result && !poll->ready && !is_stopped(poll)) {
		result = listen_to_all(poll);
		if (poll->ready)
			break;
		if (!result || (result == -EDEADLK && deadline_ns >= 0))
			result = sleep_until_rung(poll, event, deadline_ns);
	}
	detach_from_all(poll);
	if (result == -EDEADLK)
		return device_fail(poll->devices[0].device, EDEADLK,
			"nothing can happen any more at any of the %u simulations that are waited for",
			poll->device_count);
	return result;
}

static int no_descriptor(const struct poll *poll, int result)
{
	return device_fail(poll->devices[0].device, -result,
		"no descriptor to wait at several devices or channels (ulimit -n)");
}

static int listen_with_channels(struct poll *poll, int event, int64_t timeout_ns)
{
	int result;

	if (!poll->has_channels)
		return listen_until_ready(poll, event, timeout_ns);
	poll->channels = channels_open(poll->entries, poll->count);
	if (poll->channels < 0)
		return no_descriptor(poll, poll->channels);
	result = listen_until_ready(poll, event, timeout_ns);
	channels_close(poll->entries, poll->count, poll->channels);
	return result;
}

static int wait_at_several(struct poll *poll, int64_t timeout_ns)
{
	int event = poll->stop ? poll->stop->event : nhost_event_create();
	int result;

	if (event < 0)
		return no_descriptor(poll, event);
	result = listen_with_channels(poll, event, timeout_ns);
	if (!poll->stop)
		nhost_event_close(event);
	return result;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int add_device(struct poll *poll, struct nproc_device *device)
{
	struct poll_device *at = poll->devices;

	while (at < poll->devices + poll->device_count && at->device != device)
		at++;
	if (at < poll->devices + poll->device_count)
		return 0;
	if (!device_is_usable(device))
		return -EBADF;
	if (poll->device_count == DEVICES_MAX)
		return device_fail(
			device, EINVAL, "one call waits at %d devices at most", DEVICES_MAX);
	*at = (struct poll_device){.device = device, .event = -1};
	STAILQ_INIT(&at->changed);
	TAILQ_INIT(&at->nobody);
	poll->device_count++;
	return 0;
}

static int find_devices(struct poll *poll)
{
	for (size_t i = 0; i < poll->count; i++) {
		struct npoll *entry = &poll->entries[i];
		struct nproc_device *device = device_of(entry);
		int result = device ? add_device(poll, device) : 0;

		entry->revents = 0;
		if (result)
			return result;
		if (entry->channel && device)
			return device_fail(
				device, EINVAL, "entry %zu names a channel and something else", i);
		if (entry->process && entry->process->device != device)
			return device_fail(device, EINVAL,
				"entry %zu names an end and a process of different devices", i);
	}
	return 0;
}

static void look_once(struct poll *poll)
{
	for (unsigned i = 0; i < poll->device_count; i++) {
		struct nproc_device *device = poll->devices[i].device;

		port_enter(device);
		port_receive(device);
		look_at_all(poll, device);
		port_leave(device);
	}
	poll->ready += channels_look(poll->entries, poll->count);
}

static int wait_for_any(struct poll *poll, int64_t timeout_ns)
{
	struct port_patience patience = port_patience(timeout_ns);
	int result = make_watches(poll);

	if (result)
		return result;
	result = poll->device_count == 1 && !poll->stop && !poll->has_channels
			 ? wait_at_one(poll, &patience)
			 : wait_at_several(poll, timeout_ns);
	if (poll->watches != poll->few)
		free(poll->watches);
	return result;
}

int64_t poll_until(
	struct npoll *entries, size_t count, int64_t timeout_ns, const struct poll_stop *stop)
{
	struct poll poll = {.entries = entries, .count = count, .stop = stop, .channels = -1};
	int result = find_devices(&poll);

	if (result)
		return result;
	poll.has_channels = channels_are_there(entries, count);
	if (!poll.device_count)
		return poll.has_channels ? channels_wait(entries, count, timeout_ns) : -ECHILD;
	look_once(&poll);
	if (!poll.ready)
		result = timeout_ns ? wait_for_any(&poll, timeout_ns) : -EAGAIN;
	return poll.ready ? poll.ready : device_note(poll.devices[0].device, result);
}

int64_t npipe_poll(struct npoll *entries, size_t count, int64_t timeout_ns)
{
	return poll_until(entries, count, timeout_ns, NULL);
}
