/*
 * region.h - the map of a region: all that host and device share.
 *
 *   0            identity, written by the device before the host maps it
 *   0x1000       host line: written by the host (is it asleep, for the cores)
 *   0x1040       claim line (host writes) and offer line (device writes): how a host finds a device
 *                outside its program; zero where both are one program
 *   0x10c0       recall line (host writes): far memory that changes its owner
 *   0x2000       lines of calls (channels/call.h): host and one core write each in turn
 *   0x4000       core blocks, one per core, NREG_CORE_BYTES each:
 *                  status line (device writes), attention line (host writes),
 *                  down FIFO (host to core), up FIFO (core to host),
 *                  a question about its processes (who looks writes), the answer (device writes)
 *   far_offset   far memory, up to region_bytes
 *
 * Where the memory is not coherent (no NREG_COHERENT) each word is told and heard as
 * channels/caches.h says.
 *
 * Control words are read and written by 8-byte loads and stores only, never by read-modify-write.
 * Each line has one writer, except the wake words (channels/wake.h) and the lines of calls, both of
 * which are used only where the two sides share a coherent memory. `base` is the address at which
 * host and kernels see the region: far pointers are plain host pointers.
 */
#ifndef NEARSIDE_DEVICE_ABI_REGION_H
#define NEARSIDE_DEVICE_ABI_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/call.h"
#include "channels/fifo.h"
#include "device/abi/kernel.h"

#define NREG_MAGIC 0x44495345444e5352ull /* "RSNDESID" */
enum {
	NREG_VERSION = 5,
	NREG_ALIGN = 2 * 1024 * 1024, /* of base, far_offset and region_bytes */
	NREG_HOST_OFFSET = 0x1000,
	NREG_CLAIM_OFFSET = 0x1040,
	NREG_OFFER_OFFSET = 0x1080,
	NREG_RECALL_OFFSET = 0x10c0,
	NREG_CALLS_OFFSET = 0x2000,
	NREG_CORES_OFFSET = 0x4000,
	NREG_CORE_BYTES = 0x4000,
	NREG_CORES_MAX = 64,
	NREG_PROCESS_MAX = (1 << 24) - 1,
	NREG_LOOK_PROCESSES = 16, /* of one answer */
	NREG_LOOK_IDS = 4096,     /* that one answer is about, unless it is full */
	NREG_FILE_MAX = 160,
};

/* What a region can do. */
enum nreg_capability {
	NREG_CAN_WAKE = 1u << 0,         /* futexes on wake words work between both sides */
	NREG_COHERENT = 1u << 1,         /* host caches are coherent with the device */
	NREG_ATOMICS = 1u << 2,          /* host-device atomics on far memory are atomic */
	NREG_PREEMPTS_KERNELS = 1u << 3, /* an endless kernel can be killed (not in a simulation) */
	/*
	 * Caches that are not coherent are modelled in this memory's file (host/cache_model.c), for
	 * tests: both sides must do so.
	 */
	NREG_MODELLED_CACHE = 1u << 4,
	NREG_CAPABILITIES = (1u << 5) - 1, /* all of them */
};

struct nreg_identity {
	uint64_t magic;
	uint32_t version;     /* NREG_VERSION */
	uint32_t abi_version; /* NK_ABI_VERSION */
	uint64_t base;
	uint64_t region_bytes;
	uint64_t far_offset;
	uint64_t far_bytes;
	uint32_t generation; /* raised by a reset; 1..NCHAN_GENERATION_MAX */
	uint32_t capabilities;
	uint32_t core_count;
	uint32_t isa;           /* enum nimg_isa: the best code that the cores run */
	uint32_t processes_max; /* per core */
	uint32_t pipes_max;     /* ids are 1..pipes_max, per device */
	uint32_t
		cells_max; /* per core: pipe ends and lines that it can promise (channels/pool.h) */
	uint32_t grant_sets_max;  /* per core; ids are 1..grant_sets_max, at most 65535 */
	uint32_t port;            /* enum nchan_port_kind of all FIFOs */
	uint32_t scratch_bytes;   /* per core, for processes that ask for some; 0: none */
	uint32_t cache_seed;      /* with NREG_MODELLED_CACHE: of its chance; 0: none */
	uint64_t frame_bytes_max; /* per core: records and frames; a multiple of 64 KiB */
	uint64_t machine;         /* whose futexes and locks reach the device; 0: of none */
	char name[64];            /* for people */
};

