/*
 * dsa.h - Intel DSA as the engine `dsa` sees it, a file for each part:
 *
 *     dsa_library.c     libaccel-config, loaded when it is needed
 *     dsa_status.c      what the driver said of its devices
 *     dsa_find.c        which queues there are, and why one cannot be used
 *     dsa_queue.c       one open queue: how descriptors get into it
 *     dsa_cpu.c         the instructions for that, and for waiting
 *     dsa_descriptor.c  what an operation is to hardware, and what a completion record says
 *     dsa_job.c         descriptors under way, in batches
 *     dsa.c             the engine
 */
#ifndef NEARSIDE_HOST_ENGINE_DSA_H
#define NEARSIDE_HOST_ENGINE_DSA_H

#include <linux/idxd.h>

#include "host/engine/parts.h"

/* ---- instructions ---------------------------------------------------------------------------- */

enum dsa_instructions {
	DSA_MOVDIR64B = 1,
	DSA_ENQCMD = 2,
	DSA_WAITPKG = 4,
	DSA_INSTRUCTIONS_KNOWN = 8, /* in options: these, and do not ask the processor */
};

unsigned dsa_instructions(void);

void dsa_movdir64b(void *portal, const struct dsa_hw_desc *descriptor);

/* True: the queue took it. */
bool dsa_enqcmd(void *portal, const struct dsa_hw_desc *descriptor);

/*
 * Passes the time until the clock reaches until_ns, or until about then; looks at *status, the
 * first byte of a completion record, where the processor can do so in its sleep.
 */
void dsa_doze(unsigned instructions, const volatile uint8_t *status, int64_t until_ns);

/* ---- queues ---------------------------------------------------------------------------------- */

enum {
	DSA_QUEUES_MAX = 64,
	DSA_DEVICES_MAX = 16,
	DSA_PORTAL_NBYTES = 4096,
};

/* Why a queue, or all of DSA, cannot be used; in the order in which it is looked at. */
enum dsa_state {
	DSA_USABLE,
	DSA_NO_LIBRARY,
	DSA_NO_HARDWARE,
	DSA_NO_MODULE,
	DSA_NO_DEVICE,
	DSA_DEVICE_OFF,
	DSA_DEVICE_HALTED,
	DSA_NO_QUEUE,
	DSA_QUEUE_OFF,
	DSA_QUEUE_OF_KERNEL,
	DSA_NO_SHARED_MEMORY, /* the device cannot use addresses of programs */
	DSA_NO_NODE,
	DSA_NO_PERMISSION,
	DSA_BUSY,
	DSA_NO_INSTRUCTION,
	DSA_ABANDONED,
};

struct dsa_finding {
	enum dsa_state state;
	char text[256];   /* what was found */
	char remedy[512]; /* what to type; empty: nothing helps, or nothing need be done */
};

struct dsa_facts {
	char device[16], name[16]; /* dsa0, wq0.1 */
	char path[128];            /* /dev/dsa/wq0.1 */
	int numa_node;             /* -1: unknown */
	int distance;              /* from the node where the caller runs: 10 is the same */
	unsigned status;           /* of the device's last command */
	bool is_shared;
	bool can_overlap, has_cache_control; /* of the device */
	unsigned version;                    /* of the device: 0x100, 0x200 */
	unsigned size, max_batch;
	uint64_t max_transfer;
	struct dsa_finding finding;
};

struct dsa_found {
	struct dsa_finding finding; /* about all of it; DSA_USABLE if a queue is */
	unsigned devices;
	char versions[160]; /* of the kernel, and of libaccel-config where that was asked */
	unsigned count;
	struct dsa_facts queues[DSA_QUEUES_MAX]; /* nearest first */
};

/* Of the last command to each device, as the driver keeps it; 0: all is well. */
struct dsa_statuses {
	unsigned count;
	struct {
		char device[16];
		unsigned status;
	} of[DSA_DEVICES_MAX];
};

/* Before libaccel-config lists the devices. */
void dsa_statuses_read(struct dsa_statuses *statuses);
unsigned dsa_status_of(const struct dsa_statuses *statuses, const char *device);
const char *dsa_status_words(unsigned status);

/* Looks at what is there now; opens nothing. */
void dsa_find(struct dsa_found *found);

/* Sets a finding; an empty remedy is "". */
void dsa_finding_set(struct dsa_finding *finding, enum dsa_state state, const char *remedy,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

struct dsa_queue {
	int fd;       /* -1: closed */
	char *portal; /* NULL: write() */
	unsigned offset;
	bool is_shared;
};

/* 0, or -1 with the reason in facts->finding. */
int dsa_queue_open(struct dsa_queue *queue, struct dsa_facts *facts, unsigned instructions);

/*
 * When this returns, hardware writes no more of what it was given: the driver sees to it when the
 * last user of the queue has gone.
 */
void dsa_queue_close(struct dsa_queue *queue);

/*
 * 0; -EAGAIN: full, try later; else the queue is of no use. The descriptor is aligned to 64 bytes.
 */
int dsa_queue_put(struct dsa_queue *queue, const struct dsa_hw_desc *descriptor);

/* True: the device still says that it and the queue are enabled. Reads files: not often. */
bool dsa_queue_is_alive(const struct dsa_facts *facts, struct dsa_finding *finding);

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A part of an operation that is one descriptor. */
struct dsa_piece {
	struct nhost_op *op;
	size_t offset, nbytes;
};

/* What hardware can do with this operation. */
enum dsa_way {
	DSA_BY_CPU, /* nothing */
	DSA_WHOLE,  /* as one descriptor */
	DSA_PARTS,  /* in parts, all at once */
	DSA_CHAIN,  /* in parts, one after the other */
};

enum dsa_way dsa_way_of(const struct nhost_op *op, const struct dsa_facts *facts);

/* The way into the cache is chosen by the operation's wish and the size of the whole. */
void dsa_describe(const struct dsa_piece *piece, const struct dsa_facts *facts,
	struct dsa_hw_desc *descriptor, struct dsa_completion_record *record);

struct dsa_outcome {
	bool is_fault;       /* a page was not there */
	bool is_unsupported; /* the device does not know this operation */
	size_t cpu_bytes;    /* that the processor had to do */
};

/*
 * Takes what the record says into the operation, and has the processor do what hardware did not: a
 * record of status 0 says that it did nothing. Fills in op->result; returns the operation's status.
 */
int dsa_conclude(const struct dsa_piece *piece, const struct dsa_completion_record *record,
	struct dsa_outcome *outcome);

#endif
