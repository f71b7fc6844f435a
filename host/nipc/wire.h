/*
 * wire.h - what two ends of a channel show each other. Each end owns one region, which it writes
 * and its peer maps read-only; so every word has one writer, and the processor sees to that.
 *
 *   0            4096               header_nbytes                     header_nbytes + capacity
 *   | control    | lines            | data                                                   |
 *   | its words  | slots x 64 bytes | messages that do not fit into lines                     |
 *
 * In both mappings the data follows a second time behind its end: a message that goes past the end
 * is one piece all the same.
 *
 * A line (struct ipc_line) is new when the lap in its head is the reader's; the head is stored
 * last, with release order. Slots and data are given back in order: by one count, `released`, in
 * the reader's own region.
 */
#ifndef NEARSIDE_HOST_NIPC_WIRE_H
#define NEARSIDE_HOST_NIPC_WIRE_H

#include <stdint.h>

#include "channels/memory.h"

enum {
	IPC_MAGIC = 0x6370696e, /* "nipc" */
	IPC_VERSION = 2,
	IPC_CONTROL_BYTES = 4096,
	IPC_LINE_BYTES = 64,
	IPC_PAYLOAD_BYTES = 56,
	IPC_SLOTS_MIN = 64,
	IPC_SLOTS_MAX = 1 << 16,
	IPC_HELLO_FDS = 2, /* the region, and a socket that wakes who waits for room */
};

/* What the owner of a region tells by it, beside messages. A cache line each: no false sharing. */
struct ipc_control {
	_Alignas(64) uint64_t released; /* slots of the peer's region that are given back */
	/* Odd while the thread that receives, or sends, sleeps; it counts its sleeps. */
	_Alignas(64) uint64_t receiver_sleeps;
	_Alignas(64) uint64_t sender_sleeps;
	_Alignas(64) uint64_t closed; /* bits of enum ipc_closed */
};

enum ipc_closed {
	IPC_SENDS_NO_MORE = 1 << 0,
	IPC_RECEIVES_NO_MORE = 1 << 1,
};

/*
 * head, from bit 0: lap 32 | kind 4 | bytes in this line 8 | bytes of the message 16 (small only)
 * Of a small message the payload is bytes; it has as many lines as it needs.
 * Of a piece of a large one it is struct ipc_piece.
 */
struct ipc_line {
	uint64_t head;
	uint64_t payload[IPC_PAYLOAD_BYTES / 8];
};

enum ipc_kind {
	IPC_SMALL = 1,
	IPC_PIECE = 2,
};

/* Pieces of one message follow each other in the data, and nothing lies between them. */
struct ipc_piece {
	uint64_t offset; /* in the data */
	uint64_t nbytes;
	uint64_t total; /* of the message */
	/* As in the control page of who sends this; here it comes with a line that is fetched. */
	uint64_t released;
};

/* All but the lap. */
static inline uint64_t ipc_head(enum ipc_kind kind, uint64_t nbytes, uint64_t total)
{
	return (uint64_t)kind << 32 | nbytes << 36 | total << 44;
}

/* Which time around this slot is used, from 1 on. The number of slots is a power of two. */
static inline uint32_t ipc_lap(uint64_t slot, unsigned slots)
{
	return (uint32_t)(slot >> __builtin_ctz(slots)) + 1;
}

static inline uint32_t ipc_head_lap(uint64_t head)
{
	return (uint32_t)head;
}

static inline unsigned ipc_head_kind(uint64_t head)
{
	return head >> 32 & 15;
}

static inline unsigned ipc_head_nbytes(uint64_t head)
{
	return head >> 36 & 255;
}

static inline unsigned ipc_head_total(uint64_t head)
{
	return head >> 44 & 65535;
}

/* The first message of both ends over their socket, with IPC_HELLO_FDS descriptors. */
struct ipc_hello {
	uint32_t magic, version;
	int32_t refusal; /* 0, or a negative errno: there will be no channel; no descriptors then */
	uint32_t slots;
	uint64_t header_nbytes, capacity;
	/* Who stores a line must fence by itself: this end cannot do it for both (membarrier). */
	uint32_t fence_yourself;
	uint32_t processor; /* the only one where this end may run, + 1; 0: there are several */
};

#endif
