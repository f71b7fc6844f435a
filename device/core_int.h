/*
 * core_int.h - a core's state, inside device/ only. One section per file.
 *
 *   core.c      memory, the round: take lines, attention, run, send
 *   process.c   records: birth, waiting, ready, end
 *   spawn.c     SPAWN lines become processes
 *   ops.c       what kernel code calls
 *   waiters.c   who waits at an end
 *   grants.c    grant sets, search in them
 *   images.c    code, shared by the cores
 *   log.c, format.c   log messages
 */
#ifndef NEARSIDE_DEVICE_CORE_INT_H
#define NEARSIDE_DEVICE_CORE_INT_H

#include "channels/place.h"
#include "device/abi/message.h"
#include "device/context.h"
#include "device/core.h"
#include "device/frames.h"

enum {
	NDEV_IMAGES_MAX = 256,
	NDEV_INLINE_ENDS = 3,
};

enum process_state {
	PROCESS_READY,   /* in the ready queue, or running */
	PROCESS_READING, /* at its end's read waiters */
	PROCESS_WRITING,
	PROCESS_ENDED, /* its exit is noted and may still have to be sent */
};

enum process_flag {
	PROCESS_DELIVERED =
		1 << 0, /* the read that it waits in is done: nbytes were put into its buffer */
	PROCESS_WOKEN =
		1
		<< 1, /* it was told to try again: whatever it does, the next waiter hears of it */
	/* The table of ends lies behind the frame, at ends[0] bytes from the record. */
	PROCESS_MANY_ENDS = 1 << 2,
};

/*
 * How the firmware sees a struct nk_process: the same 64 bytes, with its own part named.
 * While it waits or was woken, `end` is where. An end's id has NMSG_END_WRITES for a writing end; 0: closed.
 */
struct process {
	const struct nk_ops *ops;
	const struct nk_segment *segments;
	uint64_t self;
	struct process
		*next;   /* in the ready queue, an end's waiters (circular), or the exits to send */
	void *buffer;    /* of a waiting read */
	uint32_t nbytes; /* of it; when delivered: how many came */
	uint32_t end;
	uint32_t ends[NDEV_INLINE_ENDS];
	uint8_t state;
	uint8_t flags;
	uint8_t end_count;
	uint8_t reserved;
};

_Static_assert(sizeof(struct process) == sizeof(struct nk_process), "the same record");

struct process_list {
	struct process *head, *tail;
};

struct grant_set {
	uint64_t count; /* 0: not there */
	struct nk_segment segment[NK_PARAMS_MAX];
};

struct image {
	const struct nk_code *kernels; /* NULL: not there */
	void *handle;
	uint32_t kernel_count;
};

/* A spawn whose lines are still coming. */
struct spawn_input {
	unsigned lines_left;
	unsigned nbytes;
	_Alignas(8) unsigned char bytes[NMSG_SPAWN_LINES_MAX * NCHAN_PAYLOAD_BYTES];
};

struct ndev_core {
	struct nk_ops
		ops; /* the table that processes see; first, so that an ops pointer leads here */
	struct nchan_place place;
	struct process *running;
	struct process_list ready;
	struct process_list exits; /* ended, EXIT not yet sent */
	/* [processes_max + 1], by id: a struct process *, a refusal (process.c), or 0 */
	uint64_t *processes;
	uint32_t refusals;      /* noted in the table, EXIT not yet sent */
	uint32_t refusals_next; /* where to look for the next */
	uint32_t processes_max;
	uint32_t grant_sets_max;
	struct grant_set *grants; /* [grant_sets_max + 1] */
	struct grant_set no_grants;
	struct ndev_frames frames;
	struct ndev_context context; /* of the run loop, for processes that do not come back */
	struct nmsg_exit ending;     /* how the running process ended, when its state says so */
	unsigned runs_left;          /* of this round */
	struct spawn_input input;
	struct nmsg_loaded loaded; /* the answer to the last LOAD, while owes_loaded */
	bool owes_loaded;
	uint64_t faults_told; /* of place.faults, to the host */
	uint64_t attention_seen;
	struct ndev_device *device;
	struct nreg_core *shared;
	struct nchan_link *links;
	unsigned index;
};

struct ndev_device {
	struct ndev_platform platform;
	struct nreg_identity identity;
	char *region;
	uint64_t delta; /* device address minus far address */
	struct image images[NDEV_IMAGES_MAX];
	uint32_t load_lock;       /* one load at a time */
	struct ndev_core *cores;  /* [core_count] */
	struct nchan_fifo *fifos; /* [from * core_count + to] */
};

/* ---- process.c ------------------------------------------------------------------------------------ */

void list_add(struct process_list *list, struct process *process);
struct process *list_take(struct process_list *list);
void process_make_ready(struct ndev_core *core, struct process *process);
struct process *process_find(const struct ndev_core *core, uint64_t self);
/* NULL: no living process has this id. */
struct process *process_by_id(const struct ndev_core *core, uint32_t id);
uint32_t *process_ends(struct process *process);
/* Runs at most `count` ready processes. True when any was. */
bool processes_run(struct ndev_core *core, unsigned count);
/* Closes its ends, notes how it ended and sends that, now or later. */
void process_end(struct ndev_core *core, struct process *process, const struct nmsg_exit *how);
void process_kill(struct ndev_core *core, struct process *process);
/* A spawn of this (free) id never became a process. */
void process_refuse(struct ndev_core *core, uint64_t self, enum nmsg_ending ending, int error);
/* Sends EXIT lines that wait for room. */
void exits_flush(struct ndev_core *core);

/* ---- waiters.c ------------------------------------------------------------------------------------ */

void wait_at(
	struct ndev_core *core, struct process *process, uint32_t end, enum process_state state);
/* Takes a waiting process off its end. */
void wait_cancel(struct ndev_core *core, struct process *process);
/* Lets the first waiter try again. */
void wake_reader(struct ndev_core *core, struct nchan_end *end);
void wake_writer(struct ndev_core *core, struct nchan_end *end);
uint64_t deliver_to_reader(
	struct ndev_core *core, struct nchan_end *end, const void *bytes, uint64_t nbytes);

/* ---- spawn.c, grants.c, images.c, log.c: false: the line makes no sense --------------------------- */

bool receive_spawn(struct ndev_core *core, const struct nchan_line *line);
bool receive_grant(struct ndev_core *core, const struct nchan_line *line);
bool receive_revoke(struct ndev_core *core, const struct nchan_line *line);
bool receive_load(struct ndev_core *core, const struct nchan_line *line);
void loaded_flush(struct ndev_core *core);
const struct nk_code *image_kernel(
	const struct ndev_device *device, unsigned image, unsigned kernel);
const struct grant_set *grants_find(const struct ndev_core *core, unsigned set);
/* The device's address of a granted range, or NULL. */
void *grants_search(const struct process *process, uint64_t va, uint64_t nbytes, bool writes);
void log_message(struct ndev_core *core, const struct process *process, const char *format,
	const uint64_t *args, uint64_t count);

/* ---- ops.c ---------------------------------------------------------------------------------------- */

void ops_init(struct ndev_core *core);

#endif
