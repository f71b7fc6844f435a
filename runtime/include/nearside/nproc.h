/*
 * nproc.h - devices, images and processes, for applications.
 *
 *     nproc_device_open()                    a device: cores beside far memory
 *       nproc_image_open() / _embedded()     kernels that nprocc compiled, loaded onto it
 *       nmem_alloc()               (nmem.h)  far memory: plain pointers
 *       npipe_create()            (npipe.h)  pipes
 *       nproc_spawn()                        a kernel becomes a process
 *       npipe_write() npipe_read()           talk to it
 *       nproc_wait()                         how it ended
 *     nproc_device_close()
 *
 * Results. Every call returns 0 or a count, or a negative errno. Objects come back through a
 * pointer argument, which is set to NULL on failure unless said otherwise. Where an object, or what
 * a call tells, is to go must not be NULL unless said otherwise (-EINVAL, and nothing is done).
 * nproc_detail() says in words what was missing and what to do. The library never prints, never
 * ends the program, raises no SIGPIPE and leaves no file behind.
 *
 * Time. A call that can block takes, or has, a timeout in nanoseconds: 0 tries once (-EAGAIN), a
 * negative one (NPROC_FOREVER) waits for ever, otherwise -ETIMEDOUT when it has passed.
 *
 * Threads. Several threads may use one device and everything that belongs to it, except that an
 * object must not be closed while another thread uses it. No call may be made from a signal
 * handler. No call is a cancellation point (pthread_cancel): a thread that is to end while it waits
 * needs a timeout.
 *
 * Signals. A call in which a signal handler ran goes on waiting, for its time and no longer: -EINTR
 * is given by none. To stop waiting at a signal, wait in a loop of your own (nproc_device_fd() with
 * signalfd(2) or ppoll(2)). Cores that are threads of the program block all signals but those that
 * they cause.
 *
 * fork. A child must not use what its parent opened: its calls answer -EBADF; the parent goes on.
 *
 * Errors that any call may return, and what to do:
 *   -EINVAL   an argument is not valid: read the description of the call; a bug in the caller
 *   -EBADF    the handle was opened before a fork(), or was given away: open or duplicate it anew
 *   -ENOMEM   the process or the device is out of memory; nproc_detail() says which, and how much
 *             is free
 *   -ENODEV   the device is gone: close it and open it again
 *   -EPROTO   the device broke the protocol (nproc_detail() says how): close it and open it again
 *   -EDEADLK  in a simulation only: the call would wait for ever, because nothing can happen any
 *             more
 *   -EPERM    in a simulation only: the call would wait, and only the thread that opened the device
 *             may
 *
 * Stability: before 1.0 names may still change; each release notes what did.
 */
#ifndef NEARSIDE_NPROC_H
#define NEARSIDE_NPROC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else in the library is hidden */

struct nproc_device;
struct nproc_image;
struct nproc;
struct npipe;

#define NPROC_FOREVER ((int64_t)-1)

enum {
	NPROC_PARAMS_MAX = 16,       /* parameters of a kernel */
	NPROC_ENDS_MAX = 16,         /* pipe ends passed at spawn */
	NPROC_STRUCT_PARAM_MAX = 32, /* bytes of a struct passed by value */
};

/* ---- devices --------------------------------------------------------------------------------- */

