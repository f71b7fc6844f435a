/*
 * small_host.h - the host's end of a region in a few lines, for tests of devices: one thread, a few
 * pipes and processes, waits without deadlines of its own. Freestanding, so that it also runs
 * beside the firmware on bare metal.
 *
 * Calls that wait return 0 or a count, or what wait() says when it is not 0.
 */
#ifndef NEARSIDE_TESTS_EMU_SMALL_HOST_H
#define NEARSIDE_TESTS_EMU_SMALL_HOST_H

#include "channels/place.h"
#include "device/abi/message.h"
#include "device/abi/region.h"

enum {
	SMALL_HOST_PIPES = 64,
	SMALL_HOST_CELLS = 4096,
	SMALL_HOST_LOG_BYTES = 512,
	SMALL_HOST_ENDS = 2, /* at spawn: what fits into one line */
	SMALL_HOST_WORDS = 4,
};

struct small_host;

/* How this host waits. */
struct small_host_platform {
	/* Returns 0 when there may be lines, or an error that ends the call in progress. */
	int (*wait)(struct small_host *host);
	void (*wake)(void *context, unsigned core);
	const struct nchan_pause *pause;
	void *context;
};

struct small_host {
	struct nchan_place place;
	void *region;
	const struct nreg_identity *identity;
	struct small_host_platform platform;
	uint64_t exit_count;
	struct nmsg_exit last_exit;
	uint64_t loaded_count;
	struct nmsg_loaded last_loaded;
	char log[SMALL_HOST_LOG_BYTES]; /* all messages */
	unsigned log_nbytes;
	uint32_t ends[SMALL_HOST_PIPES + 1];
	struct nchan_link links[NCHAN_PLACES_MAX];
	struct nchan_cell cells[SMALL_HOST_CELLS + 1];
};

/* `host` is zeroed. */
void small_host_init(
	struct small_host *host, void *region, const struct small_host_platform *platform);

/* Takes what is there, sends what is owed. True when anything came. */
bool small_host_round(struct small_host *host);

/* Nothing to take: for a platform that is about to sleep; reports first. */
bool small_host_may_sleep(struct small_host *host);

/*
 * The code was stored at `offset` of far memory. 0 bytes: unload. The device's answer, or an error
 * of wait().
 */
int small_host_load(struct small_host *host, unsigned image, uint64_t offset, uint64_t nbytes,
	unsigned kernels);

/* A pipe's id: SMALL_HOST_PIPES of them at most, 1... */
void small_host_pipe(struct small_host *host, uint32_t pipe);

struct small_spawn {
	unsigned core;
	unsigned image;
	unsigned kernel;
	uint64_t self; /* nreg_self() */
	unsigned end_count;
	uint32_t ends
		[SMALL_HOST_ENDS]; /* pipe, with NMSG_END_WRITES for its writing end; given away */
	unsigned word_count;
	uint64_t words[SMALL_HOST_WORDS];
	unsigned grant_set; /* 0: none */
};

int small_host_spawn(struct small_host *host, const struct small_spawn *spawn);

/* Grant set `set` on that core is this one range of far memory, as addresses of the host. */
int small_host_grant(
	struct small_host *host, unsigned core, unsigned set, const struct nmsg_grant *range);

/* All of nbytes. -EPIPE. */
int64_t small_host_write(
	struct small_host *host, uint32_t pipe, const void *bytes, uint64_t nbytes);

/* What is there; 0: end of file. */
int64_t small_host_read(struct small_host *host, uint32_t pipe, void *bytes, uint64_t nbytes);

void small_host_close_writer(struct small_host *host, uint32_t pipe);

/* Until so many processes have ended since the start. */
int small_host_wait_exits(struct small_host *host, uint64_t count);

/* As the runtime does: the attention word, and a line that wakes the core. */
int small_host_kill(struct small_host *host, unsigned core, uint64_t self);

#endif
