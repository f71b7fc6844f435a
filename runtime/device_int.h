/*
 * device_int.h - a device and what belongs to it, inside runtime/ only. One section per file.
 *
 *   device.c, detail.c, stats.c           opening and closing
 *   port.c, events.c, watch.c             lines and waiting (port.h)
 *   loop.c, end_fd.c, poll.c              waiting elsewhere (loop.h)
 *   relay.c                               pipes joined across devices
 *   memory.c, arena.c, copy.c, engine.c   far memory (far.h)
 *   image.c                               kernels
 *   arguments.c, spawn.c, admission.c,    making processes (spawn_int.h)
 *   birth.c, notice.c
 *   exit.c, process.c, kill.c, group.c,   their life and end
 *   log.c
 *   explain*.c                            who waits for whom (explain.h)
 *   pipe.c, pipe_wait.c, pipe_parts.c     pipes
 *   call.c                                calls
 *
 * Everything in struct nproc_device is guarded by port.lock unless it says otherwise.
 */
#ifndef NEARSIDE_RUNTIME_DEVICE_INT_H
#define NEARSIDE_RUNTIME_DEVICE_INT_H

#include <errno.h>
#include <pthread.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "device/abi/message.h"
#include "host/device.h"
#include "host/engine.h"
#include "host/image.h"
#include "runtime/explain.h"
#include "runtime/far.h"
#include "runtime/grants.h"
#include "runtime/ids.h"
#include "runtime/log.h"
#include "runtime/pool.h"
#include "runtime/port.h"

enum {
	IMAGES_MAX = 256, /* at once */
};

TAILQ_HEAD(victims, nproc);
struct birth;
struct notice;

/* What the host knows of a core. */
struct core {
	uint32_t living;        /* processes there, or on their way */
	uint32_t cells;         /* of its pool that are spoken for */
	uint32_t calls;         /* lines of calls in use there */
	struct victims victims; /* to be killed; the first one's name is in the attention word */
	bool owes_kill;         /* a KILL line, for which there was no room */
	struct log_input log;
	struct nmsg_joined want;       /* of which lines are still to come */
	STAILQ_HEAD(, birth) births;   /* to be sent there when there is room */
	STAILQ_HEAD(, notice) notices; /* likewise */
};

struct nproc_image {
	struct nproc_device *device;
	struct nhost_image *image;
	LIST_ENTRY(nproc_image) all; /* until it is freed */
	uint32_t references;         /* the handle's, and one for each process handle */
	uint32_t living;             /* processes */
	uint16_t id;
};

struct nproc {
	struct nproc_device *device;
	struct nproc_image *image;
	struct grant_set *grants; /* NULL: none */
	uint64_t self;
	struct port_waiters waiters;
	struct watches watches;
	TAILQ_ENTRY(nproc) victim; /* in its core's queue while is_victim */
	LIST_ENTRY(nproc) grouped; /* while group is not 0 */
	LIST_ENTRY(nproc) asked;   /* while it lives and parent is not 0 */
	uint64_t parent; /* by what name core `parent_core` asked for it; 0: the program did */
	struct nmsg_exit ending; /* once state is not NPROC_RUNNING */
	enum nproc_state state;
	/* The handle's, one while it lives, one for each log message on its way. */
	uint32_t references;
	uint16_t core;
	uint16_t kernel;
	uint16_t parent_core;
	uint32_t group;
	bool is_victim;
	bool ended_by_device; /* killed, though nobody asked for it */
	bool kills_family;    /* a victim with all that it has started */
	bool has_family;      /* it has ended; processes that it started have not */
};

/* A pipe, by its id. */
struct pipe {
	struct port_waiters readers, writers; /* at the host */
	struct watches watches;
	uint64_t places;          /* bit per core that was given an end */
	uint64_t writing_places;  /* bit per core that was given a writing end */
	uint64_t reading_places;  /* likewise a reading one, of a pipe whose home is elsewhere */
	uint32_t handles;         /* open and not given away, at the host */
	uint32_t reading_handles; /* of them */
	uint8_t home;             /* 0: host; else core + 1 */
	uint8_t mode;             /* channels/place.h; of calls without the number */
	uint8_t call;             /* number + 1 of its line of calls; 0: none */
};