/*
 * Opens a device. `name` is "KIND" or "KIND:OPTION,OPTION...":
 *   inproc            cores are threads of this program (the default)
 *   inproc:cores=4,far=1G
 *   numa:1            as inproc, with the far memory of that NUMA node; numa:far chooses one
 *   dax:/dev/dax0.0   as file, where the region is a device DAX
 *   daemon            a process of its own, made by nearside-device start; daemon:SOCKET
 *   file:PATH         a device outside this program (nearside-device serve --file PATH)
 *   sim:seed=7        both ends in one thread under a seeded scheduler, for tests: same seed, same
 *                     run
 * Options: cores=N (1..64, default 1), far=SIZE (bytes, or K, M, G; default 256M), processes=N and
 * pipes=N (the most at once, default 131072 and 262144), port=line, ring, mailbox or event (how a
 * message is noticed; line is the default and the fast one, the others are there to be compared).
 * For a device outside: suspect=SECONDS without a sign of life until it is called suspect (default
 * 5, 0: never), lost=SECONDS until waits end with -ENODEV (default 0: never; a device on this
 * machine that ends is noticed in any case); all others belong to whoever has started it.
 * nearside-graph and the other programs take such a name, too.
 * NULL: the environment variable NEARSIDE_DEVICE, and "inproc" where it is not set.
 *
 * On failure *device may still be set, to an object good only for nproc_detail() and
 * nproc_device_close().
 * -EINVAL  the name or an option is not known (detail: which, and what is)
 * -ENOMEM  far memory cannot be had (detail: how much was asked for)
 * -EBUSY   another program has this device: wait, or open another; or the address range that its
 *          region needs is taken in this program: close a device that lies there
 * -ENOENT  nothing is at PATH: start a device that serves it
 * -ENODEV  the device has ended, or nobody listens: start it (detail: how); no such NUMA node
 * -ETIMEDOUT  nobody serves the region, or the device did not answer for some seconds: see whether
 *          it runs
 * -EPROTO  what is there is no region, or one of another release: use programs of one release
 * -EISDIR  PATH is a folder: name the file in it
 * -EMFILE, -ENFILE  no descriptor left (ulimit -n)
 * -EAGAIN  a thread cannot be started, of a core or to watch a device outside (ulimit -u)
 * -ENOSYS, -EPERM, -EACCES  the system refuses a call or a file that is needed, has no NUMA, or
 *          somebody else's device is there (detail: which, and what to do)
 */
int nproc_device_open(const char *name, struct nproc_device **device);

/*
 * Ends every process and frees everything that belongs to the device: images, pipes, processes, far
 * memory; their handles are invalid afterwards. Waits for the cores to stop. NULL is allowed.
 */
void nproc_device_close(struct nproc_device *device);

/*
 * Copies, as a string, what the last failure on this device was about, by the calling thread or
 * another. Every call that fails replaces it, also with -EAGAIN or -ETIMEDOUT; one that succeeds
 * leaves it. "" when nothing has failed. A call without a handle (NULL) has no device to tell. On
 * a device that could not be opened it stays the reason for that. Returns buffer.
 */
const char *nproc_detail(struct nproc_device *device, char *buffer, size_t nbytes);

/*
 * A descriptor for event loops (poll, epoll, libuv): readable when the device has something for the
 * host, or something has happened at its pipes since the last nproc_device_dispatch(). It belongs
 * to the device; do not read or write it. Readable at first: so begin with nproc_device_dispatch().
 *
 *     watch nproc_device_fd(device) for input
 *     when it is readable:  nproc_device_dispatch(device), then all calls that you wait to make,
 *                           without time
 *
 * Instead of trying all calls, watch npipe_fd() of each end, too (npipe.h), or use npipe_poll()
 * without time.
 * -EMFILE, -ENFILE  no descriptor left (ulimit -n)
 */
int nproc_device_fd(struct nproc_device *device);

/*
 * Takes what has come from the device, a bounded number of lines; descriptors of ends follow, the
 * log callback is called, nproc_kill()'s victims get on. Afterwards the descriptor of the device is
 * readable when something else comes, or at once where more is there. Does not block. Any thread;
 * in a simulation the one that opened the device: there the cores run during the call, and the
 * descriptor stays readable while they have something to do.
 * -EPROTO, -ENODEV  nothing will come any more: stop watching
 */
int nproc_device_dispatch(struct nproc_device *device);

