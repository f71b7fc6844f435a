/*
 * nipc.h - bulk pipes: messages of any size between two processes of one host.
 *
 * A channel has two ends, each in a process (or thread) of its own, and carries messages both ways.
 * Each end owns a region of memory that it alone can write and its peer can only read; it is
 * mapped and filled with pages once, then used for ever. A small message travels in a 64-byte line;
 * of a large one the line says where in the region it lies. Copies go by a copy engine.
 *
 *     server                                    client
 *     nipc_listen("images", NULL, &listener)    nipc_connect("images", NULL, -1, &channel)
 *     nipc_accept(listener, -1, &channel)
 *     nipc_recv(channel, bytes, nbytes)         nipc_send(channel, bytes, nbytes)      copies
 *
 *     nipc_borrow(channel, &view)               nipc_reserve(channel, nbytes, &bytes)  no copy:
 *     read view.bytes                           write bytes                            made and
 *     nipc_release(channel, &view)              nipc_commit(channel, nbytes)           read there
 *
 *     nipc_close(channel)                       nipc_close(channel)
 *
 * Results. Every call returns 0 or a count, or a negative errno. Where an object, or what a call
 * tells, is to go must not be NULL (-EINVAL, and nothing is done). nipc_detail() says in words what
 * was missing and what to do. The library prints nothing, raises no signal (SIGPIPE, SIGBUS) and
 * leaves no file behind.
 *
 * Time. Timeouts are nanoseconds: 0 tries once (-EAGAIN), a negative one waits for ever, else
 * -ETIMEDOUT. A call that is cut off in the midst of a message has not lost it: made again with
 * the same bytes, it goes on where it was.
 *
 * Threads. A channel has a sending and a receiving half. One thread at a time uses a half; two
 * threads may use the two. A listener is used by one thread at a time.
 *
 * End. When the peer closes, what it sent before is received, then 0 is end of file. When it dies
 * (kill -9), likewise, but a message that was cut off is -EPIPE. A send to a peer that has gone is
 * -EPIPE: at once where it waits, else within a millisecond or so of sending.
 *
 * fork, exec. In a child of fork() the calls answer -EBADF; the parent goes on. Descriptors are
 * closed by exec.
 *
 * Trust. The peer may write anything into its region at any time. What is borrowed can therefore
 * change while it is read: check a private copy where that matters (nipc_recv() makes one).
 * Nothing that a peer does makes a call crash, read outside the region, or wait beyond its time.
 *
 * Errors that any call may return:
 *   -EINVAL   an argument is not valid: a bug in the caller
 *   -EBADF    the channel was opened before a fork(), and the child opens its own; or it could not
 *             be opened
 *   -EPROTO   the peer broke the protocol (nipc_detail() says how): close the channel
 *   -EPIPE    the peer has gone, or this end sends after nipc_shutdown(): close the channel
 *
 * Stability: before 1.0 names may still change; each release notes what did.
 */
#ifndef NEARSIDE_NIPC_H
#define NEARSIDE_NIPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h> /* struct iovec */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else in the library is hidden */

struct nipc;          /* an end of a channel */
struct nipc_listener; /* a name that can be connected to */

enum {
	NIPC_SMALL = 224,      /* bytes: messages of at most so many travel in lines */
	NIPC_PARTS_MAX = 1024, /* of nipc_sendv() and nipc_recvv() */
	NIPC_NAME_MAX = 96,    /* bytes of a name */
	NIPC_CAPACITY_MIN = 64 << 10,
	NIPC_CAPACITY_DEFAULT = 16 << 20,
};
#define NIPC_CAPACITY_MAX ((size_t)1 << 40)

/* The two halves of an end. */
enum nipc_half {
	NIPC_SENDING = 1 << 0,
	NIPC_RECEIVING = 1 << 1,
};

/* ---- how messages are moved ------------------------------------------------------------------ */

/* Who copies. */
enum nipc_engine {
	NIPC_ENGINE_ANY, /* what has proved fastest for the size and load */
	NIPC_ENGINE_CPU,
	NIPC_ENGINE_THREAD, /* a helper on another core */
	NIPC_ENGINE_DSA,
};

enum nipc_mode {
	NIPC_MODE_ANY,  /* pipelined if it is longer than a chunk */
	NIPC_WHOLE,     /* the receiver hears of the message when all of it is there */
	NIPC_PIPELINED, /* in chunks: the next one is copied while the last one is read */
};

/* Where copied bytes should lie. */
enum nipc_near {
	NIPC_NEAR_BY_SIZE, /* where it has proved better for the size */
	NIPC_IN_CACHE,     /* who receives them reads them soon */
	NIPC_IN_MEMORY,    /* nobody does: what lies in the cache stays there */
};

