/*
 * server.h - a device for host programs other than this one: a region that they can map, one host
 * after another. Each gets it as new.
 *
 *     nemu_server_open()    the region
 *     nemu_server_offer()   a host can open it from now on
 *     nemu_server_run()     until told to stop
 *     nemu_server_close()
 */
#ifndef NEARSIDE_EMU_SERVER_H
#define NEARSIDE_EMU_SERVER_H

#include <signal.h>

#include "host/region.h"

struct nemu_server;

/* How hosts must treat the region's memory, for tests of programs. */
enum nemu_memory {
	NEMU_MEMORY_COHERENT,
	NEMU_MEMORY_FLUSHED,  /* as not coherent: caches are written back by instructions */
	NEMU_MEMORY_MODELLED, /* as not coherent: each side has a modelled cache */
};

struct nemu_server_options {
	struct nhost_options device;
	enum nemu_memory memory;
	uint32_t cache_seed; /* of a modelled cache */
	uint64_t base;       /* where hosts map the region; 0: chosen */
	bool serves_once;    /* the first host is the last */
};

/*
 * options->device.place is what `kind` takes; its suspect_s is about hosts. What the kind's
 * create() fails with, and
 * -EINVAL  port=event: an event does not reach other programs
 * -EOPNOTSUPP  NEMU_MEMORY_FLUSHED: the processor has no instructions for it
 * -ENOMEM
 */
int nemu_server_open(const struct nhost_region_kind *kind,
	const struct nemu_server_options *options, struct nemu_server **server,
	struct nhost_error *error);

const struct nreg_identity *nemu_server_identity(const struct nemu_server *server);
int nemu_server_file(const struct nemu_server *server);

void nemu_server_offer(struct nemu_server *server);

/* 0 soon after *stop is not 0, or the last host has left; or why cores cannot be started. */
int nemu_server_run(
	struct nemu_server *server, const volatile sig_atomic_t *stop, struct nhost_error *error);

/* A host that is still there hears of it. */
void nemu_server_close(struct nemu_server *server);

#endif
