/*
 * nmem.h - far memory.
 *
 * An allocation is a segment: what a process is granted as a whole when one of its arguments points
 * into it. Pointers are plain host pointers, may be stored in far memory, and mean the same to host
 * and processes. An arena is one segment that holds many small objects: linked structures in it are
 * granted whole.
 *
 * What the host wrote before nproc_spawn() or npipe_write() is seen by the process after it started
 * or read; what a process wrote before npipe_write() or its end is seen by the host after
 * npipe_read() or nproc_wait(). Where memory is not coherent, only what was published besides, and
 * is refreshed: see nmem_publish(). Results, threads and fork: nproc.h.
 */
#ifndef NEARSIDE_NMEM_H
#define NEARSIDE_NMEM_H

#include <stddef.h>
#include <stdint.h>

#include <nearside/nproc.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else in the library is hidden */

struct nmem_arena;

enum {
	NMEM_ALIGN = 64 /* of every allocation: a line */
};

/*
 * nbytes (at least 1) of far memory, zeroed, aligned to NMEM_ALIGN; no two allocations share a
 * line.
 * -ENOMEM  not enough far memory in one piece (detail: how much is free, and the largest piece)
 * -ENODEV  only where memory is not coherent, and waits for the device: it does not answer
 */
int nmem_alloc(struct nproc_device *device, size_t nbytes, void **pointer);

/*
 * nbytes of far memory as near to this core as the device has them free, else elsewhere. Where
 * nproc_device_info() says memory_count 1, as of the in-process device and of simulations, all far
 * memory is equally near, and this is nmem_alloc().
 * -EINVAL  no such core (detail: which there are)
 * -ENOMEM  as nmem_alloc()
 */
int nmem_alloc_near(struct nproc_device *device, int core, size_t nbytes, void **pointer);

/*
 * Frees an allocation. NULL is allowed.
 * -EBUSY   a living process was granted it: wait for that process
 * -EINVAL  not the start of an allocation
 */
int nmem_free(struct nproc_device *device, void *pointer);

/*
 * Copies nbytes at the host: between far and local memory in either direction, or within far
 * memory; the two ranges may overlap. Checks what memcpy() cannot: a range that touches this
 * device's region must lie within one allocation or arena. Another device's far memory counts as
 * local.
 *
 * Order: as the host's own loads and stores at the place of the call. What processes wrote before
 * what the caller has read or waited for is copied; what is copied is seen by processes that read
 * or start after the caller's next npipe_write() or nproc_spawn(). Bytes that a process writes
 * meanwhile may come old or new, each of them. Does not block. The allocations must not be freed
 * during the call.
 * Who copies is chosen by nmem_copy_engine(). Where memory is not coherent, what is read in far
 * memory is refreshed before, and what is written there is published.
 * -EFAULT  a range in the region is not within one allocation (detail: which), or neither range is
 *          in it
 * -EINVAL  a range goes beyond the end of the address space
 * -EIO     only where hardware copies: it did not answer while it moved bytes within ranges that
 *          overlap, so that they may be half moved; all other failures of hardware are made up for
 */
int nmem_copy(struct nproc_device *device, void *to, const void *from, size_t nbytes);

/*
 * Memory that is not coherent: nproc_device_info() says is_coherent 0. What one side, the host or
 * the device, has stored in far memory is seen by the other when two things were done:
 *
 *     the writer                                the reader
 *     stores
 *     nmem_publish(device, p, n)
 *     npipe_write(), nproc_spawn(), or ends --> npipe_read(), starts, or nproc_wait()
 *                                               nmem_refresh(device, p, n)
 *                                               loads, or stores
 *
 * In kernels they are called without a device (kernel.h). What holds:
 * - Both work on whole lines of NMEM_ALIGN bytes, those that the bytes lie in.
 * - A line belongs to one side at a time. Publish what the other side is to have, and say so, for
 *   example through a pipe; it refreshes before it touches a line, to read or to write. Two objects
 *   that both sides write at the same time lie in lines of their own (of an arena: align 64).
 * - What was stored and not published may reach memory at any time, or never: also after its
 *   process has ended, as long as the memory is not freed. So a process publishes what it has
 *   stored before it ends, even if nobody is to read it. For one that faults or is killed the
 *   device does.
 * - All threads of the host are one side, all processes of a device another.
 * - nmem_copy() and, in kernels, nmem_get() and nmem_put() do both by themselves. What nmem_alloc()
 *   gives is zeroed and published; a process refreshes it before it touches it, as everything.
 * - Arguments, pipes, exit codes and logs need neither.
 *
 * On coherent memory both calls return at once, so that a program that has them runs everywhere.
 * They do not block, and any thread may call them.
 * -EFAULT  not in far memory of this device
 */
int nmem_publish(struct nproc_device *device, const void *pointer, size_t nbytes);
int nmem_refresh(struct nproc_device *device, const void *pointer, size_t nbytes);

/*
 * From here on this copy engine works for nmem_copy() of this device: "cpu", the calling thread
 * (also NULL, and the default); "auto", the calling thread or Intel DSA, by what has turned out to
 * be faster; "thread", a helper thread; "dsa", Intel DSA. But for "cpu", copies of several threads
 * come one after the other. Waits for copies under way. May take some ms.
 * -EINVAL  there is no such engine (detail: which there are)
 * -ENODEV  no DSA can be used (detail: why not, and what to type)
 * -ENOMEM -EAGAIN  no memory, or no thread (detail)
 */
int nmem_copy_engine(struct nproc_device *device, const char *name);

/* An arena of nbytes. Errors as nmem_alloc(). */
int nmem_arena_create(struct nproc_device *device, size_t nbytes, struct nmem_arena **arena);

/*
 * nbytes from the arena, zeroed, aligned to `align` (a power of two up to 4096; 0: 16).
 * -ENOMEM  the arena is full (detail: its size and what is left)
 */
int nmem_arena_alloc(struct nmem_arena *arena, size_t nbytes, size_t align, void **pointer);

/* Frees the arena and all in it. NULL is allowed. -EBUSY as nmem_free(). */
int nmem_arena_destroy(struct nmem_arena *arena);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