/* Written by the device. */
struct nreg_core_status {
	_Alignas(64) uint64_t running; /* nk_process.self of the process that runs now; 0: none */
	uint64_t heartbeat;
	uint64_t switches; /* resumes of processes */
	uint64_t spawns;
	uint64_t log_dropped;
	struct nk_far_bytes far; /* by kernel code */
	uint64_t alive;          /* processes */
};

/* What a process does. */
enum nreg_doing {
	NREG_READY,
	NREG_READS,  /* waits_for: the pipe, as in struct nmsg_state */
	NREG_WRITES, /* likewise */
	NREG_WAITS,  /* waits_for: the process that it started; 0: any, or one on another core */
	NREG_COPIES, /* waits until a copy is done */
	NREG_LEAVES, /* it has returned, its copies go on */
	NREG_DOING_COUNT
};

/* One process, for people. Texts end with a NUL; of the file's path there is the end. */
struct nreg_process {
	uint64_t self;
	uint32_t doing;
	uint32_t waits_for;
	uint32_t frame_bytes; /* its record, its frame, and what else lies in its block */
	uint32_t line;        /* where it waits; 0: not known, or it does not wait */
	uint32_t end_count;   /* open ends */
	uint32_t reserved;
	char kernel[NK_NAME_MAX + 1]; /* "": not known */
	char file[NREG_FILE_MAX];
};

/*
 * Who looks at a core's processes from outside stores `wanted`: a number of its own and the first
 * id that it wants to hear of. The core answers with some of those that follow, and stores the same
 * word in `done`. Only who is asked pays for it.
 */
struct nreg_look {
	_Alignas(64) uint64_t wanted; /* nreg_look_word(); the only word that others write */
	_Alignas(64) uint64_t done;
	uint64_t next;  /* what to ask for next; 0: there are no more */
	uint64_t count; /* of process[] */
	_Alignas(64) struct nreg_process process[NREG_LOOK_PROCESSES];
};

static inline uint64_t nreg_look_word(uint64_t random, uint32_t first_id)
{
	return (random | 1) << 24 | first_id;
}

static inline uint32_t nreg_look_first(uint64_t word)
{
	return word & NREG_PROCESS_MAX;
}

struct nreg_core {
	struct nreg_core_status status;
	struct {
		_Alignas(64) uint64_t asleep; /* wake word of the core */
		uint64_t faults; /* lines that the core found senseless; written by it alone */
		/* Processes that processes of this core have started here; likewise. */
		uint64_t births;
	} wake;
	struct {
		_Alignas(64)
			uint64_t victim; /* written by the host: nk_process.self to end; 0: none */
	} attention;
	struct nchan_fifo down;
	struct nchan_fifo up;
	struct nreg_look look;
};

struct nreg_host {
	_Alignas(64) uint64_t asleep; /* wake word of the host */
};

/* align: a power of 2. */
static inline uint64_t nreg_align_up(uint64_t nbytes, uint64_t align)
{
	return (nbytes + align - 1) & ~(align - 1);
}

/* Where far memory lies and what the whole takes, by core_count and far_bytes. */
static inline void nreg_lay_out(struct nreg_identity *identity)
{
	identity->far_offset = nreg_align_up(
		NREG_CORES_OFFSET + (uint64_t)identity->core_count * NREG_CORE_BYTES, NREG_ALIGN);
	identity->region_bytes =
		identity->far_offset + nreg_align_up(identity->far_bytes, NREG_ALIGN);
}

/*
 * How a host and a device outside its program find each other (docs/protocol.md, "Attaching").
 *
 *     device: offers a generation          ready = 5
 *     host:   claims it                    claim = a number of its own, and that it is about 5
 *     device: takes one claim              owner = that number
 *     host:   goes                         left = its number
 *     device: takes everything back        ready = 0 ... ready = 6
 *
 * A claim is stored by whoever wants the region: the device takes one, and the others see in
 * `owner` that they were not. All other words have one writer.
 */
struct nreg_claim {
	_Alignas(64) uint64_t claim; /* nreg_claim_word() */
	uint64_t left;               /* a claim whose host has gone */
	uint64_t heartbeat;          /* another number again and again */
	uint64_t far_used; /* bytes from the start of far memory that the host has ever used */
};

