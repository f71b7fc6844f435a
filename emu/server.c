#include "emu/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/attach.h"
#include "emu/cores.h"
#include "emu/machine.h"
#include "host/attach.h"

enum {
	LOOK_NS = 20 * 1000 * 1000, /* for hosts that cannot wake this one */
	BEAT_NS = NREG_BEAT_MS * 1000 * 1000,
};

struct nemu_server {
	struct nemu_machine machine;
	struct nemu_cores *cores; /* NULL: no host is there */
	struct ndev_attach attach;
	bool is_zeroed; /* all far memory is, before the first host */
	bool serves_once;
	bool has_locks; /* of the device and of the host, on the region's file */
	int64_t beaten_ns;
};

/* ---- opening and closing --------------------------------------------------------------------- */

static unsigned capabilities(enum nemu_memory memory)
{
	const unsigned coherent = NREG_COHERENT | NREG_ATOMICS;

	if (memory == NEMU_MEMORY_FLUSHED)
		return NREG_PREEMPTS_KERNELS;
	if (memory == NEMU_MEMORY_MODELLED)
		return NREG_PREEMPTS_KERNELS | NREG_MODELLED_CACHE;
	return NREG_PREEMPTS_KERNELS | coherent |
	       (nhost_fence_prepare_shared() ? NREG_CAN_WAKE : 0);
}

/* What its own stores need to be seen by hosts. */
static int settle_memory(struct nemu_machine *machine, const struct nemu_server_options *options,
	struct nhost_error *error)
{
	struct nhost_region *region = &machine->region;

	if (options->memory == NEMU_MEMORY_COHERENT)
		return 0;
	if (options->memory == NEMU_MEMORY_MODELLED) {
		machine->identity.cache_seed = options->cache_seed;
		return nhost_region_model_cache(region, &machine->identity, 0, error);
	}
	region->caches = nhost_caches_of_processor();
	if (region->caches)
		return 0;
	return nhost_fail(error, EOPNOTSUPP,
		"programs cannot write back this processor's caches: model them "
		"(--incoherent NUMBER)");
}

int nemu_server_open(const struct nhost_region_kind *kind,
	const struct nemu_server_options *options, struct nemu_server **server,
	struct nhost_error *error)
{
	const struct nhost_options *device = &options->device;
	struct nemu_server *new = calloc(1, sizeof(*new));
	int result;

	*server = NULL;
	if (!new)
		return nhost_fail(error, ENOMEM, "out of memory");
	if (device->port == NCHAN_PORT_EVENT) {
		free(new);
		return nhost_fail(error, EINVAL,
			"port=event works within one program only: take line, ring or mailbox");
	}
	new->machine.identity.base = options->base;
	result = nemu_machine_prepare(
		&new->machine, kind, device, capabilities(options->memory), error);
	if (result) {
		free(new);
		return result;
	}
	result = settle_memory(&new->machine, options, error);
	if (result) {
		nemu_machine_destroy(&new->machine);
		free(new);
		return result;
	}
	new->machine.identity.machine = nhost_machine();
	new->is_zeroed = kind->is_zeroed;
	new->serves_once = options->serves_once;
	new->has_locks = kind->find;
	ndev_attach_begin(&new->attach, new->machine.region.memory, new->machine.region.caches,
		&new->machine.identity, new->machine.region.generation,
		(uint64_t)device->suspect_s * 1000000000);
	*server = new;
	return 0;
}

const struct nreg_identity *nemu_server_identity(const struct nemu_server *server)
{
	return &server->machine.identity;
}

int nemu_server_file(const struct nemu_server *server)
{
	return server->machine.region.fd;
}

static void stop_cores(struct nemu_server *server)
{
	if (!server->cores)
		return;
	nemu_cores_destroy(server->cores);
	server->cores = NULL;
	nemu_machine_halt(&server->machine);
}

void nemu_server_close(struct nemu_server *server)
{
	ndev_attach_withdraw(&server->attach);
	stop_cores(server);
	nemu_machine_destroy(&server->machine);
	free(server);
}

/* ---- one host after another ------------------------------------------------------------------ */

static void wake_place(void *context, unsigned place)
{
	struct nemu_server *server = context;

	if (place)
		nemu_cores_wake(server->cores, place - 1);
	else
		nhost_wake_shared(&nreg_host(server->machine.region.memory)->asleep);
}