struct nproc_device_info {
	char name[256]; /* what was chosen, e.g. "inproc:cores=2,far=268435456"; cut where longer */
	unsigned core_count;
	uint64_t far_nbytes;      /* far memory in all */
	uint64_t far_free_nbytes; /* of it, free now */
	/*
	 * Far memories that differ in how near they are to which core: nmem_alloc_near(). 1: all
	 * far memory is equally near to all cores, as far as the device knows.
	 */
	unsigned memory_count;
	uint64_t scratch_nbytes; /* for NPROC_SCRATCH (kernel.h), of each core */
	int can_preempt;         /* an endless kernel can be killed */
	int has_atomics;         /* atomics on far memory work between host and device */
	int is_coherent;         /* 0: what is stored in far memory has to be published (nmem.h) */
	/*
	 * Of a device outside the program: it has given no sign of life for as long as the option
	 * suspect=SECONDS says (default 5). It may be slow, or stopped in a debugger: calls go on
	 * waiting, for their time.
	 */
	int is_suspect;
};

int nproc_device_info(struct nproc_device *device, struct nproc_device_info *info);

/*
 * Counts since the device was opened. Lines are 64 bytes each, of every kind.
 *
 * far_bytes_read and _written are what the code of kernels loads and stores, each time: the
 * optimiser may have left out accesses of the source, or made several one. An atomic
 * read-modify-write counts as both, memcpy() and its kin with their whole size, lanes of vectors
 * that a condition leaves out not at all. A process adds them before each call of a pipe, log or
 * exit, and where it waits, so they are there when its message is. What a process does between the
 * last of these and a fault or a kill is not counted, nor is what one does that has not waited
 * since. Copies of nmem_get() and nmem_put() count as they proceed, also those that a kill stops.
 */
struct nproc_stats {
	uint64_t lines_down; /* host to device */
	uint64_t lines_up;
	uint64_t bytes_down; /* of pipes */
	uint64_t bytes_up;
	uint64_t spawns;
	uint64_t exits;             /* of every kind: exited, faulted, killed, refused */
	uint64_t births;            /* by processes; those on other cores count in exits, too */
	uint64_t switches;          /* resumes of processes on the device */
	uint64_t far_bytes_granted; /* sum over spawns of the far memory granted */
	uint64_t far_bytes_read;    /* by processes */
	uint64_t far_bytes_written;
	uint64_t log_dropped; /* log messages lost because the host did not take them in time */
};

int nproc_stats(struct nproc_device *device, struct nproc_stats *stats);

/*
 * Sets who receives what kernels log: `text` is one message without a newline at its end, valid
 * during the call. Called without locks on a thread that is inside a call of this library; it may
 * call the library, but must not block on the process that logs. One thread at a time, in order of
 * the messages; one that is in the callback when it is replaced goes on. NULL: log messages are
 * dropped (the default).
 */
typedef void nproc_log_fn(void *context, const struct nproc *process, const char *text);
int nproc_set_log(struct nproc_device *device, nproc_log_fn *log, void *context);

/*
 * Writes to `out` who waits for whom: each process, where in its source it waits, at which of its
 * ends and pipe, and who holds the other end; threads of the host that wait; and which processes
 * can never go on, whatever the host does, because they wait for each other. For programs that
 * hang: call it from another thread, or from a debugger. The processes are asked twice, and go on
 * meanwhile; lines for 1000 of them are written. Cores that do not answer in the time are named,
 * with the process that runs there. When a call gives -EDEADLK, the head of this text is its
 * detail. Writes without locks; what it writes is for people and may change.
 * -EBUSY  another thread is in this call
 * -EIO    `out` could not be written
 */
int nproc_explain_blocked(struct nproc_device *device, FILE *out, int64_t timeout_ns);

/* ---- images ---------------------------------------------------------------------------------- */

/*
 * Loads the kernels of an image file (nprocc -c kernels.c -o kernels.nk). Blocks until the device
 * has it.
 * -ENOENT, -EACCES...  the file cannot be read
 * -ENOEXEC  not a file (a folder, a FIFO), not an image, truncated, corrupted, for another version,
 *           or without code for this device (detail: which): compile it again with this version's
 *           nprocc
 */
int nproc_image_open(struct nproc_device *device, const char *path, struct nproc_image **image);

/* Likewise from memory, which may be freed afterwards. */
int nproc_image_open_memory(
	struct nproc_device *device, const void *bytes, size_t nbytes, struct nproc_image **image);

