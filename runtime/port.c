#include "runtime/port.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device_int.h"
#include "runtime/lazy.h"

enum waiter_state {
	WAITER_AWAKE,
	WAITER_ASLEEP, /* the value that nhost_sleep() sleeps on */
	WAITER_CALLED,
};

enum {
	LINES_PER_CORE = 64, /* taken in one go */
	LOOKS = 200,         /* of a waiter, before it sleeps */
	CELLS_PER_PIPE = 10, /* at the host: both accounts, first windows, and room to spare */
	CELLS_MORE = 65536,
};

/* ---- opening and closing --------------------------------------------------------------------- */

static uint32_t cells_max(const struct nproc_device *device)
{
	uint64_t cells = (uint64_t)device->host.identity.pipes_max * CELLS_PER_PIPE + CELLS_MORE;

	return (uint32_t)nchan_min(cells, INT32_MAX);
}

static void open_link(struct nproc_device *device, unsigned core)
{
	const struct nreg_identity *identity = &device->host.identity;
	struct nreg_core *shared = nreg_core(device->host.region, core);
	struct nchan_link *link = &device->port.place.links[core + 1];

	nchan_tx_init(&link->tx, &shared->down, identity->generation, 0);
	nchan_rx_init(&link->rx, &shared->up, identity->generation, 0);
	link->tx.pause = device->host.pause;
	nchan_link_choose_port(link, identity->port, device->host.caches);
	/* A host that died may have left another name in this machine's caches. */
	nchan_tell(device->host.caches, &shared->attention.victim, 0);
	link->asleep = identity->capabilities & NREG_CAN_WAKE ? &shared->wake.asleep : NULL;
}

static void open_calls(struct nproc_device *device)
{
	const struct nreg_identity *identity = &device->host.identity;

	if (identity->capabilities & NREG_COHERENT)
		nchan_place_open_calls(
			&device->port.place, nreg_calls(device->host.region), identity->generation);
}

static size_t ends_nbytes(const struct nproc_device *device)
{
	return (device->host.identity.pipes_max + (size_t)1) * sizeof(uint32_t);
}

static size_t cells_nbytes(const struct nproc_device *device)
{
	return (cells_max(device) + (size_t)1) * NCHAN_CELL_BYTES;
}

int port_create(struct nproc_device *device)
{
	struct port *port = &device->port;
	unsigned places = device_core_count(device) + 1;
	struct nchan_link *links = aligned_alloc(64, (places * sizeof(*links) + 63) / 64 * 64);
	struct nchan_cell *cells = lazy_alloc(cells_nbytes(device));

	TAILQ_INIT(&port->waiters);
	TAILQ_INIT(&port->room_waiters);
	nchan_place_init(&port->place, NCHAN_HOST, places, links, &port_events, device);
	nchan_pool_init(&port->place.pool, cells, cells_max(device));
	port->place.ends = lazy_alloc(ends_nbytes(device));
	port->place.pipes_max = device->host.identity.pipes_max;
	if (!links || !cells || !port->place.ends)
		return -ENOMEM;
	for (unsigned i = 0; i < places; i++)
		links[i] = (struct nchan_link){0};
	for (unsigned core = 0; core + 1 < places; core++)
		open_link(device, core);
	open_calls(device);
	return 0;
}

void port_destroy(struct nproc_device *device)
{
	struct nchan_place *place = &device->port.place;

	free(place->links);
	lazy_free(place->pool.cells, cells_nbytes(device));
	lazy_free(place->ends, ends_nbytes(device));
}

/* ---- taking lines ---------------------------------------------------------------------------- */

/* The thread that holds the lock has what it waits for, and no room for another line's bytes. */
static bool is_served(const struct port *port)
{
	const struct port_waiter *own = port->own;

	return own->state == WAITER_CALLED && own->nbytes - own->done < NCHAN_PAYLOAD_BYTES;
}

/*
 * Who waits takes lines one by one until it is served, so that what it waits for goes straight into
 * its buffer and what comes behind is left for the next call.
 */
static bool receive_from_all(struct port *port)
{
	struct nchan_place *place = &port->place;
	bool taken = place->calls_awaited && nchan_place_receive_calls(place);

	for (unsigned from = 1; from < place->count; from++) {
		if (!nchan_rx_look(&place->links[from].rx))
			continue;
		if (!port->own)
			taken |= nchan_place_receive(place, from, LINES_PER_CORE) != 0;
		for (unsigned i = 0; i < LINES_PER_CORE && port->own && !is_served(port) &&
				     nchan_place_receive(place, from, 1);
			i++)
			taken = true;
	}
	return taken;
}

bool port_receive(struct nproc_device *device)
{
	struct port *port = &device->port;

	port->has_received = true;
	if (port->is_draining || !receive_from_all(port))
		return false;
	kills_flush(device);
	births_flush(device);
	notices_flush(device);
	nchan_place_flush(&port->place);
	port_call_all(device, &port->room_waiters);
	port_tell_loop(device, port);
	return true;
}

