/*
 * npipe.h - pipes between the host and processes, and between processes.
 *
 * A pipe is Unix's: a stream of bytes in one direction from its writing ends to its reading ends. A
 * write of at most NPIPE_BUF bytes is one line: atomic, and it arrives whole; a larger one is split
 * into lines in order. Ends are counted: a read gives 0 (end of file) once every writing end is
 * closed and what was written is read; a write gives -EPIPE once every reading end is closed. Close
 * means delivered: what was written before a close is read before end of file.
 *
 * Duplicates of an end may be given to several processes, on any cores: whoever reads next gets the
 * next bytes, and no byte is lost with a reader that is killed before it was given it. Where the
 * reading ends are not all in one place, each message goes by way of the place that had the first:
 * the host, while a thread is inside the library, if it kept one when it gave others away. Give all
 * of them to one process, if one core is to read, and that is not so.
 *
 *     struct npipe *request[2];
 *     npipe_create(device, request);                 [0] reads, [1] writes
 *     attr.ends = (struct npipe *[]){request[0]};    becomes end 0 of the process
 *     nproc_spawn(device, image, "server", &attr, &process);
 *     npipe_write(request[1], &question, sizeof question);
 *
 * Results, time, threads and fork: nproc.h. Several threads may read or write one end; what each
 * call transfers is not mixed with another's up to NPIPE_BUF bytes. Closing while another thread is
 * inside a call on the same end makes that call answer -EBADF only if it has not begun: do not.
 */
#ifndef NEARSIDE_NPIPE_H
#define NEARSIDE_NPIPE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h> /* struct iovec */

#include <nearside/nproc.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else in the library is hidden */

enum {
	NPIPE_BUF = 56,
	NPIPE_PARTS_MAX = 1024,  /* of npipe_writev() and npipe_readv() */
	NPIPE_CAPACITY_MAX = 63, /* lines */
};

/*
 * A new pipe with both ends at the host: end[0] reads, end[1] writes. Close both, also after giving
 * them away.
 * -EMFILE  the device has as many pipes as it can: close some. A pipe counts until processes have
 *          closed their ends of it, too; the call waits up to a second for pipes that only they
 *          have.
 */
int npipe_create(struct nproc_device *device, struct npipe *end[2]);

/*
 * How a pipe works; start from NPIPE_ATTR_INIT, which is npipe_create().
 *
 * flags     NPIPE_PACKET: messages instead of a stream. Each write is one message of 1 to NPIPE_BUF
 *           bytes, each read gives exactly one, whole, to one reader; npipe_read_full() and
 *           npipe_readv() fill their bytes with whole messages, the latter with one. Kernels'
 *           calls at its ends behave likewise.
 *           -EINVAL    a write without bytes; nothing was written
 *           -EMSGSIZE  a write of more than NPIPE_BUF bytes: nothing was written; a read into
 *                      fewer bytes than the next message has: it stays and can be read by a call
 *                      with NPIPE_BUF bytes
 * capacity  lines (writes of at most NPIPE_BUF bytes) that the host, and likewise each core with a
 *           writing end, may have written and nobody read: at that a write waits. The device
 *           keeps room for them. A new pipe takes so many; later, where the reader is elsewhere,
 *           a writer hears of half of them that were read, so that it finds room for
 *           capacity / 2 + 1 at least once all is read. 0: grows with use, from 1 to 64.
 */
enum npipe_flag {
	NPIPE_PACKET = 1 << 0,
	NPIPE_CALL = 1 << 1, /* npipe_call(), below */
};

struct npipe_attr {
	uint32_t flags;    /* enum npipe_flag */
	uint32_t capacity; /* lines, at most NPIPE_CAPACITY_MAX; 0: the usual */
};

#define NPIPE_ATTR_INIT {0, 0}

/*
 * npipe_create() of a pipe with these attributes; NULL: the usual ones.
 * -EINVAL  unknown flags, NPIPE_CALL with others, or too large a capacity
 * -EOPNOTSUPP  NPIPE_CALL, and the device shares no coherent memory with the host: use two pipes
 * else errors as npipe_create()
 */
int npipe_create_with(
	struct nproc_device *device, struct npipe *end[2], const struct npipe_attr *attr);

/*
 * How long read and write on this handle wait: NPROC_FOREVER at first; 0 makes it non-blocking.
 */
int npipe_set_timeout(struct npipe *end, int64_t timeout_ns);