static bool look_on(void *context, unsigned looks)
{
	const struct nemu_server *server = context;

	return nemu_cores_look_on(server->cores, looks);
}

static enum nemu_reach reach_of(const struct nemu_server *server)
{
	const struct nreg_identity *identity = (const void *)server->machine.region.memory;

	return identity->capabilities & NREG_CAN_WAKE ? NEMU_REACH_MACHINE : NEMU_REACH_NONE;
}

static int begin(struct nemu_server *server, struct nhost_error *error)
{
	const struct ndev_platform platform = {
		.wake = wake_place,
		.load = nemu_platform_load,
		.unload = nemu_platform_unload,
		.context = server,
		.look_on = look_on,
		.caches = server->machine.region.caches,
	};
	struct nemu_machine *machine = &server->machine;
	int result;

	ndev_attach_take(&server->attach);
	result = nemu_cores_create(&machine->identity, reach_of(server), &server->cores, error);
	if (result)
		return result;
	nemu_machine_boot(machine, &platform);
	result = nemu_cores_start(server->cores, machine->device, error);
	if (!result)
		ndev_attach_accept(&server->attach, (uint64_t)nhost_clock_ns());
	return result;
}

static void end(struct nemu_server *server)
{
	stop_cores(server);
	ndev_attach_offer(&server->attach, ndev_attach_far_used(&server->attach));
}

static void beat(struct nemu_server *server)
{
	struct ndev_attach *attach = &server->attach;
	int64_t now_ns = nhost_clock_ns();

	if (now_ns - server->beaten_ns < BEAT_NS)
		return;
	server->beaten_ns = now_ns;
	ndev_attach_beat(attach);
	if (!attach->owner || !ndev_attach_host_is_near(attach) || !server->has_locks)
		return;
	if (nhost_region_is_locked(server->machine.region.fd, NHOST_LOCK_HOST))
		ndev_attach_host_lives(attach, (uint64_t)now_ns);
	else
		ndev_attach_host_died(attach);
}

/* What a host of this machine stores, and wakes, when it comes or goes. */
static uint64_t *awaited_word(const struct nemu_server *server)
{
	struct nreg_claim *claim = nreg_claim(server->machine.region.memory);

	return server->attach.owner ? &claim->left : &claim->claim;
}

/* Nobody can wake this thread, and the cores are served by it. */
static enum ndev_attach_news look_and_exchange(struct nemu_server *server)
{
	const struct timespec pause = {.tv_nsec = NDEV_EXCHANGE_NS};
	enum ndev_attach_news news = ndev_attach_look(&server->attach, (uint64_t)nhost_clock_ns());

	if (server->cores)
		ndev_exchange(server->machine.device);
	if (news == NDEV_NOTHING)
		nanosleep(&pause, NULL);
	return news;
}

/* What is awaited is looked at before, so that a change is not slept through. */
static enum ndev_attach_news look_or_sleep(struct nemu_server *server)
{
	uint64_t *word = awaited_word(server);
	uint32_t before = (uint32_t)nchan_load(word);
	int64_t now_ns = nhost_clock_ns();
	enum ndev_attach_news news = ndev_attach_look(&server->attach, (uint64_t)now_ns);

	if (news == NDEV_NOTHING)
		nhost_sleep_shared(word, before, now_ns + LOOK_NS);
	return news;
}

void nemu_server_offer(struct nemu_server *server)
{
	const struct nreg_identity *identity = &server->machine.identity;

	ndev_attach_offer(&server->attach, server->is_zeroed ? 0 : identity->far_bytes);
	beat(server);
}

int nemu_server_run(
	struct nemu_server *server, const volatile sig_atomic_t *stop, struct nhost_error *error)
{
	int result = 0;

	while (!*stop && !result) {
		beat(server);
		switch (server->attach.caches ? look_and_exchange(server) : look_or_sleep(server)) {
		case NDEV_CLAIMED:
			result = begin(server, error);
			break;
		case NDEV_LEFT:
			if (server->serves_once)
				return 0;
			end(server);
			break;
		case NDEV_NOTHING:
			break;
		}
	}
	return result;
}
