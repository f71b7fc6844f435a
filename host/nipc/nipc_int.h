/*
 * nipc_int.h - one end of a channel, inside host/nipc/ only. One section per file; region.h and
 * socket.h come first.
 *
 *   copy.c, near.c          copies
 *   listener.c, channel.c,  making and closing
 *   join.c
 *   half.c, poll.c          waiting, waking
 *   send.c, reserve.c       what is sent
 *   take.c, recv.c,         what is received: lines, copies, views
 *   borrow.c
 *   op.c                    without waiting
 *   explain.c               for people
 */
#ifndef NEARSIDE_HOST_NIPC_NIPC_INT_H
#define NEARSIDE_HOST_NIPC_NIPC_INT_H

#include <errno.h>

#include <nearside/nipc.h>

#include "host/bell.h"
#include "host/engine.h"
#include "host/nipc/near.h"
#include "host/nipc/region.h"
#include "host/nipc/socket.h"
#include "host/wait.h"

enum {
	IPC_FLIGHTS = 8, /* chunks whose copies are under way */
	IPC_JOBS = 4,    /* copies of one chunk that an engine has; more are done at once */
	IPC_AT_ONCE =
		16 << 10,   /* bytes: shorter messages are copied by the call, if there is room */
	IPC_JOB_MIN = 4096, /* bytes; shorter copies are done at once */
};

/* A chunk whose bytes are being copied into, or out of, a region. */
struct ipc_flight {
	struct nhost_op jobs[IPC_JOBS];
	unsigned job_count;
	uint64_t position, nbytes; /* sent: where in the data */
	uint64_t first, count;     /* received: slots to be given back */
	struct nipc_op *op;
};

struct ipc_flights {
	struct ipc_flight flight[IPC_FLIGHTS];
	uint64_t begun, ended;
};

/* What a thread needs to copy, and to wait, at one half. */
struct ipc_half {
	uint64_t *sleeps;            /* in the own region: odd while the thread sleeps */
	const uint64_t *peer_sleeps; /* of the peer's other half, which waits for this one */
	uint64_t woken;              /* the sleep of the peer's that was ended already */
	int wake_to, wake_from;      /* sockets: wakes the peer's half, or this one */
	struct nhost_bell bell;      /* its eventfd: rung by engines and by this end itself */
	int epoll;                   /* wake_from, the bell, the peer's death */
	bool is_watched;             /* nipc_fd() was asked for */
	unsigned polls;              /* calls of npipe_poll() that wait at this half */
	bool is_set;                 /* the bell's eventfd, as far as this end knows */
	uint64_t peer_checked;       /* ticks: when the peer was last asked whether it lives */
	struct nhost_spin spin;
	uint64_t sleep_count, wake_count;
	struct nhost_engine engine;
	struct ipc_flights flights;
	struct ipc_near near;
};

/* Ops in the order in which they were begun. */
struct ipc_queue {
	struct nipc_op *first;
};

struct ipc_sender {
	struct ipc_half half;
	uint64_t sent;       /* slots, since the beginning */
	uint64_t released;   /* of them, given back: as last seen */
	uint64_t told;       /* atomic: the same, as the other half saw it in a line of the peer */
	uint64_t head, tail; /* positions in the data: of the next byte, of the oldest in use */
	uint64_t *ends;      /* [slots] head after what that slot says */
	bool is_shut;        /* nipc_shutdown() */
	struct ipc_queue ops;
	struct {
		bool is_begun;
		uint64_t total, done;
	} cut; /* a message that a deadline cut off */
	struct {
		bool is_out;
		uint64_t position, nbytes, sent;
	} reserved;
	uint64_t messages, bytes, small, copied;
};

/* The message that is being received. */
struct ipc_message {
	bool is_begun, is_small;
	uint64_t total;
	uint64_t arrived; /* bytes whose lines were taken */
	uint64_t handed;  /* of them, given to the caller: borrowed, or being copied */
	uint64_t start;   /* offset in the data */
	uint64_t first;   /* the slot from which nothing was handed */
	unsigned char small[NIPC_SMALL + IPC_PAYLOAD_BYTES]; /* lines are copied whole */
};