struct nreg_offer {
	_Alignas(64) uint64_t ready; /* the generation that can be claimed, or is; 0: none yet */
	uint64_t owner;              /* the claim that was taken; 0: none */
	uint64_t heartbeat;          /* another number again and again */
	uint64_t doubts;   /* 1: the owner's heartbeat has stopped, and the next claim is taken */
	uint64_t made;     /* 1: the file that the region lies in was made for it */
	uint64_t recalled; /* nreg_recall.serial that was done */
};

/*
 * Where memory is not coherent: the device's caches are to let go of these bytes of far memory.
 * What makes it new stands last, as in a line.
 */
struct nreg_recall {
	_Alignas(64) uint64_t offset;
	uint64_t nbytes;
	uint64_t unused[5];
	uint64_t serial;
};

enum {
	NREG_BEAT_MS = 100,           /* between heartbeats, at most */
	NREG_CLAIM_IS_NEAR = 1 << 15, /* the host is a program of the same machine */
};

/*
 * `random` makes it different from other hosts' claims. `machine` is nreg_identity.machine of the
 * host's own: of it some bits stay, by which hosts of one machine know each other.
 */
static inline uint64_t nreg_claim_word(
	uint32_t random, uint64_t machine, bool is_near, unsigned generation)
{
	return (uint64_t)(random | 1) << 32 | (machine >> 32 & 0xffff) << 16 |
	       (is_near ? NREG_CLAIM_IS_NEAR : 0) | generation;
}

static inline bool nreg_claims_are_of_one_machine(uint64_t one, uint64_t other)
{
	return ((one ^ other) >> 16 & 0xffff) == 0;
}

static inline unsigned nreg_claim_generation(uint64_t claim)
{
	return claim & NCHAN_GENERATION_MAX;
}

/* What an executor with plenty of address space offers; memory is touched only when used. */
enum {
	NREG_USUAL_CELLS = 4 * 1024 * 1024,
	NREG_USUAL_GRANT_SETS = 65535,
	NREG_USUAL_FRAME_BYTES = 1024 * 1024 * 1024,
	NREG_USUAL_SCRATCH_BYTES = 1024 * 1024,
};

_Static_assert(sizeof(struct nreg_core) <= NREG_CORE_BYTES, "a core block holds its FIFOs");
_Static_assert(sizeof(struct nreg_process) % 64 == 0, "whole lines");
_Static_assert(
	NREG_CALLS_OFFSET + NCHAN_CALL_LINES * sizeof(struct nchan_call_line) <= NREG_CORES_OFFSET,
	"they fit below the cores");

/* nk_process.self: the id in the low 24 bits, its serial above. */
static inline uint64_t nreg_self(uint32_t process, uint64_t serial)
{
	return (serial << 24 | process) & ~0ull;
}

static inline uint32_t nreg_self_process(uint64_t self)
{
	return self & NREG_PROCESS_MAX;
}

/*
 * Of a process that a process started: the id, above processes_max and known to its core only, then
 * the id of its family's head, which the host started, then a serial.
 */
static inline uint64_t nreg_self_born(uint32_t process, uint32_t head, uint16_t serial)
{
	return (uint64_t)serial << 48 | (uint64_t)head << 24 | process;
}

static inline uint32_t nreg_self_head(uint64_t self)
{
	return self >> 24 & NREG_PROCESS_MAX;
}

static inline struct nreg_core *nreg_core(void *region, unsigned core)
{
	return (struct nreg_core *)((char *)region + NREG_CORES_OFFSET +
				    (uint64_t)core * NREG_CORE_BYTES);
}

static inline struct nreg_host *nreg_host(void *region)
{
	return (struct nreg_host *)((char *)region + NREG_HOST_OFFSET);
}

static inline struct nchan_call_line *nreg_calls(void *region)
{
	return (struct nchan_call_line *)((char *)region + NREG_CALLS_OFFSET);
}

static inline struct nreg_claim *nreg_claim(void *region)
{
	return (struct nreg_claim *)((char *)region + NREG_CLAIM_OFFSET);
}

static inline struct nreg_recall *nreg_recall(void *region)
{
	return (struct nreg_recall *)((char *)region + NREG_RECALL_OFFSET);
}

static inline struct nreg_offer *nreg_offer(void *region)
{
	return (struct nreg_offer *)((char *)region + NREG_OFFER_OFFSET);
}

#endif
