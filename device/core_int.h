/*
 * core_int.h - a core's state, inside device/ only. One section per file.
 *
 *   core.c      memory, the round: take lines, attention, run, send
 *   process.c   records: birth, waiting, ready, end
 *   spawn.c     SPAWN lines become processes
 *   ops.c       what kernel code calls
 *   fds.c       the ends of a process, by number
 *   birth.c     a process starts another
 *   abroad.c    on another core: what the core writes to the host about it, and is told
 *   kin.c       parents, children, families
 *   waiters.c   who waits at an end
 *   scratch.c   memory that processes lease from their core
 *   copies.c    copies between far and scratch memory
 *   grants.c    grant sets, search in them
 *   images.c    code, shared by the cores
 *   log.c, format.c   log messages
 *   report.c    what the processes do, when the host asks
 *   look.c      likewise, when somebody else looks
 */
#ifndef NEARSIDE_DEVICE_CORE_INT_H
#define NEARSIDE_DEVICE_CORE_INT_H

#include <stddef.h>

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
	PROCESS_READY,   /* in the ready queue, or running; 0 */
	PROCESS_READING, /* at its end's read waiters */
	PROCESS_WRITING,
	PROCESS_WAITING, /* for the child whose number `end` is, or any */
	PROCESS_COPYING, /* for its copy whose number `end` is */
	PROCESS_LEAVING, /* has returned; its copies go on, and its frame has how it ended */
	PROCESS_ENDED,   /* its exit is noted and may still have to be sent */
};

enum process_flag {
	/* The read that it waits in is done: nbytes were put into its buffer. */
	PROCESS_DELIVERED = 1 << 0,
	/* It was told to try again: whatever it does, the next waiter hears of it. */
	PROCESS_WOKEN = 1 << 1,
	/* The table of ends lies behind the frame, at ends[0] bytes from the record. */
	PROCESS_MANY_ENDS = 1 << 2,
	/* The table of ends is a block of NK_ENDS_MAX, at the address in ends[0..1]. */
	PROCESS_OWN_TABLE = 1 << 3,
	PROCESS_HAS_KIN = 1 << 4,    /* was started by a process, or has started some */
	PROCESS_LEAVES_KIN = 1 << 5, /* has ended; its family goes on */
	/*
	 * It tries to give an end abroad: `buffer` is how far the place `end` must have taken lines
	 * (abroad.c).
	 */
	PROCESS_FENCED = 1 << 6,
	PROCESS_HAS_NEAR = 1 << 7, /* a struct near lies below its record */
};

/*
 * How the firmware sees a struct nk_process: the same 64 bytes, with its own part named. While it
 * waits or was woken, `end` is where. An end's id has NMSG_END_WRITES for a writing end; 0: closed.
 */
struct process {
	const struct nk_ops *ops;
	const struct nk_segment *segments;
	uint64_t self;
	/* In the ready queue, an end's waiters (circular), or the exits to send. */
	struct process *next;
	void *buffer;    /* of a waiting read */
	uint16_t nbytes; /* of it, a kernel's memory is small; when delivered: how many came */
	uint16_t site;   /* where in the source it waits; 0: not known */
	uint32_t end;
	uint32_t ends[NDEV_INLINE_ENDS];
	union {
		struct {
			uint8_t state;
			uint8_t flags;
			uint8_t end_count;
			uint8_t segment_count : 5;
			uint8_t extra_turns : 3; /* weight less 1 */
		};
		uint32_t brief; /* the same bytes */
	};
};

/* Zero in `brief`: it is PROCESS_READY, and its weight is 1. */
#define BRIEF_STATE_AND_WEIGHT 0xe00000ffu

_Static_assert(sizeof(struct process) == sizeof(struct nk_process), "the same record");

struct copy {
	char *to;
	const char *from;
	uint64_t left; /* bytes */
	bool is_put;
};

/* How the firmware sees a struct nk_near. Copies in flight have the numbers from finished on. */
struct near {
	struct process *next; /* in the queue of those with copies in flight */
	uint32_t started, finished;
	struct copy copy[NK_COPIES_MAX]; /* number n at n % NK_COPIES_MAX */
	uint64_t unused[5];
	void *scratch;
};

_Static_assert(sizeof(struct near) == sizeof(struct nk_near) &&
		       offsetof(struct near, scratch) == offsetof(struct nk_near, scratch),
	"the same record");

struct process_list {
	struct process *head, *tail;
};