struct ipc_receiver {
	struct ipc_half half;
	uint64_t taken;    /* slots whose lines were read */
	uint64_t released; /* of them, given back, in order */
	uint8_t *is_out;   /* [slots of the peer] taken, and not given back by the caller */
	struct ipc_message message;
	uint64_t *nbytes;    /* [slots of the peer] of the piece that such a slot says */
	uint64_t out_nbytes; /* of them all */
	struct ipc_queue ops;
	uint64_t cut_nbytes; /* that a call cut off by its deadline has received */
	uint64_t messages, bytes, small, copied;
};

struct nipc {
	bool is_open;
	const uint64_t *guard; /* 0 in a child of fork() */
	struct nhost_error detail;
	bool detail_lock; /* two threads may fail at once */
	struct nipc_attr attr;
	int64_t timeout_ns;
	int socket, pidfd; /* the latter -1: the peer's process is not seen from here */
	int wake_room;     /* wakes this end's sender; half of a pair, the peer has the other */
	struct ipc_peer peer;
	struct ipc_region own, theirs;
	bool fences; /* the peer asked for it: it cannot do it for both (membarrier) */
	bool can_fence_all;
	uint32_t gone;      /* atomic: the peer's socket hung up, or its process ended */
	const char *broken; /* atomic: how it broke the protocol; NULL: it did not */
	struct ipc_sender sender;
	struct ipc_receiver receiver;
};

/* ---- channel.c ------------------------------------------------------------------------------- */

static inline int ipc_check(const struct nipc *channel)
{
	return channel && channel->is_open && nchan_load(channel->guard) ? 0 : -EBADF;
}