/* ---- calling waiters ------------------------------------------------------------------------- */

void port_call(struct nproc_device *device, struct port_waiter *waiter)
{
	uint64_t state;

	if (waiter == device->port.own) {
		waiter->state = WAITER_CALLED;
		return;
	}
	state = __atomic_exchange_n(&waiter->state, WAITER_CALLED, __ATOMIC_ACQ_REL);
	if (state == WAITER_ASLEEP)
		nhost_wake(&waiter->state);
	if (state != WAITER_CALLED && waiter == device->port.drainer)
		device->host.ops->interrupt(&device->host);
}

void port_call_all(struct nproc_device *device, struct port_waiters *waiters)
{
	struct port_waiter *waiter;

	TAILQ_FOREACH(waiter, waiters, of_object)
	port_call(device, waiter);
	waiter = port_own(&device->port, waiters);
	if (waiter)
		port_call(device, waiter);
}

static bool is_called(const struct port_waiter *waiter)
{
	return __atomic_load_n(&waiter->state, __ATOMIC_ACQUIRE) == WAITER_CALLED;
}

/* Somebody must take lines while anybody waits. */
static void hand_over(struct nproc_device *device)
{
	struct port *port = &device->port;

	if (port->is_draining || port->heir || TAILQ_EMPTY(&port->waiters))
		return;
	port->heir = TAILQ_FIRST(&port->waiters);
	port_call(device, port->heir);
}

