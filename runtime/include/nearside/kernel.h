/*
 * kernel.h - for authors of kernels, C11 functions that run as processes on the device.
 *
 *     #include <nearside/kernel.h>
 *
 *     NPROC_KERNEL int64_t count(const far uint64_t *keys, uint64_t n)
 *     {
 *         uint64_t key;
 *         while (npipe_read(0, &key, sizeof key) > 0) {
 *             uint64_t hits = 0;
 *             for (uint64_t i = 0; i < n; i++)
 *                 hits += keys[i] == key;
 *             npipe_write(1, &hits, sizeof hits);
 *         }
 *         return 0;
 *     }
 *
 * `far` qualifies what lies in far memory: `const far T *p` points there. A kernel's far pointer
 * parameters are its grants: the host's argument must point into an allocation, all of which the
 * process may then read, and write unless the parameter points to const. Parameters are integers,
 * floats, far pointers and structs of at most 32 bytes. docs/kernel-language.md says what else a
 * kernel may and may not do.
 *
 * A process runs until it waits (read, write, wait, yield); between two waits nothing else runs on
 * its core. Mistakes (an access outside what was granted or outside a private array, division by
 * zero, a failed assertion) end that process alone; the host learns kind, address and source line
 * from nproc_wait().
 *
 * Calls return 0 or a count, or a negative errno (errno.h has the names).
 */
#ifndef NEARSIDE_KERNEL_H
#define NEARSIDE_KERNEL_H

#ifdef __cplusplus
#error "kernels are C11: give them a file of their own; a host program in C++ needs nproc.h, npipe.h, nmem.h"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* ssize_t */

#include <nearside/npipe.h> /* in one file, kernels and host code use calls of one name */

/*
 * NPROC_KERNEL marks a kernel: the name by which nproc_spawn() finds it. It returns int64_t: the
 * exit code. To the host's compiler a kernel is a function that nobody needs to call.
 */
#ifdef NEARSIDE_COMPILING_KERNELS
#define far           __attribute__((address_space(1)))
#define NPROC_KERNEL  __attribute__((annotate("nearside.kernel"), used))
#define NPROC_SCRATCH __attribute__((annotate("nearside.scratch")))
#elif defined(__clang__)
#define far
#define NPROC_KERNEL __attribute__((annotate("nearside.kernel"), unused)) static inline
#define NPROC_SCRATCH
#else
#define far
#define NPROC_KERNEL __attribute__((unused)) static inline
#define NPROC_SCRATCH
#endif

/*
 * NPROC_SCRATCH before the declaration of a local variable puts it into scratch memory, which a
 * core has beside its processes' frames (nproc_device_info() says how much):
 *
 *     NPROC_SCRATCH uint64_t buffer[2][512];
 *
 * It is a variable like any other, but not kept in the frame, whose limit is 4096 bytes: one kernel
 * may have NPROC_SCRATCH_MAX bytes of such variables, those of helper functions included, each time
 * that they are called. The process leases them from its core at its start, in units of 1 KiB, for
 * itself and as a whole, and gives them back at its end. It is refused with -ENOMEM when its core
 * has not so much left. As any variable it is 0 where its declaration is reached.
 */
enum {
	NPROC_SCRATCH_MAX = 65536,
	NPROC_COPIES_MAX = 8
};

/* How a process starts another. Start from NPROC_START_INIT; NPROC_HERE is that as a value. */
struct nproc_start {
	int32_t core;       /* NPROC_SAME_CORE, NPROC_ANY_CORE, or 0.. as the host numbers them */
	uint32_t end_count; /* of ends */
	/*
	 * Ends of the starter that become ends 0, 1, 2... of the new process, and are the starter's
	 * no more.
	 */
	int32_t ends[NPROC_ENDS_MAX];
	uint32_t weight; /* as in struct nproc_attr: turns in a row; 0 counts as 1 */
};

#define NPROC_START_INIT {NPROC_SAME_CORE, 0, {0}, 0}
#define NPROC_HERE       nk_here()

enum {
	NPROC_ANY_CHILD = -1,
	NPROC_CHILDREN_MAX = 64, /* of a process, not yet waited for */
};

/* How a child ended. */
struct nproc_outcome {
	enum nproc_state state; /* never NPROC_RUNNING */
	int error;              /* negative errno, of NPROC_REFUSED */
	int64_t exit_code;
};

struct nk_waited {
	int64_t value; /* exit code or negative errno */
	int32_t state; /* enum nproc_state */
	int32_t number;
};

/* The names behind the calls below; kernels use npipe_read() and so on. */
ssize_t nk_read(int fd, void *bytes, size_t nbytes);
ssize_t nk_read_full(int fd, void *bytes, size_t nbytes);
ssize_t nk_write(int fd, const void *bytes, size_t nbytes);
int nk_close(int fd);
int nk_dup(int fd);
int64_t nk_pipe(void);
int nk_spawn(struct nproc_start start, int64_t call);
struct nk_waited nk_wait_child(int child);
int nk_kill(int child);
int nk_get(void *to, uint64_t from, size_t nbytes);
int nk_put(uint64_t to, const void *from, size_t nbytes);
int nk_copied(int copy);
void nk_publish(uint64_t address, size_t nbytes);
void nk_refresh(uint64_t address, size_t nbytes);
void nk_yield(void);
void nk_yield_after(uint32_t count);
_Noreturn void nk_exit(int64_t code);
_Noreturn void nk_assert_failed(const char *condition);
void nk_log(const char *format, const uint64_t *args, size_t count);