enum kin_state {
	KIN_NONE,     /* a free id; or started by the host, and alive */
	KIN_ALIVE,    /* started here by a process */
	KIN_ABROAD,   /* started by a process, on another core: the host says how it ended */
	KIN_ENDED,    /* either; its parent has not asked how */
	KIN_HEADLESS, /* started by the host and ended; its family goes on */
	KIN_FINISHED, /* likewise, and so has its family: the host must be told */
};

/*
 * What ties an id to others, by id: zero for one that the host started and that has started none.
 * The family of a process that the host started are all that it, its children and so on have
 * started on this core.
 */
struct kin {
	uint32_t parent;      /* 0: the host, or it has ended */
	uint32_t head;        /* of its family, who was started by the host; 0: itself */
	uint32_t first_child; /* ended ones too, until the parent has asked how */
	uint32_t sibling;     /* also: the next free id, the next head that is KIN_FINISHED */
	union {
		uint64_t numbers; /* bit per child's number in use */
		uint64_t self;    /* of a head that is KIN_HEADLESS or KIN_FINISHED */
	};
	union {
		/* Of the living, in a circle with the head. */
		struct {
			uint32_t next, previous;
		} family;
		int64_t value; /* KIN_ENDED: how */
	};
	uint16_t serial; /* of this id's uses */
	uint8_t number;  /* by which the parent knows it */
	uint8_t state;
	uint8_t ending; /* KIN_ENDED: enum nmsg_ending */
};

/* Lines to the host that wait for room, in a block of their own. EXITs wait behind them. */
struct letter {
	struct letter *next;
	uint16_t kind;
	uint16_t nbytes;
	uint32_t reserved;
	unsigned char bytes[];
};