/* However long the callback takes, lines are taken meanwhile. */
static void call_log(struct nproc_device *device)
{
	if (!log_is_due(&device->log))
		return;
	hand_over(device);
	log_call(device);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Around the time in which other threads have the lock. */
static void let_go(struct port *port, struct port_waiter *waiter)
{
	TAILQ_INSERT_TAIL(waiter->object, waiter, of_object);
	TAILQ_INSERT_TAIL(&port->waiters, waiter, of_port);
	port->own = NULL;
	lock_release(&port->lock);
}

static void take_again(struct port *port, struct port_waiter *waiter)
{
	lock_take(&port->lock);
	port->own = waiter;
	TAILQ_REMOVE(waiter->object, waiter, of_object);
	TAILQ_REMOVE(&port->waiters, waiter, of_port);
}

struct drain {
	struct nproc_device *device;
	struct port_waiter *waiter;
};

static bool is_ready(void *context)
{
	const struct drain *drain = context;

	return is_called(drain->waiter) || nchan_place_has_lines(&drain->device->port.place);
}

static bool may_sleep(void *context)
{
	const struct drain *drain = context;
	struct port *port = &drain->device->port;

	lock_take(&port->lock);
	nchan_place_flush(&port->place);
	nchan_place_report(&port->place, true);
	lock_release(&port->lock);
	return !is_ready(context);
}

int port_fail_wait(struct nproc_device *device, int number)
{
	if (number == -EDEADLK)
		return explain_deadlock(device);
	if (number == -EPERM)
		return device_fail(device, EPERM,
			"at the device %s only the thread that opened it may wait",
			device->host.name);
	device->port.gone = -ENODEV;
	if (number == -ENODEV)
		return device_fail(device, ENODEV,
			"the device %s has gone: close it and open it again", device->host.name);
	return device_fail(device, ENODEV,
		"the device %s cannot be waited for any more (%s): close it and open it again",
		device->host.name, strerrordesc_np(-number));
}

/* While processes are to be killed, the drainer looks after them from time to time. */
static int64_t review_deadline(struct nproc_device *device, int64_t deadline_ns)
{
	int64_t review_ns;

	if (nchan_likely(!device->victim_count))
		return deadline_ns;
	kills_review(device);
	review_ns = device->host.ops->now(&device->host) + KILL_REVIEW_NS;
	return deadline_ns < 0 || review_ns < deadline_ns ? review_ns : deadline_ns;
}

static bool look_for_lines(const struct nchan_place *place)
{
	for (unsigned i = 0; i < NHOST_LOOKS; i++) {
		if (nchan_place_has_lines(place))
			return true;
		nhost_pause();
	}
	return false;
}

bool port_spin(struct nproc_device *device)
{
	struct nhost_spin *spin = device->host.spin;

	if (!spin)
		return false;
	while (!look_for_lines(&device->port.place))
		if (lock_is_wanted(&device->port.lock) || nhost_is_crowded(spin) ||
			!nhost_spin(spin))
			return false;
	nhost_spin_found(spin);
	return true;
}

static int drain(struct nproc_device *device, struct port_waiter *waiter, int64_t deadline_ns)
{
	struct drain context = {device, waiter};
	const struct nhost_condition condition = {is_ready, may_sleep, &context};
	struct port *port = &device->port;
	int64_t wake_ns;
	bool has_lines;
	int result;

	if (port_spin(device)) {
		port_receive(device);
		return 0;
	}
	wake_ns = review_deadline(device, deadline_ns);
	port->is_draining = true;
	port->drainer = waiter;
	let_go(port, waiter);
	result = device->host.ops->wait(&device->host, wake_ns, &condition);
	take_again(port, waiter);
	port->is_draining = false;
	port->drainer = NULL;
	has_lines = port_receive(device);
	if (nchan_unlikely(nhost_bell_is_armed(&port->loop.bell)))
		loop_listen_again(device);
	if (has_lines || is_called(waiter) || !result)
		return 0;
	if (result == -ETIMEDOUT)
		return wake_ns == deadline_ns ? result : 0;
	return port_fail_wait(device, result);
}

static void wait_to_be_called(
	struct nproc_device *device, struct port_waiter *waiter, int64_t deadline_ns)
{
	struct port *port = &device->port;
	uint64_t awake = WAITER_AWAKE;

	let_go(port, waiter);
	for (unsigned i = 0; i < LOOKS && !is_called(waiter); i++)
		nhost_pause();
	if (__atomic_compare_exchange_n(&waiter->state, &awake, WAITER_ASLEEP, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		nhost_sleep(&waiter->state, deadline_ns);
	take_again(port, waiter);
	if (port->heir == waiter)
		port->heir = NULL;
}

/* 0, or why not to wait any longer. */
static int check_patience(struct nproc_device *device, struct port_patience *patience)
{
	int64_t now;

	if (!patience->timeout_ns)
		return -EAGAIN;
	patience->deadline_ns = patience->has_deadline ? patience->deadline_ns : -1;
	if (patience->timeout_ns < 0)
		return 0;
	now = device->host.ops->now(&device->host);
	if (!patience->has_deadline && patience->timeout_ns <= INT64_MAX - now)
		patience->deadline_ns = now + patience->timeout_ns;
	patience->has_deadline = true;
	return patience->deadline_ns >= 0 && now >= patience->deadline_ns ? -ETIMEDOUT : 0;
}

/* Lines that the cores did not understand: what they were about may be what is waited for. */
static uint64_t faults_of_cores(const struct nproc_device *device)
{
	uint64_t faults = 0;

	for (unsigned core = 0; core < device_core_count(device); core++)
		faults += nchan_load(&device_core(device, core)->wake.faults);
	return faults;
}

/* A line that made no sense may be the one that is waited for: so nobody waits any more. */
int port_check(struct nproc_device *device)
{
	uint64_t faults = device->port.place.faults;
	uint64_t refused = faults_of_cores(device);

	if (device->port.gone)
		return device_fail(device, -device->port.gone,
			"the device %s has gone: close it and open it again", device->host.name);
	if (faults)
		return device_fail(device, EPROTO,
			"the device sent %" PRIu64
			" lines that make no sense: close it and open it again",
			faults);
	if (refused)
		return device_fail(device, EPROTO,
			"the device did not understand %" PRIu64
			" lines: close it and open it again",
			refused);
	return 0;
}

static int wait_once(
	struct nproc_device *device, struct port_waiter *waiter, struct port_patience *patience)
{
	int result;

	if (port_receive(device))
		return 0;
	result = port_check(device);
	if (!result)
		result = check_patience(device, patience);
	if (result)
		return result;
	if (!device->port.is_draining)
		return drain(device, waiter, patience->deadline_ns);
	wait_to_be_called(device, waiter, patience->deadline_ns);
	return 0;
}

int port_wait(struct nproc_device *device, struct port_waiters *object, struct port_waiter *waiter,
	struct port_patience *patience)
{
	int result;

	/* However much comes, a call that does not wait looks once. */
	if (!patience->timeout_ns && patience->has_looked)
		return -EAGAIN;
	patience->has_looked = true;
	waiter->state = WAITER_AWAKE;
	waiter->object = object;
	device->port.own = waiter;
	result = wait_once(device, waiter, patience);
	device->port.own = NULL;
	call_log(device);
	return result;
}

int port_wait_for_room(
	struct nproc_device *device, unsigned core, unsigned lines, struct port_patience *patience)
{
	struct nchan_place *place = &device->port.place;
	struct port_waiter waiter = {.state = WAITER_AWAKE};
	int result = 0;

	while (!result && nchan_place_room(place, core + 1) < lines) {
		nchan_tx_ask(&place->links[core + 1].tx);
		result = port_wait(device, &device->port.room_waiters, &waiter, patience);
	}
	return result;
}

/* ---- entering and leaving -------------------------------------------------------------------- */

/* In a simulation, a program that asks again and again must see others get on. */
static void let_others_run(const struct nproc_device *device)
{
	const struct nchan_pause *pause = device->host.pause;

	if (nchan_unlikely(pause != NULL))
		pause->call(pause->context);
}

void port_enter(struct nproc_device *device)
{
	lock_take(&device->port.lock);
	device->port.has_received = false;
	let_others_run(device);
}

/*
 * A call that needed nothing from the device still takes what has come: who only writes must hear
 * of exits and logs.
 */
void port_leave(struct nproc_device *device)
{
	if (!device->port.has_received && nchan_place_has_lines(&device->port.place))
		port_receive(device);
	hand_over(device);
	call_log(device);
	lock_release(&device->port.lock);
}