/*
 * In a file that holds host code too the first argument decides: an int in a kernel, a handle on
 * the host.
 *
 * npipe_read(fd, bytes, nbytes)       what is there, at most nbytes; waits when nothing is; 0: end
 *                                     of file
 * npipe_read_full(fd, bytes, nbytes)  exactly nbytes, fewer only at end of file
 * npipe_write(fd, bytes, nbytes)      all of it; waits while the pipe is full; -EPIPE: no reader
 *                                     is left
 * npipe_close(fd)                     -EBADF: not open
 *
 * Ends of a pipe of packets (npipe.h) read and write one message of 1 to NPIPE_BUF bytes: -EINVAL
 * and -EMSGSIZE as there.
 *
 * The end that answers calls (NPIPE_CALL in npipe.h) both reads and writes: npipe_read() gives the
 * next request, whole, or 0 when nobody can call any more; npipe_write() answers it with 1 to
 * NPIPE_BUF bytes, and never waits.
 * -EINVAL    no request was read that is not answered yet; or, of npipe_read(), one was
 * -EMSGSIZE  more than NPIPE_BUF bytes, or a larger request than the buffer: it stays
 * -EPIPE     the last caller has closed: nobody waits for this answer
 * It can be given to a child on this core, also between request and answer; npipe_dup() gives
 * -EINVAL.
 *
 * Ends 0, 1, 2... are those that the host passed.
 */
#define npipe_read(end, bytes, nbytes) NK_PICK_(end, nk_read, npipe_read)(end, bytes, nbytes)
#define npipe_read_full(end, bytes, nbytes) \
	NK_PICK_(end, nk_read_full, npipe_read_full)(end, bytes, nbytes)
#define npipe_write(end, bytes, nbytes) NK_PICK_(end, nk_write, npipe_write)(end, bytes, nbytes)
#define npipe_close(end)                NK_PICK_(end, nk_close, npipe_close)(end)

/*
 * npipe_dup(fd)       another end of the same kind and pipe: its number, the lowest that is free
 * npipe_create(ends)  int ends[2]: a new pipe between processes; ends[0] reads,
 *                     ends[1] writes. Its ends can be given to children, like all others.
 * -EBADF   not open
 * -EMFILE  16 ends are open: close some
 * -ENOMEM  the core has no memory for another pipe, or for a table of ends
 * On the host, with its arguments, these are the calls of npipe.h.
 */
#define npipe_dup(...)    NK_BY_COUNT_(__VA_ARGS__, npipe_dup, nk_dup, )(__VA_ARGS__)
#define npipe_create(...) NK_BY_COUNT_(__VA_ARGS__, npipe_create, nk_create, )(__VA_ARGS__)

/*
 * nproc_spawn(start, kernel(arguments))
 *
 * Starts a kernel of this image as a process, and gives its number: 0 to 63, the lowest that names
 * no child of this process. Never waits; the child runs when this process does.
 *
 *     struct nproc_start how = NPROC_START_INIT;
 *     how.end_count = 1;
 *     how.ends[0] = 1;
 *     int child = nproc_spawn(how, count(keys, n / 2));
 *
 * The second argument reads like a call and is checked like one, but names the kernel and its
 * arguments. A far pointer grants the child the segment of this process that it points into, as a
 * whole: for reading only where the parameter points to const. NULL grants nothing.
 *
 * A child on another core is started by the host, while any of its threads is inside the library;
 * what the host refuses is told by nproc_wait() (NPROC_REFUSED). Ends go there by way of the host,
 * too. A pipe is served by the core where it was first read: what is read on others comes by way of
 * that, at three lines for each message.
 * -EFAULT  a far pointer argument that is in no segment of this process
 * -EACCES  one that is in a segment for reading only, where the parameter does not point to const
 * -EBADF   an end is not open, or is given twice: npipe_dup() it first
 * -EXDEV   an end for another core that answers calls (NPIPE_CALL): start the child on this core
 * -EPIPE   a writing end for another core, and nobody reads its pipe
 * -EBUSY   an end for another core, and its pipe is full, or the reader's core has not yet taken
 *          what was written, or the host has not yet answered about it, which it does for a pipe
 *          that a kernel made: nproc_yield(), and try again
 * -EMFILE  64 children that were not waited for: wait for some
 * -EAGAIN  the core has as many processes as it can: wait for some to end
 * -ENOMEM  the core has no memory for another process; or an end for another core is of a pipe that
 *          a kernel made, and the device has no id for it: open it with pipes=N, or close pipes
 * -EINVAL  no such core, more than 16 ends, or a weight above 8
 *
 * nproc_wait(child, &outcome)
 *
 * Waits until the child has ended, NPROC_ANY_CHILD: until one has. Gives its number, which is then
 * free. The outcome may be NULL.
 * -ECHILD  there is no such child
 *
 * nproc_kill(child) ends a child of this process; one that has ended is left as it is. Its own
 * children go on. Wait for it all the same. -ECHILD as above.
 *
 * When a process ends, its children go on, and nobody learns how they end. They hold what the
 * host's process, from which they descend, was granted, and belong to its group (nproc.h).
 */