/*
 * Loads the kernels that `nprocc app.c -o app` put into this program.
 * -ENOENT  the program holds none: link it with nprocc
 */
#define nproc_image_embedded(device, image) \
	nproc_image_open_embedded(device, nearside_image_begin, nearside_image_end, image)
int nproc_image_open_embedded(struct nproc_device *device, const unsigned char *begin,
	const unsigned char *end, struct nproc_image **image);

/* Where nprocc puts them. */
extern const unsigned char nearside_image_begin[] __attribute__((weak));
extern const unsigned char nearside_image_end[] __attribute__((weak));

/*
 * Forgets an image. NULL is allowed. Blocks until the device has done so: a core must come to take
 * the line.
 * -EBUSY  processes of it are alive: wait for them or kill them first
 */
int nproc_image_close(struct nproc_image *image);

/* Kernel number `index` of the image, or NULL past the last. The string belongs to the image. */
const char *nproc_image_kernel(const struct nproc_image *image, unsigned index);

/* ---- processes ------------------------------------------------------------------------------- */

enum {
	NPROC_ANY_CORE = -1,
	NPROC_SAME_CORE = -2 /* for kernels (kernel.h): that of the process which starts another */
};

enum {
	NPROC_WEIGHT_MAX = 8
};

/* How to spawn. Start from NPROC_ATTR_INIT. */
struct nproc_attr {
	int core;           /* 0..core_count-1, or NPROC_ANY_CORE: the least loaded */
	unsigned end_count; /* of ends */
	/*
	 * Become ends 0, 1, 2... of the process. The handles answer -EBADF afterwards, also when
	 * the spawn fails later on the device; npipe_close() them still.
	 */
	struct npipe **ends;
	uint32_t group; /* for nproc_kill_group(); a number of the program's choice; 0: none */
	/*
	 * 1 to NPROC_WEIGHT_MAX, 0 counts as 1: so many turns in a row the process has before the
	 * others of its core that are ready have theirs. A turn ends where it waits or yields; one
	 * that waits gives up the rest.
	 */
	unsigned weight;
};

#define NPROC_ATTR_INIT {NPROC_ANY_CORE, 0, NULL, 0, 0}

enum nproc_arg_kind {
	NPROC_ARG_INT,
	NPROC_ARG_FLOAT,
	NPROC_ARG_DOUBLE,
	NPROC_ARG_POINTER,
	NPROC_ARG_STRUCT
};

struct nproc_arg {
	enum nproc_arg_kind kind;
	int is_signed; /* of an integer */
	union {
		uint64_t integer; /* sign- or zero-extended */
		float f32;
		double f64;
		const void *pointer; /* into far memory, NULL, or to a struct's bytes */
	} value;
	size_t nbytes; /* of a struct */
};

/*
 * Makes a kernel of an image into a process of the device:
 *
 *     nproc_spawn(device, image, "count", &attr, &process, keys, nkeys);
 *
 * A macro: each argument becomes a struct nproc_arg by its type, and is checked against the
 * kernel's parameters. Integers convert when the value fits; far pointers grant the process the
 * allocation or arena that they point into (interior pointers too; NULL grants nothing), read-only
 * when the parameter points to const; NPROC_STRUCT(s) passes struct s by value. attr may be NULL.
 * At most 16 arguments. C++ has no _Generic: call nproc_spawnv() there, with nproc_arg_signed(),
 * nproc_arg_pointer() and so on.
 *
 * Waits for nothing but room for its lines. What the device itself refuses is reported by
 * nproc_wait() as NPROC_REFUSED. The ends in attr are given away only on success.
 * -ENOENT  no kernel of that name (detail: the names that there are)
 * -EINVAL  wrong number or kind of arguments (detail: the kernel's parameters); core or weight out
 *          of range; the kernel's name is NULL
 * -ERANGE  an integer does not fit its parameter
 * -EFAULT  a far pointer is in no allocation
 * -EBADF   an end was given away before, or belongs to another device
 * -EBUSY   another end that answers the same calls (NPIPE_CALL) is open at the host: close it
 * -EMFILE  the core, or the device, has no line left for an end that answers calls (npipe.h): close
 *          some, or spawn on another core
 * -EOPNOTSUPP  the end that calls is the host's and cannot be given away
 * -EAGAIN  the device holds as many processes as it can: wait for some to end; or the core has
 *          taken no line for 10 seconds because a kernel there does not suspend: wait for that
 *          process or kill it (detail: which it is)
 * -ENOMEM  no line to promise to a new writer, or no memory
 */