/* A handle. */
struct npipe {
	struct nproc_device *device;
	struct nchan_end *end; /* NULL: given away */
	int64_t timeout_ns;
	struct end_fd *fd; /* NULL: npipe_fd() was not asked for */
	uint32_t pipe;
	bool writes;
	bool is_of_packets;
	bool is_of_calls; /* the end that writes is the one that calls */
};

/* A LOAD whose answer is awaited. */
struct loading {
	bool is_busy; /* one at a time */
	bool is_answered;
	uint16_t image;
	unsigned core;
	int32_t status;
};

/* Of a relay, in the list of each of its devices. */
struct relay_link {
	LIST_ENTRY(relay_link) all;
	struct npipe_relay *relay;
};

LIST_HEAD(relay_links, relay_link);

struct nproc_device {
	struct nhost_device host;
	bool is_open;          /* else only detail is good */
	const uint64_t *guard; /* 0 in a child of fork(); no lock */

	struct lock detail_lock;
	struct nhost_error detail;
	int plain; /* of the last failure, if its number says enough; else 0. Atomic, no lock */

	struct port port;
	struct core cores[NREG_CORES_MAX];
	struct far_memory far;
	struct grants grants;

	struct pipe *pipes; /* [pipes_max + 1] */
	struct ids pipe_ids;
	TAILQ_HEAD(, pipe_seeker) pipe_seekers; /* threads that wait for an id */
	uint32_t pipes_away; /* in use, but without a handle here: only the device can end them */
	uint64_t call_lines; /* of pipes of calls whose answering end a process has or had */
	struct pool npipes;
	struct end_fds end_fds;
	struct relay_links relays;

	struct nproc **processes; /* [processes_max + 1]: the living, by id */
	struct ids process_ids;
	struct pool nprocs;
	uint64_t serial;                  /* of the last spawn */
	struct port_waiters exit_waiters; /* for any process */
	uint32_t victim_count;            /* over all cores */
	LIST_HEAD(, nproc) grouped;       /* processes of any group */
	LIST_HEAD(, nproc) asked;         /* processes that processes have asked for */
	struct pool births, notices;
	uint64_t births_asked;

	LIST_HEAD(, nproc_image) images;
	LIST_HEAD(, nmem_arena) arenas;
	struct ids image_ids;
	struct loading loading;

	struct explain *explain; /* a report of the cores that is on its way; NULL: none is */
	uint16_t explain_number;

	pthread_mutex_t recall_lock; /* one recall at a time */
	pthread_mutex_t engine_lock; /* of these two, and of copies by the engine */
	struct nhost_engine engine;  /* no ops: copies are the calling thread's */
	bool has_engine;             /* atomic, no lock */

	struct log log;
	uint64_t spawns, exits, far_bytes_granted;
};

/* ---- detail.c -------------------------------------------------------------------------------- */