/* An entry of the table of processes while the id's kin is KIN_HEADLESS or KIN_FINISHED. */
enum {
	HEADLESS_NOTE = 2
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

/*
 * The read of a process which waited: until it goes on, its buffer takes the bytes of line after
 * line.
 */
struct served_read {
	struct nchan_end *end; /* NULL: none, or the buffer has no room for another line */
	struct process *process;
	char *buffer;
	uint64_t nbytes;
	uint64_t done;
};

struct ndev_core {
	/* The table that processes see; first, so that an ops pointer leads here. */
	struct nk_ops ops;
	struct nchan_place place;
	struct process *running;
	struct process_list ready;
	struct process_list exits; /* ended, EXIT not yet sent */
	struct letter *letters, *last_letter;
	/* [ids_max + 1], by id: a struct process *, a refusal (process.c), HEADLESS_NOTE, or 0 */
	uint64_t *processes;
	uint32_t refusals;      /* noted in the table, EXIT not yet sent */
	uint32_t refusals_next; /* where to look for the next */
	uint32_t processes_max; /* the host starts processes 1..processes_max */
	uint32_t ids_max;   /* processes start the others, which the host knows by their family */
	uint32_t ids_fresh; /* of the latter, processes_max + 1..ids_fresh were used before */
	uint32_t ids_free;  /* the first free one of them */
	struct kin *kin;    /* [ids_max + 1] */
	uint32_t finished_head, finished_tail; /* heads of families that are KIN_FINISHED */
	uint32_t grant_sets_max;
	struct grant_set *grants; /* [grant_sets_max + 1] */
	struct grant_set no_grants;
	struct ndev_frames frames;
	char *scratch;
	uint16_t *scratch_runs; /* per unit: how many units were leased together from there */
	struct process *copying_head, *copying_tail; /* with copies in flight */
	struct ndev_context context; /* of the run loop, for processes that do not come back */
	struct nmsg_exit ending;     /* how the running process ended, when its state says so */
	struct served_read served;   /* of the last that got bytes */
	unsigned runs_left;          /* of this round */
	uint64_t doomed; /* the head of a family that ends when the running process is back; or 0 */
	/* Turns in a row of a process with a weight: whose, when it had the last, how many more. */
	uint64_t turns_of;
	uint64_t turns_at;
	unsigned turns_left;
	unsigned lines_left;       /* that the running process may take before it must suspend */
	struct nmsg_joined input;  /* a spawn of which lines are still to come */
	struct nmsg_loaded loaded; /* the answer to the last LOAD, while owes_loaded */
	bool owes_loaded;
	bool owes_report;
	uint16_t report_number; /* the host's, of what it asked */
	uint32_t report_next;   /* process id */
	uint64_t faults_told;   /* of place.faults, to the host */
	uint64_t attention_seen;
	uint64_t look_answered; /* what was wanted then */
	uint64_t victim; /* where memory is not coherent: the attention word, as last heard */
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
	uint64_t recalled;        /* nreg_recall.serial that was heeded */
	struct ndev_core *cores;  /* [core_count] */
	struct nchan_fifo *fifos; /* [from * core_count + to] */
};

/* ---- core.c ---------------------------------------------------------------------------------- */

/*
 * No other process could run, nothing is to be taken or sent, and the host wants nobody ended.
 */
bool core_is_idle(const struct ndev_core *core);

/* What the core counts is told to a host whose memory is not coherent with it. */
void core_tell_counts(const struct ndev_core *core);

/* ---- process.c ------------------------------------------------------------------------------- */

void list_add(struct process_list *list, struct process *process);
struct process *list_take(struct process_list *list);
void process_make_ready(struct ndev_core *core, struct process *process);
struct process *process_find(const struct ndev_core *core, uint64_t self);
/* NULL: no living process has this id. */
struct process *process_by_id(const struct ndev_core *core, uint32_t id);
/* Runs at most `count` ready processes. True when any was. */
bool processes_run(struct ndev_core *core, unsigned count);
/* Closes its ends, notes how it ended and sends that, now or later. */
void process_end(struct ndev_core *core, struct process *process, const struct nmsg_exit *how);
void process_kill(struct ndev_core *core, struct process *process);
/* Gives back its memory; nobody knows it any more. */
void process_free(struct ndev_core *core, struct process *process);
/* A spawn of this (free) id never became a process. */
void process_refuse(struct ndev_core *core, uint64_t self, enum nmsg_ending ending, int error);
/* False: there is no room. */
bool exit_send(struct ndev_core *core, const struct nmsg_exit *how);
/* Sends EXIT lines that wait for room. */
void exits_flush(struct ndev_core *core);

/* ---- kin.c ----------------------------------------------------------------------------------- */

/* Ids that processes may give to those that they start, on a core of this device. */
uint32_t kin_ids_max(const struct nreg_identity *identity);
/* A child of `parent`, here or abroad, gets a name and a number: the number, -EAGAIN, -EMFILE. */
int kin_begin(struct ndev_core *core, struct process *parent, enum kin_state state, uint64_t *self);
/* One that is abroad has ended: false: there is none of this name. */
bool kin_end_abroad(struct ndev_core *core, const struct nmsg_exit *how);
/*
 * How a process of kin ended; *how is marked when the family of its head goes on. True: nobody but
 * its parent, if that, has to hear of it.
 */
bool kin_end(struct ndev_core *core, struct process *process, struct nmsg_exit *how);
/* Ends every process of the family, and its head: now, or when the one that runs has come back. */
void family_doom(struct ndev_core *core, uint64_t head_self);
void family_end_doomed(struct ndev_core *core);
/* Tells the host of families that have ended. */
void kin_flush(struct ndev_core *core);
/* A child's number becomes free: how it ended. -EAGAIN: it has not; -ECHILD. */
int64_t kin_take_ended(
	struct ndev_core *core, struct process *parent, int64_t number, struct nk_outcome *outcome);
/* The name of the child of this number, and whether it lives here, abroad, or has ended. -ECHILD */
int kin_child(struct ndev_core *core, const struct process *parent, int64_t number,
	enum kin_state *state, uint64_t *self);
/* The children for one of which a process waits, by id; 0: on another core. How many. */
unsigned kin_awaited(
	const struct ndev_core *core, const struct process *parent, uint32_t ids[NK_CHILDREN_MAX]);

/* ---- fds.c ----------------------------------------------------------------------------------- */

/* The table: end_count of them. */
uint32_t *process_ends(struct process *process);
/* The end's id with NMSG_END_WRITES, or 0: not open. */
uint32_t fd_end(struct process *process, int64_t fd);
/* A number for an end; -EMFILE, -ENOMEM. */
int fd_add(struct ndev_core *core, struct process *process, uint32_t end);
/* Gives up an end, by its id with NMSG_END_WRITES; 0: none. */
void end_drop(struct ndev_core *core, uint32_t end);
/* Frees the table if it has a block of its own. */
void fds_free(struct ndev_core *core, struct process *process);

/* ---- birth.c --------------------------------------------------------------------------------- */

int64_t op_spawn(struct nk_process *process, const struct nk_code *code, const uint64_t *words,
	const struct nk_start *start);

/* What is known of a child before there is one. */
struct birth {
	struct ndev_core *core;
	struct process *parent;
	const struct nk_code *code;
	const uint64_t *words;
	const struct nk_start *start;
	struct nk_segment segments[NK_PARAMS_MAX];
	unsigned segment_count;
	bool shares_segments; /* the starter's own, which the host holds for the family */
};

/* ---- abroad.c -------------------------------------------------------------------------------- */

int64_t spawn_abroad(const struct birth *birth);
/* -ENOMEM */
int kill_abroad(struct ndev_core *core, uint64_t self);
void letters_flush(struct ndev_core *core);
bool receive_exit(struct ndev_core *core, const struct nchan_line *line);

/* ---- scratch.c, copies.c --------------------------------------------------------------------- */

uint64_t scratch_unit_count(const struct nreg_identity *identity);
/* NULL: there is no run of so many bytes. */
void *scratch_take(struct ndev_core *core, uint64_t nbytes);
void scratch_put(struct ndev_core *core, void *scratch);
/* Copies some pieces. True when there were any. */
bool copies_step(struct ndev_core *core);
/*
 * The process ends: true when it has returned and its copies go on first, after which it is ended
 * again. Else none is in flight any more.
 */
bool copies_end(struct ndev_core *core, struct process *process, const struct nmsg_exit *how);
int64_t op_get(struct nk_process *process, void *to, uint64_t from, uint64_t nbytes, uint32_t site);
int64_t op_put(
	struct nk_process *process, uint64_t to, const void *from, uint64_t nbytes, uint32_t site);
int64_t op_copied(struct nk_process *process, int64_t number, uint32_t site);

/* ---- waiters.c ------------------------------------------------------------------------------- */

void wait_at(
	struct ndev_core *core, struct process *process, uint32_t end, enum process_state state);
/* Takes a waiting process off its end. */
void wait_cancel(struct ndev_core *core, struct process *process);
/* Lets the first waiter try again. */
void wake_reader(struct ndev_core *core, struct nchan_end *end);
void wake_writer(struct ndev_core *core, struct nchan_end *end);
uint64_t deliver_to_reader(
	struct ndev_core *core, struct nchan_end *end, const void *bytes, uint64_t nbytes);

/* ---- spawn.c, grants.c, images.c, log.c, report.c: false: the line makes no sense ------------ */

bool receive_spawn(struct ndev_core *core, const struct nchan_line *line);
/*
 * A record, with room for a frame, `end_count` ends, and segments of its own behind these; NULL:
 * none. The process is ready, but in no list.
 */
struct process *process_make(struct ndev_core *core, const struct nk_code *code, unsigned end_count,
	unsigned segment_count);
/* Of the block in which it lies. */
uint64_t process_block_bytes(const struct ndev_core *core, const struct process *process);
/* Room for segments, in the block that process_make() made. */
struct nk_segment *process_own_segments(struct process *process, const struct nk_code *code);
bool receive_grant(struct ndev_core *core, const struct nchan_line *line);
bool receive_revoke(struct ndev_core *core, const struct nchan_line *line);
bool receive_load(struct ndev_core *core, const struct nchan_line *line);
void loaded_flush(struct ndev_core *core);
bool receive_ask(struct ndev_core *core, const struct nchan_line *line);
/* Goes on with the report that the core owes; true when there is more and room for it. */
bool report_step(struct ndev_core *core);
/* An end as the host names it, if it does: as in struct nmsg_state. */
uint32_t report_end(const struct ndev_core *core, uint32_t end);
/* While locked no image comes or goes. False: another core has the lock. */
bool images_try_lock(struct ndev_device *device);
void images_unlock(struct ndev_device *device);
const struct nk_code *image_kernel(
	const struct ndev_device *device, unsigned image, unsigned kernel);
/* Which kernel of which image this is; false: of none. */
bool image_find(const struct ndev_device *device, const struct nk_code *code, uint16_t *image,
	uint16_t *kernel);
const struct grant_set *grants_find(const struct ndev_core *core, unsigned set);
/* The device's address of a granted range, or NULL. */
void *grants_search(const struct process *process, uint64_t va, uint64_t nbytes, bool writes);
void log_message(struct ndev_core *core, const struct process *process, const char *format,
	const uint64_t *args, uint64_t count);

/* ---- look.c ---------------------------------------------------------------------------------- */

static inline bool look_is_wanted(const struct ndev_core *core)
{
	return nchan_load(&core->shared->look.wanted) != core->look_answered;
}

/* False: not now. */
bool look_answer(struct ndev_core *core);

/* ---- ops.c ----------------------------------------------------------------------------------- */

void ops_init(struct ndev_core *core);

static inline struct process *process_of(struct nk_process *process)
{
	return (struct process *)(void *)process;
}

/* The operation table is the core's first member. */
static inline struct ndev_core *core_of(const struct process *process)
{
	return (struct ndev_core *)(uintptr_t)process->ops;
}

#endif