/* Of a channel, and of each call that takes one (NULL: as the channel). All 0 is the default. */
struct nipc_how {
	uint32_t engine;     /* enum nipc_engine; a wish: `auto` hears it (nipc_attr.engine) */
	uint32_t mode;       /* enum nipc_mode */
	uint32_t near;       /* enum nipc_near */
	size_t chunk_nbytes; /* of pipelined messages; 0: 256 KiB, or what fits the region */
};

enum nipc_flag {
	NIPC_LOCKED = 1 << 0,       /* the own region is locked in memory (ulimit -l) */
	NIPC_NO_HUGEPAGES = 1 << 1, /* only pages of the usual size */
	NIPC_ANY_USER = 1 << 2,     /* the peer may be of another user */
};

/* Start from NIPC_ATTR_INIT. */
struct nipc_attr {
	size_t capacity; /* bytes of the own region: what can be under way from here at once */
	uint32_t flags;  /* enum nipc_flag */
	/*
	 * "auto", "cpu", "thread", "dsa"; NULL: "auto", which hears nipc_how.engine. Where there is
	 * no DSA, "dsa" is refused (-ENODEV, and words). Outlives the channel.
	 */
	const char *engine;
	const char *queue; /* of DSA, such as "wq0.1"; NULL: the nearest. Outlives the channel */
	struct nipc_how how;
};

#define NIPC_ATTR_INIT {NIPC_CAPACITY_DEFAULT, 0, NULL, NULL, {0, 0, 0, 0}}

/*
 * ---- making a channel ---------------------------------------------------------------------------
 *
 * An end needs up to nine descriptors, a region of attr.capacity bytes, all of whose pages are
 * taken at once, and a copy engine. Calls that make one, or a listener, may return
 *   -ENOMEM  no memory, or no thread for the engine `thread` (detail: which limit is to be raised)
 *   -EMFILE, -ENFILE  no descriptor left: raise ulimit -n, or fs.file-max
 *   -ENODEV  the engine "dsa" was asked for, and no queue can be used (detail: why, what to type)
 *   -EINVAL  attr asks for what does not exist (detail), or the name is empty
 *   -ENOSYS  the system is older than Linux 5.1, or forbids what is needed (detail: what)
 */

/*
 * Takes a name. One that begins with "/" is a socket file with the permissions of the umask, which
 * nipc_listener_close() removes, and which is taken over where its owner has died; containers may
 * share its folder. Any other name leaves no file, and is seen in the same network namespace.
 * attr, which is copied, is for the channels that are accepted; NULL: the defaults.
 * On failure *listener may still be set, good only for nipc_listener_detail() and _close().
 * -EADDRINUSE  somebody listens there: stop that, or take another name
 * -EEXIST  a file is there that is no socket: take another name, or remove it
 * -ENAMETOOLONG  the name has more than NIPC_NAME_MAX bytes
 * -EACCES, -ENOENT, -ENOTDIR, -ELOOP, -EROFS, -ENOSPC  of a file: its folder must be there, and
 *              this user must be allowed to make files in it
 * And those above but -ENODEV, which nipc_accept() returns.
 */
int nipc_listen(const char *name, const struct nipc_attr *attr, struct nipc_listener **listener);
void nipc_listener_close(struct nipc_listener *listener);
const char *nipc_listener_detail(struct nipc_listener *listener, char *buffer, size_t nbytes);

/* Readable when nipc_accept() is worth a call. The listener's own. -EBADF, as above. */
int nipc_listener_fd(struct nipc_listener *listener);

/*
 * The next peer that connects. One that is of another user (NIPC_ANY_USER), does not know the
 * protocol, or says nothing while many others connect is turned away, and the call goes on;
 * nipc_listener_detail() says who it was.
 * *channel is NULL on failure; nipc_listener_detail() says why.
 * -EAGAIN, -ETIMEDOUT  nobody connected in that time who was let in
 * And those above but -EINVAL: that peer was told that there will be no channel.
 */
int nipc_accept(struct nipc_listener *listener, int64_t timeout_ns, struct nipc **channel);

/*
 * Connects to a name, and waits for it to be listened at, and for the other side to accept.
 * On failure *channel may still be set, good only for nipc_detail() and nipc_close().
 * -ECONNREFUSED  nobody listened in that time, too many wait there, or the other side could not
 *                make its end (detail): start the server, give it more time, or raise its limits
 * -EAGAIN, -ETIMEDOUT  it was not accepted in that time
 * -ECONNRESET  the other side has gone, or its listener was closed: connect again
 * -EPERM   who listens there is of another user, or takes none of this one (NIPC_ANY_USER)
 * -EPROTO  who listens there is no end of a channel, or of another release
 * -ENAMETOOLONG, -EACCES, -ENOTDIR, -ELOOP, -EPROTOTYPE  the name: too long, of a file that this
 *          user may not reach or write to, or that is a socket for something else
 * And those above.
 */