int ipc_fail(struct nipc *channel, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The words of a failure that is alike everywhere; returns the result. */
int64_t ipc_note_failure(struct nipc *channel, int64_t result);

static inline int64_t ipc_note(struct nipc *channel, int64_t result)
{
	return nchan_likely(result >= 0) ? result : ipc_note_failure(channel, result);
}

/* Nothing is believed of the peer any more. `how` stays for ever. */
void ipc_break(struct nipc *channel, const char *how);

static inline bool ipc_is_gone(const struct nipc *channel)
{
	return __atomic_load_n(&channel->gone, __ATOMIC_RELAXED);
}

static inline bool ipc_is_broken(const struct nipc *channel)
{
	return __atomic_load_n(&channel->broken, __ATOMIC_RELAXED) != NULL;
}

static inline const struct nipc_how *ipc_how(const struct nipc *channel, const struct nipc_how *how)
{
	return how ? how : &channel->attr.how;
}

/* A closed one, with the attributes; NULL: no memory. */
struct nipc *ipc_channel_new(const struct nipc_attr *attr);
/* 0 in a child of fork(): 0, or -ENOMEM, -ENOSYS with words. */
int ipc_guard_create(const uint64_t **guard, struct nhost_error *error);
/* NULL is right, too. */
bool ipc_how_is_known(const struct nipc_how *how);
int ipc_attr_check(const struct nipc_attr *attr, struct nhost_error *error);

/* ---- join.c ---------------------------------------------------------------------------------- */

/* A deadline: the peer's greeting is there, or -EAGAIN. */
enum {
	IPC_LOOK_ONCE = 0
};

/* Takes over the socket, whatever happens. Greets, and waits for the peer's greeting. */
int ipc_channel_join(struct nipc *channel, int socket, int64_t deadline_ns);
/* Of which the peer's greeting is there. Takes over both. */
int ipc_channel_answer(struct nipc *channel, int socket, struct ipc_greeting *greeting);

/* ---- half.c ---------------------------------------------------------------------------------- */

/* Something that a thread waits for; may take lines and do copies. */
typedef bool ipc_ready_fn(struct nipc *channel, void *context);

/* Before there is a peer: what it sleeps on, and who copies. */
int ipc_half_open(struct ipc_half *half);
/* From now on the peer ends a sleep. 0 or a negative errno. */
int ipc_half_watch_peer(struct nipc *channel, struct ipc_half *half);
void ipc_half_close(struct ipc_half *half);

/*
 * 0: ready() is true, or it never will be, because the peer has gone or is broken; -EAGAIN (no
 * time), -ETIMEDOUT.
 */
int ipc_half_wait(struct nipc *channel, struct ipc_half *half, int64_t timeout_ns,
	ipc_ready_fn *ready, void *context);

/* The peer's half that waits for this one has something to do. After the store. */
void ipc_half_wake_peer(struct nipc *channel, struct ipc_half *half);

/* Asks the system now and then whether the peer lives, for calls that do not wait. */
void ipc_half_check_peer(struct nipc *channel, struct ipc_half *half);

/* What was waited for is there: how long the next wait looks before it sleeps. */
void ipc_half_learn(struct nhost_spin *spin);

/* The last poll at this half has ended: nobody is to be woken for it. */
void ipc_half_unwatch(struct nipc *channel, struct ipc_half *half);

/* Behind each call: the descriptor is readable exactly when ready() is true. */
void ipc_half_follow(struct nipc *channel, struct ipc_half *half, ipc_ready_fn *ready);

/* ---- send.c ---------------------------------------------------------------------------------- */

/* 0, or why nothing can be sent any more: -EPROTO, -EPIPE. */
int64_t ipc_send_over(const struct nipc *channel);
/* The same, in words. */
int64_t ipc_send_check_over(struct nipc *channel);
/* A slot and so many bytes of data are free. */
bool ipc_send_has_room(struct nipc *channel, uint64_t nbytes);
/* Bytes of data that are free, looking again only if less than `wanted` seem to be. */
uint64_t ipc_send_room(struct nipc *channel, uint64_t wanted);
/* Where the next message, of so many bytes, begins in the data. */
uint64_t ipc_send_begin_position(struct nipc *channel, uint64_t nbytes);
void ipc_send_piece(struct nipc *channel, uint64_t position, uint64_t nbytes, uint64_t total);
/* Moves the first ops on. How many it completed. */
int ipc_send_progress(struct nipc *channel);
/* nipc_fd(): a call would not wait. */
bool ipc_send_ready(struct nipc *channel, void *unused);
/* Shortest chunk, so that a region full of them does not run out of lines. */
uint64_t ipc_chunk_min(const struct ipc_region *region);

/* ---- take.c ---------------------------------------------------------------------------------- */

/* A line is there, or will never be. */
bool ipc_take_ready(struct nipc *channel, void *unused);
/* Takes what has come of the current message, until as much as `wanted` of it has. */
void ipc_take(struct nipc *channel, uint64_t wanted);
/* Waits until as much has come: its length; 0: end of file; or an error. */
int64_t ipc_take_wait(struct nipc *channel, uint64_t wanted);
/* The end came in the midst of the message. Returns -EPIPE. */
int ipc_take_cut(struct nipc *channel);
/* What is borrowed of messages before stands in the way of more. Returns -ENOBUFS. */
int ipc_take_no_room(struct nipc *channel);
/* 0: the rest of the message can come; or the same. */
int ipc_take_check_room(struct nipc *channel);
/* Slots are the sender's again; in any order. */
void ipc_give_back(struct nipc *channel, uint64_t first, uint64_t count);
/* Forgets a message that was handed out whole. */
void ipc_take_end(struct nipc *channel);
const unsigned char *ipc_take_bytes(const struct nipc *channel, uint64_t offset);

/* ---- recv.c ---------------------------------------------------------------------------------- */

int ipc_recv_progress(struct nipc *channel);

/* ---- copy.c ---------------------------------------------------------------------------------- */

/*
 * The copies of one flight of the op's next bytes; to_region, or from there. They will be used when
 * `distance` bytes have been copied (near.h).
 */
void ipc_copy_begin(struct ipc_half *half, struct ipc_flight *flight, struct nipc_op *op,
	unsigned char *region, uint64_t nbytes, bool to_region, uint64_t distance);
bool ipc_copy_is_done(const struct ipc_flight *flight);
/* Without deadline: the caller's bytes are the caller's again. */
void ipc_copy_wait(struct ipc_half *half);
/* Skips bytes of the op's parts. */
void ipc_parts_skip(struct nipc_op *op, uint64_t nbytes);

/* ---- op.c ------------------------------------------------------------------------------------ */

/* Length of parts, or -EINVAL with words. */
int64_t ipc_parts_check(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how);
void ipc_op_init(
	struct nipc_op *op, const struct iovec *parts, size_t count, const struct nipc_how *how);
void ipc_op_append(struct ipc_queue *queue, struct nipc_op *op);
void ipc_op_remove(struct ipc_queue *queue, struct nipc_op *op);
/* The first one: leaves the queue, and its callback is called. */
void ipc_op_done(struct ipc_queue *queue, int64_t result);

#endif