/*
 * Writes nbytes; waits while the pipe is full. Returns nbytes, or fewer when the time has passed or
 * the readers went away after some were written; 0 only when nbytes is 0.
 * -EPIPE   every reading end is closed
 * -EBADF   not a writing end
 * -EAGAIN, -ETIMEDOUT  nothing could be written in the handle's time
 */
int64_t npipe_write(struct npipe *end, const void *bytes, size_t nbytes);

/*
 * Reads what is there, at most nbytes; waits when nothing is. 0 is end of file (or nbytes was 0).
 * -EBADF   not a reading end
 * -EAGAIN, -ETIMEDOUT  nothing came in the handle's time
 */
int64_t npipe_read(struct npipe *end, void *bytes, size_t nbytes);

/*
 * Reads exactly nbytes, or fewer where the stream ends or the time has passed after some bytes
 * came. Errors as npipe_read(), when none came.
 */
int64_t npipe_read_full(struct npipe *end, void *bytes, size_t nbytes);

/*
 * npipe_write() of bytes that lie in `count` parts, as if they stood behind one another: at most
 * NPIPE_BUF bytes in all are one line. Parts may be empty. The bytes must not change during the
 * call.
 * -EINVAL  more than NPIPE_PARTS_MAX parts, or more than INT64_MAX bytes; else errors as
 *          npipe_write()
 */
int64_t npipe_writev(struct npipe *end, const struct iovec *parts, size_t count);

/*
 * npipe_read() into `count` parts, each filled before the next: returns how many bytes came in all.
 * -EINVAL  as npipe_writev(); else errors as npipe_read()
 */
int64_t npipe_readv(struct npipe *end, const struct iovec *parts, size_t count);

/*
 * Another handle of the same end.
 * -EINVAL  it answers calls (NPIPE_CALL, below): one process has that end, give it this handle
 */
int npipe_dup(struct npipe *end, struct npipe **copy);

/* Gives the handle back; NULL is allowed. Does not wait. */
void npipe_close(struct npipe *end);

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * A pipe with NPIPE_CALL carries requests and their answers, both in one line of its own: about as
 * fast as memory lets two processors exchange a word. end[1] calls and stays at the host; end[0] is
 * given to a process, which reads each request and writes its answer at that one end:
 *
 *     while (npipe_read(0, &key, sizeof key) > 0)
 *             npipe_write(0, &value, sizeof value);
 *
 * One request is out at a time; callers of several threads and handles wait for each other. A core
 * looks at the lines of its calls all the time, so it answers NPIPE_CALLS_PER_CORE pipes of calls
 * at most, and all cores together NPIPE_CALLS_MAX: nproc_spawn() gives -EMFILE where there is no
 * line left, and -EOPNOTSUPP for end[1]. A line is free again when both ends are closed. Where the
 * request comes before the spawn it waits for it. Processes do not call each other: two pipes serve
 * them.
 */
enum {
	NPIPE_CALLS_PER_CORE = 8,
	NPIPE_CALLS_MAX = 64, /* of a device */
};

/*
 * Sends a request of 1 to NPIPE_BUF bytes and waits for its answer, for as long as the handle's
 * timeout says: the answer's bytes, 1 to NPIPE_BUF. `answer` may be `request`.
 * -EPIPE     the process that answers has closed its end, or ended, before it had answered
 * -ETIMEDOUT no answer in time. The request may have been or may still be carried out; its answer
 *            is thrown away when it comes, and the next call waits for that first
 * -EMSGSIZE  the request has more than NPIPE_BUF bytes: nothing was sent; or the answer has more
 *            than `capacity`, and is thrown away
 * -EINVAL    a request without bytes, or the handle's timeout is 0
 * -EBADF     not an end that calls
 * npipe_read() and npipe_write() give -EBADF at both ends on the host; npipe_poll() reports
 * NPOLL_WRITE while no request is out.
 */
int64_t npipe_call(
	struct npipe *end, const void *request, size_t nbytes, void *answer, size_t capacity);

/* ---- waiting at many ends -------------------------------------------------------------------- */

enum npoll_event {
	NPOLL_READ = 1 << 0,  /* a reading end: npipe_read() would not wait */
	NPOLL_WRITE = 1 << 1, /* a writing end: npipe_write() would take something, or fail */
	/* Nobody is left at the other end; bytes may still be there to read. */
	NPOLL_HANGUP = 1 << 2,
	NPOLL_EXIT = 1 << 3,  /* the process has ended */
	NPOLL_ERROR = 1 << 4, /* the end was given away: calls answer -EBADF */
};