int nipc_connect(
	const char *name, const struct nipc_attr *attr, int64_t timeout_ns, struct nipc **channel);

/*
 * Two connected sockets, to be inherited: each becomes an end of one channel where it is given to
 * nipc_adopt(), which waits until the other one was, too. Both are closed by exec; dup2(2), or
 * posix_spawn_file_actions_adddup2(), makes one that is not. Close the one that you gave away.
 * -EMFILE, -ENFILE  no descriptor left: raise ulimit -n, or fs.file-max
 * -ENOMEM  the system has no memory for sockets
 * Both are -1 then.
 */
int nipc_pair(int sockets[2]);

/*
 * Makes an end of such a socket, which belongs to the channel from now on, also on failure.
 * On failure *channel may still be set, good only for nipc_detail() and nipc_close().
 * -EINVAL  also: no such socket
 * Else as nipc_connect(), but for what is about names; -ECONNRESET: nobody has the other socket.
 */
int nipc_adopt(int socket, const struct nipc_attr *attr, int64_t timeout_ns, struct nipc **channel);

/* Closes both halves and gives everything back; what was sent can be received. NULL: nothing. */
void nipc_close(struct nipc *channel);

/*
 * Nothing more will be sent: the peer receives what was, then end of file. Of the sending half.
 * -EBUSY  sends are under way, or one was cut off, or a reservation is out: end that first
 */
int nipc_shutdown(struct nipc *channel);

/* How long sends and receives wait; for ever at first. */
int nipc_set_timeout(struct nipc *channel, int64_t timeout_ns);

/* What the last failure of this channel was about. Returns buffer. */
const char *nipc_detail(struct nipc *channel, char *buffer, size_t nbytes);

/* ---- copying --------------------------------------------------------------------------------- */

/*
 * Sends one message of nbytes, at any address. It has been taken over when the call returns:
 * nbytes.
 * -EINVAL  nbytes is 0, there are more than NIPC_PARTS_MAX parts, or *how is unknown
 * -EBUSY   a message before was cut off (-ETIMEDOUT), and has another length: send it again first;
 *          or a reservation is out: commit it first
 * -EAGAIN, -ETIMEDOUT  there was no room in that time
 */
int64_t nipc_send(struct nipc *channel, const void *bytes, size_t nbytes);

/* One message of `count` parts, one behind the other. how: NULL, as the channel. */
int64_t nipc_sendv(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how);

/*
 * Receives the next message, whole; returns its length. 0: end of file.
 * -EMSGSIZE  it is longer than nbytes and stays where it is: nipc_next() says how long
 * -EINVAL    more than NIPC_PARTS_MAX parts, or *how is unknown
 * -EBUSY     part of the message is borrowed already: borrow the rest
 * -ENOBUFS   it cannot come while so much is borrowed: release something
 * -EAGAIN, -ETIMEDOUT  it had not come whole in that time: receive it again, for until then
 *            nipc_borrow() and its kin answer -EBUSY
 */
int64_t nipc_recv(struct nipc *channel, void *bytes, size_t nbytes);
int64_t nipc_recvv(
	struct nipc *channel, const struct iovec *parts, size_t count, const struct nipc_how *how);

/*
 * The length of the next message, of which at least the beginning is there. 0: end of file.
 * -EBUSY    receives are under way: wait for them
 * -ENOBUFS  nothing can come while so much is borrowed: release something
 * -EAGAIN, -ETIMEDOUT  nothing had come in that time
 */
int64_t nipc_next(struct nipc *channel);

/* ---- no copies ------------------------------------------------------------------------------- */

/*
 * Room for a message of nbytes in the own region, aligned to 64: write it there, in any order.
 * One reservation at a time; nothing else is sent meanwhile.
 * -EINVAL    nbytes is 0
 * -EBUSY     a reservation is out: commit it first; or a message was cut off: send it again first
 * -EMSGSIZE  more than the region's capacity
 * -EAGAIN, -ETIMEDOUT  there was no room in that time
 */
int nipc_reserve(struct nipc *channel, size_t nbytes, void **bytes);

/*
 * Sends the first nbytes of what was reserved; the rest is free again. 0: sends nothing. The bytes
 * must not be touched any more.
 * -EINVAL  nothing is reserved; more than was; or parts were sent and this is not all
 * -EAGAIN, -ETIMEDOUT  no line was free in that time, which happens when parts were sent: the
 *          reservation stays, commit it again
 * With -EPIPE and -EPROTO the reservation is over.
 */
int nipc_commit(struct nipc *channel, size_t nbytes);

/*
 * The first nbytes of the reservation are written: the receiver may read them while you go on.
 * nipc_commit() with the whole length ends the message. Small steps are gathered.
 * -EINVAL  nothing is reserved, or less than that
 * -EAGAIN, -ETIMEDOUT  no line was free in that time: go on, or commit again
 */