/* Notes what was missing and what to do; returns -number. Takes no port lock. */
int device_fail(struct nproc_device *device, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Notes one of the failures that are alike wherever they happen and that programs may meet often:
 * -EAGAIN, -ETIMEDOUT, -EPIPE, -EBADF. Any other result has its text already, or is none. Returns
 * the result.
 */
static inline int64_t device_note(struct nproc_device *device, int64_t result)
{
	if (result == -EAGAIN || result == -ETIMEDOUT || result == -EPIPE || result == -EBADF)
		__atomic_store_n(&device->plain, (int)-result, __ATOMIC_RELAXED);
	return result;
}

/* The address for what a call gives is NULL: -EINVAL, or -EBADF where there is no device. */
int device_fail_nowhere(struct nproc_device *device);

/* ---- device.c -------------------------------------------------------------------------------- */

/* False: a handle from before a fork(), or of a device that could not be opened. */
static inline bool device_is_usable(const struct nproc_device *device)
{
	return device && device->is_open && nchan_load(device->guard);
}

static inline unsigned device_core_count(const struct nproc_device *device)
{
	return device->host.identity.core_count;
}

/* Some of these bytes; they do not go beyond the end of the address space. */
static inline bool device_region_has(
	const struct nproc_device *device, const void *bytes, size_t nbytes)
{
	const struct nreg_identity *identity = &device->host.identity;
	const uint64_t base = (uintptr_t)bytes;

	return base < identity->base + identity->region_bytes && base + nbytes > identity->base;
}

/* A core's block of the region, with what the core has counted. */
static inline const struct nreg_core *device_core(const struct nproc_device *device, unsigned core)
{
	const struct nreg_core *shared = nreg_core(device->host.region, core);

	nchan_refresh(device->host.caches, shared, offsetof(struct nreg_core, attention));
	return shared;
}

/* ---- memory.c, arena.c ----------------------------------------------------------------------- */

/* A zeroed allocation. Takes the lock itself. */
int memory_alloc(struct nproc_device *device, uint64_t nbytes, struct far_extent **extent);
int memory_free(struct nproc_device *device, struct far_extent *extent);
void arenas_destroy(struct nproc_device *device);

/* ---- recall.c -------------------------------------------------------------------------------- */

void recall_create(struct nproc_device *device);
void recall_destroy(struct nproc_device *device);
/* Only where memory is not coherent, without the lock of the port; waits. -ENODEV */
int recall(struct nproc_device *device, const struct far_extent *extent);

/* ---- engine.c -------------------------------------------------------------------------------- */

void engine_create(struct nproc_device *device);
void engine_destroy(struct nproc_device *device);

/* The ranges have been checked. Without the lock of the port. */
int engine_copy(struct nproc_device *device, void *to, const void *from, size_t nbytes);

/* ---- image.c --------------------------------------------------------------------------------- */

bool image_receive_loaded(
	struct nproc_device *device, unsigned core, const struct nchan_line *line);
void image_put(struct nproc_image *image);
void images_destroy(struct nproc_device *device);

/* ---- spawn.c --------------------------------------------------------------------------------- */

/* The core with the fewest processes. */
unsigned least_loaded_core(const struct nproc_device *device);

/* ---- pipe.c ---------------------------------------------------------------------------------- */

/* A handle of this pipe is closed, or its end is given away. */
static inline void pipe_loses_handle(struct nproc_device *device, struct pipe *pipe, bool writes)
{
	pipe->reading_handles -= !writes;
	if (!--pipe->handles)
		device->pipes_away++;
}

/* Does this core have, or had it, such an end? */
static inline bool pipe_is_at(const struct pipe *pipe, unsigned core, bool writes)
{
	if (writes)
		return pipe->writing_places >> core & 1;
	return pipe->reading_places >> core & 1 || pipe->home == core + 1;
}

/* An end that a process on this core hands back; NULL: it has none, or no memory. */
struct npipe *pipe_take_back(struct nproc_device *device, uint32_t id, unsigned core, bool writes);
/* NAME: a pipe that a process on this core has made gets an id. False: it makes no sense. */
bool pipe_receive_name(struct nproc_device *device, unsigned core, const struct nchan_line *line);
/* npipe_close() with the lock held. */
void pipe_close(struct npipe *end);

/* ---- exit.c, process.c ----------------------------------------------------------------------- */

/* EXIT; false: it makes no sense. */
bool exit_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line);
/* The process of this name, while it or its family lives. */
struct nproc *process_by_self(const struct nproc_device *device, uint64_t self);
/* Likewise; of one that was started by a process, the head of its family. */
struct nproc *head_by_self(const struct nproc_device *device, unsigned core, uint64_t self);
void process_put(struct nproc *process);
static inline bool process_has_ended(const struct nproc *process)
{
	return process->state != NPROC_RUNNING || process->device->port.gone;
}
void status_fill(const struct nproc *process, struct nproc_status *status);

/* ---- group.c --------------------------------------------------------------------------------- */

void group_join(struct nproc *process, uint32_t group);
void group_leave(struct nproc *process);

/* ---- birth.c --------------------------------------------------------------------------------- */