#define nproc_spawn(...) NPROC_SPAWN_PICK_(__VA_ARGS__, NPROC_SPAWN_COUNTS_)(__VA_ARGS__)

int nproc_spawnv(struct nproc_device *device, struct nproc_image *image, const char *kernel,
	const struct nproc_attr *attr, struct nproc **process, size_t arg_count,
	const struct nproc_arg *args);

enum nproc_state {
	NPROC_RUNNING,
	NPROC_EXITED,  /* exit_code */
	NPROC_FAULTED, /* fault, address, file, line, column, function, text */
	NPROC_KILLED,  /* by nproc_kill(); or text says why */
	NPROC_REFUSED, /* error; it never ran */
	NPROC_LOST,    /* the device went away */
};

struct nproc_status {
	enum nproc_state state;
	int64_t exit_code;
	int error;         /* negative errno, of NPROC_REFUSED and NPROC_LOST */
	int has_family;    /* it has ended, processes that it started go on */
	const char *fault; /* what happened, in words; lives for ever */
	uint64_t address;  /* far address of a bad access; else 0 */
	/*
	 * Source place of the fault. These strings are good until image and process are closed, and
	 * "" when not known.
	 */
	const char *file;
	unsigned line;
	unsigned column;
	const char *function;
	/*
	 * Of nproc_assert: the condition. Of NPROC_KILLED: why, if nproc_kill() did not ask for it.
	 */
	const char *text;
};

/*
 * Waits until the process has ended, and says how; may be called again. status may be NULL.
 * -EAGAIN, -ETIMEDOUT  it has not, in that time; status says NPROC_RUNNING
 */
int nproc_wait(struct nproc *process, struct nproc_status *status, int64_t timeout_ns);

/*
 * Waits until one of `count` processes has ended: *index says which. NULL entries are skipped.
 * -ECHILD  all entries are NULL
 */
int nproc_wait_any(struct nproc *const *processes, size_t count, size_t *index,
	struct nproc_status *status, int64_t timeout_ns);

/* As it is now, without waiting. */
int nproc_status(struct nproc *process, struct nproc_status *status);

/*
 * Ends a process wherever it is, in an endless loop too, if the device can_preempt. (A simulation,
 * which cannot, ends a kernel by itself when it has run for 20 s without waiting.) Does not wait:
 * nproc_wait() does. Victims of one core are ended one after the other; that goes on while any
 * thread is inside this library. No error if the process has ended.
 */
int nproc_kill(struct nproc *process);

/*
 * Groups. Every process of a group is one that the host spawned with this group in its attributes,
 * or one that such a process started, or one that that started, and so on; a child whose parent has
 * ended is still of its group.
 *
 * nproc_kill_group() ends all that are of the group now, as nproc_kill() does; those that are being
 * started at this moment are ended, too. A process that the host spawns afterwards is not. No error
 * if there are none. nproc_wait_group() waits until there are none.
 * -EINVAL  group 0
 * -EAGAIN, -ETIMEDOUT  some are left, after that time
 */
int nproc_kill_group(struct nproc_device *device, uint32_t group);
int nproc_wait_group(struct nproc_device *device, uint32_t group, int64_t timeout_ns);

/*
 * Gives the handle back. A process that still runs goes on, unseen, and is ended with the device.
 * NULL is allowed.
 */
void nproc_close(struct nproc *process);

/*
 * For people: "exited with 3", "keys.c:14:9: in count: read outside ... (address 0x...)". Returns
 * buffer.
 */
const char *nproc_status_text(const struct nproc_status *status, char *buffer, size_t nbytes);

#include <nearside/nproc_impl.h>

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