int nipc_commit_part(struct nipc *channel, size_t nbytes);

/* A message, or part of one, where it lies. Do not copy or move the view while it is out. */
struct nipc_view {
	const void *bytes;
	size_t nbytes;
	uint64_t offset; /* of bytes in the message */
	uint64_t total;  /* of the message */
	/* The library's. */
	uint64_t first, count;
	unsigned char small[NIPC_SMALL];
};

/*
 * The next message, or what is left of one that was borrowed in part, whole and in one piece.
 * Returns nbytes; 0: end of file. Several may be out at once; they are released in any order, but
 * the sender has their room back only when those before are released, too.
 * -EMSGSIZE  longer than the peer's region: nipc_borrow_part()
 * -ENOBUFS   it cannot come whole while so much is out: release something
 * -EBUSY     receives are under way, or one was cut off (-ETIMEDOUT): end them first
 * -EAGAIN, -ETIMEDOUT  it had not come in that time
 */
int64_t nipc_borrow(struct nipc *channel, struct nipc_view *view);

/*
 * What has come of the next message and was not borrowed yet: at least a byte. Errors as
 * nipc_borrow(), but for -EMSGSIZE.
 */
int64_t nipc_borrow_part(struct nipc *channel, struct nipc_view *view);

/* -EINVAL: this view is not out. */
int nipc_release(struct nipc *channel, struct nipc_view *view);

/* ---- without waiting ------------------------------------------------------------------------- */

/*
 * A send or receive that goes on while the caller does something else. Fill in done and context,
 * all else 0; the object, its parts and their bytes stay until it is done.
 */
struct nipc_op {
	void (*done)(struct nipc_op *op); /* NULL, or called once, within a call on this half */
	void *context;                    /* the caller's */
	/* What nipc_sendv() or nipc_recvv() had returned; -ECANCELED: the channel was closed. */
	int64_t result;
	/* The library's. */
	uint32_t is_done;
	struct nipc_op *next;
	const struct iovec *parts;
	size_t count, part, part_offset;
	struct nipc_how how;
	uint64_t total, begun, finished;
};

static inline bool nipc_op_is_done(const struct nipc_op *op)
{
	return __atomic_load_n(&op->is_done, __ATOMIC_ACQUIRE) != 0;
}

/*
 * Begin; several are done in the order in which they were begun, and calls that wait come after
 * them. They get on within every call on the half, and nipc_progress(); watch nipc_fd().
 * 0, or an error with which nothing was begun: those of nipc_sendv() and nipc_recvv() that do not
 * depend on what comes, and
 * -EBUSY  a call before was cut off (-ETIMEDOUT): make it again first
 */
int nipc_send_begin(struct nipc *channel, const struct iovec *parts, size_t count,
	const struct nipc_how *how, struct nipc_op *op);
int nipc_recv_begin(struct nipc *channel, const struct iovec *parts, size_t count,
	const struct nipc_how *how, struct nipc_op *op);

/* Does what can be done now at these halves (enum nipc_half). How many ops were completed. */
int nipc_progress(struct nipc *channel, unsigned halves);

/*
 * Until it is done: its result.
 * -EINVAL  it was not begun at this channel
 * -EAGAIN, -ETIMEDOUT  it goes on
 */
int64_t nipc_op_wait(struct nipc *channel, struct nipc_op *op, int64_t timeout_ns);

/*
 * Takes back one of which nothing has been moved yet.
 * -EINVAL  it is not under way at this channel
 * -EBUSY   too late: wait for it
 */
int nipc_op_cancel(struct nipc *channel, struct nipc_op *op);

/* ---- waiting for many ------------------------------------------------------------------------ */

/*
 * A descriptor for event loops (poll, epoll): readable while the beginning of a message, or room
 * for one, is there, or the peer has gone, or an op may get on. It belongs to the channel. Every
 * call on the half keeps it so. To wait at channels and pipes in one call: npipe_poll() (npipe.h).
 */
int nipc_fd(struct nipc *channel, enum nipc_half half);

/* ---- what is going on ------------------------------------------------------------------------ */

struct nipc_info {
	pid_t peer_pid; /* 0: in a process namespace that is not seen from here */
	uid_t peer_uid;
	size_t capacity, peer_capacity;
	uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
	uint64_t small_messages; /* of them in lines, both ways */
	uint64_t copied_bytes;   /* by engines, here */
	uint64_t sleeps, wakes;  /* of this end; of its peer by this end */
	bool has_hugepages;      /* the own region */
};

int nipc_info(struct nipc *channel, struct nipc_info *info);

/*
 * Lines for people: how the regions are mapped, how the channel waits, and for each half which
 * engine and queue is used, or why not and what to type. Returns buffer.
 */
const char *nipc_explain(struct nipc *channel, char *buffer, size_t nbytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