#define nproc_wait(process, ...) NK_PICK_(process, nk_wait, nproc_wait)(process, __VA_ARGS__)
#define nproc_kill(process)      NK_PICK_(process, nk_kill, nproc_kill)(process)
#undef NPROC_SPAWN_TWO_
#define NPROC_SPAWN_TWO_(start, call) nk_spawn(start, call)

/*
 * nmem_get(scratch, from, nbytes)  starts to copy far memory into scratch memory
 * nmem_put(to, scratch, nbytes)    starts to copy scratch memory into far memory
 * nmem_wait(copy)                  waits until that copy, and all started before it, are done
 *
 * The first two return at once: the copy's number, for nmem_wait(). The core copies in pieces
 * between the runs of its processes, so that a large copy holds up nobody.
 *
 *     int copy = nmem_get(buffer[0], keys, sizeof buffer[0]);
 *     ...                               something else
 *     nmem_wait(copy);                  now buffer[0] is there
 *
 * Until a copy is done, what it writes must not be read or written, and what it reads not be
 * written: what is there then is not said. Copies of one process are done in the order of their
 * start. What nmem_put() has written is seen by others as what the process itself writes, after
 * nmem_wait(). When the process returns or exits, its copies are completed before its end is told;
 * when it faults or is killed, they stop where they are, and nothing is written any more.
 *
 * The far side must lie in one segment of the process, as in memcpy(): else a fault at the call.
 * The scratch side must lie in one NPROC_SCRATCH variable; anything else is refused by the
 * compiler, and a range that exceeds it a fault.
 * -EAGAIN  8 copies of this process are in flight: wait for one
 *
 * nmem_wait() gives 0, at once for a number that names no copy in flight; a negative number is
 * given back, so that an error of the start is not lost.
 */
#define nmem_get(scratch, from, nbytes) nk_get_far(scratch, from, nbytes)
#define nmem_put(to, scratch, nbytes)   nk_put_far(to, scratch, nbytes)
#define nmem_wait(copy)                 nk_copied(copy)

/*
 * nmem_publish(pointer, nbytes)    what this process stored in these bytes of far memory is seen by
 *                                  the host when it refreshes them
 * nmem_refresh(pointer, nbytes)    its next loads of them see what the host had published
 *
 * Only memory that is not coherent needs them (nmem.h says when, and nproc_device_info() whether);
 * elsewhere they cost a call. Processes of one device see each other's stores without them, and
 * nmem_get() and nmem_put() do by themselves what is needed. The bytes must lie in one segment of
 * the process, which it may write when it publishes them: else a fault at the call. Never waits.
 * On the host, with the device as first argument, these are the calls of nmem.h.
 */
#define nmem_publish(...) NK_BY_COUNT_3_(__VA_ARGS__, nmem_publish, nk_publish_far, )(__VA_ARGS__)
#define nmem_refresh(...) NK_BY_COUNT_3_(__VA_ARGS__, nmem_refresh, nk_refresh_far, )(__VA_ARGS__)

/* Lets the other processes of the core run. */
#define nproc_yield() nk_yield()

/*
 * A statement for the body of a long loop: each time that it has been passed `count` times, the
 * process yields. `count` is a constant from 1 to 2147483647. Each place counts for itself, from
 * the start of the process. For loops around others: a loop in which it stands is not vectorised,
 * those inside are.
 *
 *     for (uint64_t row = 0; row < rows; row++) {
 *         NPROC_YIELD_AFTER(100);
 *         for (uint64_t i = 0; i < columns; i++)
 *             total += table[row * columns + i];
 *     }
 */
#define NPROC_YIELD_AFTER(count)                                              \
	do {                                                                  \
		_Static_assert((count) >= 1 && (count) <= INT32_MAX,          \
			"NPROC_YIELD_AFTER() takes a constant of 1 or more"); \
		nk_yield_after((uint32_t)(count));                            \
	} while (0)

/* Ends the process with this exit code, from a helper function too. */
#define nproc_exit(code) nk_exit(code)

/*
 * Ends the process with a fault unless the condition holds. Stays on at every optimisation level.
 */
#define nproc_assert(condition) ((condition) ? (void)0 : nk_assert_failed(#condition))

/*
 * Sends one message to the host's log callback: printf's format (a string literal; %d %i %u %x %X
 * %c %s %p %f %g %e %%, with flags, width, precision and length), at most 16 arguments, cut at 384
 * bytes. %s takes private strings. Never waits: a message that finds no room is dropped and
 * counted.
 */
#define nproc_log(...) NK_LOG_(__VA_ARGS__)

#include <nearside/kernel_impl.h>

#endif