struct nipc;

/*
 * What to wait for: at an end, or for a process, or at a channel (nipc.h). All may be NULL, then
 * the entry is skipped.
 */
struct npoll {
	struct npipe *end;
	struct nproc *process;
	uint16_t events;  /* NPOLL_READ, NPOLL_WRITE; the others are always reported */
	uint16_t revents; /* set by the call: what has happened; 0: nothing */
	/* Of its halves those that events names are used by this call. */
	struct nipc *channel;
};

/*
 * Waits until something has happened at one of `count` entries; returns at how many. The ends and
 * processes may belong to different devices, 64 at most. Timeouts of the handles do not count.
 * Costs a look at each entry when it begins and when it ends; while it waits, only at entries where
 * something happens. Ends that are polled must not be closed meanwhile; giving one away reports
 * NPOLL_ERROR.
 * -EAGAIN, -ETIMEDOUT  nothing has happened in that time
 * -ECHILD  every entry is skipped, or count is 0
 * -EINVAL  an entry names an end and a process of different devices, or a channel and something
 *          else, or there are too many devices
 * -EMFILE  at several devices, or channels: no descriptor left to wait with (ulimit -n)
 * At several devices time is CLOCK_MONOTONIC even in simulations, and -EDEADLK says that all are
 * simulations in which nothing can happen any more.
 */
int64_t npipe_poll(struct npoll *entries, size_t count, int64_t timeout_ns);

/*
 * A descriptor for event loops (poll, epoll, libuv): readable while a call at this end would not
 * wait, also when it is a writing end. It belongs to the handle: npipe_close() closes it; do not
 * read or write it. Each call on this handle, and whoever takes lines of the device, keeps it so;
 * therefore watch nproc_device_fd(), too, and call nproc_device_dispatch() (nproc.h). May be
 * readable once too often after another handle of the same end was used: set the handle's timeout
 * to 0. Set for good once the end was given away.
 * -EMFILE, -ENFILE  no descriptor left (ulimit -n)
 */
int npipe_fd(struct npipe *end);

/* ---- joining pipes --------------------------------------------------------------------------- */

struct npipe_relay;

enum {
	NPIPE_RELAY_THREAD = 1 << 0 /* a thread of the library moves the bytes */
};

/*
 * Joins two pipes, usually of different devices: what arrives at the reading end `from` is written
 * to the writing end `to`. On success both handles belong to the relay and must not be used any
 * more, not even closed. Bytes move in npipe_relay_run() alone, on the thread that calls it, or
 * with NPIPE_RELAY_THREAD on a thread of the relay's own. It holds at most one buffer of 4 KiB:
 * where `to` is full, `from` is not read. The relay ends, and closes both ends, with a status:
 *   0        end of file of `from`, after all was written: the reader of `to` reads that end, too
 *   -EPIPE   nobody reads `to` any more: the writers of `from` get -EPIPE, too
 *   -ENODEV  one of the devices was closed or has gone; or another error of a read or write
 * A device is closed by one thread while no other is in npipe_relay_run(); two devices with a relay
 * between them are not closed at the same time by two threads.
 * -EBADF   not a reading and a writing end, or one was given away
 * -EINVAL  unknown flags, or only one of the pipes has NPIPE_PACKET
 * -EAGAIN  no thread can be started (ulimit -u)
 * -EMFILE, -ENFILE  no descriptor left (ulimit -n)
 */
int npipe_relay(struct npipe *from, struct npipe *to, unsigned flags, struct npipe_relay **relay);

/*
 * Moves bytes on this thread until the relay ends, then returns its status. timeout 0: moves what
 * it can, for event loops (nproc_device_fd() of both devices). Simulations must be run so, by the
 * thread that opened them.
 * -EAGAIN, -ETIMEDOUT  it has not ended in that time
 * -EBUSY   the relay has a thread
 */
int npipe_relay_run(struct npipe_relay *relay, int64_t timeout_ns);

/*
 * Waits until the relay has ended, whoever moves its bytes; returns its status. *nbytes, unless
 * NULL: how many have been written so far.
 * -EAGAIN, -ETIMEDOUT  it has not ended in that time
 */
int npipe_relay_wait(struct npipe_relay *relay, int64_t timeout_ns, uint64_t *nbytes);

/*
 * Ends the relay, closes both ends and frees it. Bytes in its buffer are lost: npipe_relay_wait()
 * first.
 */
void npipe_relay_close(struct npipe_relay *relay);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