void births_create(struct nproc_device *device);
/* WANT, KILL; false: it makes no sense. */
bool birth_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line);
bool birth_receive_kill(struct nproc_device *device, unsigned core, const struct nchan_line *line);
/* Sends what waits for room. */
void births_flush(struct nproc_device *device);
/* Tells the core that asked for the process how it has ended. */
void birth_tell(struct nproc *process);

/* ---- notice.c -------------------------------------------------------------------------------- */

void notices_create(struct nproc_device *device);
/* Does a line of this kind wait for room? */
bool notice_waits(const struct nproc_device *device, unsigned core, enum nchan_kind kind);
/* A line for the core, now or when there is room; as long as the head says. */
void notice_send(struct nproc_device *device, unsigned core, uint64_t head, const void *payload);
void notices_flush(struct nproc_device *device);

/* ---- kill.c ---------------------------------------------------------------------------------- */

enum {
	KILL_REVIEW_NS = 1000 * 1000, /* while there are victims, kills_review() so often */
};

/* Ends the process, or it and its family. */
void kill_begin(struct nproc *process, bool kills_family);
/* The process has ended: it is no victim any more. */
void kill_done(struct nproc *process);
/* Sends KILL lines for which there was no room. */
void kills_flush(struct nproc_device *device);
/* Names a victim that runs before one that does not. */
void kills_review(struct nproc_device *device);

/* ---- pipe_wait.c ----------------------------------------------------------------------------- */

/* NCHAN_READY, NCHAN_HUNG_UP: what a call would find at an end that was not given away. */
unsigned pipe_state(const struct npipe *end);
/* What the call gave, after all that must be done behind a call. */
int64_t pipe_leave(struct npipe *end, int64_t result);

/* ---- call.c ---------------------------------------------------------------------------------- */

/* Of these ends, those that answer calls get their lines on this core; -EMFILE. */
int calls_take(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count);
/* They will not go there after all. */
void calls_put_back(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count);
/* They go there now: before the SPAWN. */
void calls_assign(struct nproc_device *device, struct npipe *const *ends, unsigned count);
/* The pipe is forgotten, while it still has its home. */
void call_put(struct nproc_device *device, struct pipe *pipe);

/* ---- poll.c ---------------------------------------------------------------------------------- */

/* What ends a wait beside its entries: is_set is stored first, then the eventfd is set. */
struct poll_stop {
	int event;
	uint32_t is_set;
};

static inline bool poll_is_stopped(const struct poll_stop *stop)
{
	return __atomic_load_n(&stop->is_set, __ATOMIC_ACQUIRE);
}

/* As npipe_poll(); 0: it was stopped, or woken for no reason. */
int64_t poll_until(
	struct npoll *entries, size_t count, int64_t timeout_ns, const struct poll_stop *stop);

/* ---- poll_channels.c ------------------------------------------------------------------------- */

bool channels_are_there(const struct npoll *entries, size_t count);
/* Looks at those where nothing had happened yet. How many have something now. */
int64_t channels_look(struct npoll *entries, size_t count);
/* A descriptor that is readable when something happens at them; or a negative errno. */
int channels_open(struct npoll *entries, size_t count);
void channels_close(struct npoll *entries, size_t count, int epoll);
/* npipe_poll() at channels alone. */
int64_t channels_wait(struct npoll *entries, size_t count, int64_t timeout_ns);

/* ---- relay.c --------------------------------------------------------------------------------- */

/* The device is about to be closed. Without the lock. */
void relays_end(struct nproc_device *device);

/* ---- admission.c ----------------------------------------------------------------------------- */

/*
 * Cells of core's pool that these ends may need there or at their pipes' homes: -ENOMEM if they are
 * not there.
 */
int admission_check(
	struct nproc_device *device, unsigned core, struct npipe *const *ends, unsigned count);
/* The end goes to this core. lent: a reading one of a pipe whose home stays where it is. */
void admission_charge(
	struct nproc_device *device, unsigned core, const struct npipe *end, bool lent);
/*
 * A pipe that a process on this core has made may go to others from now on. False: there are no
 * cells for that.
 */
bool admission_charge_home(struct nproc_device *device, unsigned core, struct pipe *pipe);
/* The pipe is forgotten. */
void admission_release(struct nproc_device *device, struct pipe *pipe);

#endif
