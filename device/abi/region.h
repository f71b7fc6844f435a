/*
 * region.h - the map of a region: all that host and device share.
 *
 *   0            identity, written by the device before the host maps it
 *   0x1000       host line: written by the host (is it asleep, for the cores)
 *   0x2000       lines of calls (channels/call.h): host and one core write each in turn
 *   0x4000       core blocks, one per core, NREG_CORE_BYTES each:
 *                  status line (device writes), attention line (host writes),
 *                  down FIFO (host to core), up FIFO (core to host)
 *   far_offset   far memory, up to region_bytes
 *
 * Control words are read and written by 8-byte loads and stores only, never by read-modify-write.
 * Each line has one writer, except the wake words (channels/wake.h) and the lines of calls, both of
 * which are used only where the two sides share a coherent memory. `base` is the address at which
 * host and kernels see the region: far pointers are plain host pointers.
 */
#ifndef NEARSIDE_DEVICE_ABI_REGION_H
#define NEARSIDE_DEVICE_ABI_REGION_H

#include <stdint.h>

#include "channels/call.h"
#include "channels/fifo.h"
#include "device/abi/kernel.h"

#define NREG_MAGIC 0x44495345444e5352ull /* "RSNDESID" */
enum {
	NREG_VERSION = 3,
	NREG_ALIGN = 2 * 1024 * 1024, /* of base, far_offset and region_bytes */
	NREG_HOST_OFFSET = 0x1000,
	NREG_CALLS_OFFSET = 0x2000,
	NREG_CORES_OFFSET = 0x4000,
	NREG_CORE_BYTES = 0x4000,
	NREG_CORES_MAX = 64,
};

/* What a region can do. */
enum nreg_capability {
	NREG_CAN_WAKE = 1u << 0,         /* futexes on wake words work between both sides */
	NREG_COHERENT = 1u << 1,         /* host caches are coherent with the device */
	NREG_ATOMICS = 1u << 2,          /* host-device atomics on far memory are atomic */
	NREG_PREEMPTS_KERNELS = 1u << 3, /* an endless kernel can be killed (not in a simulation) */
	NREG_CAPABILITIES = (1u << 4) - 1, /* all of them */
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
	uint32_t grant_sets_max; /* per core; ids are 1..grant_sets_max, at most 65535 */
	uint32_t port;           /* enum nchan_port_kind of all FIFOs */
	uint32_t scratch_bytes;  /* per core, for processes that ask for some; 0: none */
	uint32_t reserved;
	uint64_t frame_bytes_max; /* per core: records and frames; a multiple of 64 KiB */
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
};

struct nreg_host {
	_Alignas(64) uint64_t asleep; /* wake word of the host */
};

/* What an executor with plenty of address space offers; memory is touched only when used. */
enum {
	NREG_USUAL_CELLS = 4 * 1024 * 1024,
	NREG_USUAL_GRANT_SETS = 65535,
	NREG_USUAL_FRAME_BYTES = 1024 * 1024 * 1024,
	NREG_USUAL_SCRATCH_BYTES = 1024 * 1024,
};

_Static_assert(sizeof(struct nreg_core) <= NREG_CORE_BYTES, "a core block holds its FIFOs");
_Static_assert(
	NREG_CALLS_OFFSET + NCHAN_CALL_LINES * sizeof(struct nchan_call_line) <= NREG_CORES_OFFSET,
	"they fit below the cores");

enum {
	NREG_PROCESS_MAX = (1 << 24) - 1
};

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

#endif
