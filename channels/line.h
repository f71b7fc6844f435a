/*
 * line.h - the 64-byte line, the only thing that crosses between two places.
 *
 *   word  0    1    2    3    4    5    6   | 7
 *       +----+----+----+----+----+----+----+------------------------------------------------+
 *       |        56 bytes of payload       | head                                           |
 *       +----+----+----+----+----+----+----+------------------------------------------------+
 *   head, from bit 0:  phase 1 | generation 15 | kind 5 | length 6 | pipe 22 | arg 15
 *
 * The payload is stored first, as 8-byte stores, and the head last with release order: a reader
 * that sees a new head sees the whole line. `phase` says whether a slot of a FIFO holds a new line,
 * `generation` whether it was written since the device was last reset. What `arg` and the payload
 * mean depends on the kind and is written in docs/protocol.md.
 *
 * Freestanding; used by host and device alike.
 */
#ifndef NEARSIDE_CHANNELS_LINE_H
#define NEARSIDE_CHANNELS_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	NCHAN_LINE_BYTES = 64,
	NCHAN_PAYLOAD_WORDS = 7,
	NCHAN_PAYLOAD_BYTES = 56, /* also NPIPE_BUF: a write of so many bytes is one line */
};

enum {
	NCHAN_GENERATION_MAX = (1 << 15) - 1,
	NCHAN_PIPE_MAX = (1 << 22) - 1,
	NCHAN_ARG_MAX = (1 << 15) - 1,
};

/*
 * Every kind of line. X(NAME, text).
 * Of a pipe, writer to home: DATA, RETURN, CLOSE. Home to writer: CREDIT, RECALL, BROKEN, CLOSED.
 * Reader elsewhere to home: READ, TAKEN, CLOSE. Home to reader: ATTACHED, DATA, END, CLOSED.
 * Host to home, or another place for the host: ATTACH. Any place to host: RELEASE.
 */
#define NCHAN_KINDS(X)                                                                             \
	X(NOP, "nop")           /* nothing; ends a test, keeps a FIFO moving */                    \
	X(CURSOR, "cursor")     /* word 0: lines consumed so far from the opposite FIFO */         \
	X(DATA, "data")         /* length bytes of a pipe */                                       \
	X(CREDIT, "credit")     /* arg more lines may be sent to me, who am the pipe's home */     \
	X(RETURN, "return")     /* arg credits, unused, go back to the home */                     \
	X(RECALL, "recall")     /* return every credit that you have not used */                   \
	X(ATTACH, "attach")     /* place arg has ends of this pipe: open an account for it */      \
	X(ATTACHED, "attached") /* the answer where it reads: I am the home, and know of it */     \
	X(CLOSE, "close")       /* place arg closed its last writing end; no data of it follows */ \
	X(CLOSED, "closed")     /* the home's answer to close, and its last line to that place */  \
	X(BROKEN, "broken")     /* the last reading end is closed: writers get -EPIPE */           \
	X(READ, "read")         /* a reader here waits for as many as arg lines */                 \
	X(TAKEN, "taken")     /* of the lines lent, arg were read, and word 0 bytes of the next */ \
	X(END, "end")         /* nobody writes and all was read: the answer to READ */             \
	X(RELEASE, "release") /* this place has forgotten the pipe's id */                         \
	X(SPAWN, "spawn")     /* host to core: device/abi/message.h */                             \
	X(EXIT, "exit")       /* core to host: a process ended, and how */                         \
	X(KILL, "kill")       /* host to core: look at the attention word */                       \
	X(GRANT, "grant")     /* host to core: one segment of a grant set */                       \
	X(REVOKE, "revoke")   /* host to core: forget a grant set */                               \
	X(LOAD, "load")       /* host to core: load or forget an image */                          \
	X(LOADED, "loaded")   /* core to host: the answer to load */                               \
	X(LOG, "log")         /* core to host: text of a process */                                \
	X(ASK, "ask")         /* host to core: what do your processes do? */                       \
	X(STATE, "state")     /* core to host: an answer to ask, of which there are many */        \
	X(WANT, "want")       /* core to host: a process wants another on another core */          \
	X(NAME, "name")       /* core to host: a pipe made here is to have an id; the answer */    \
	/* These two are never in a FIFO: channels/call.h. */                                      \
	X(REQUEST, "request") /* host to core: what is asked by a call, arg: its serial */         \
	X(ANSWER, "answer")   /* core to host: the answer to the request of the same arg */

enum nchan_kind {
#define NCHAN_KIND_ENUM(name, text) NCHAN_##name,
	NCHAN_KINDS(NCHAN_KIND_ENUM)
#undef NCHAN_KIND_ENUM
	NCHAN_KIND_COUNT
};

struct nchan_line {
	_Alignas(NCHAN_LINE_BYTES) uint64_t word[NCHAN_PAYLOAD_WORDS];
	uint64_t head;
};

_Static_assert(sizeof(struct nchan_line) == NCHAN_LINE_BYTES, "a line is one cache line");
_Static_assert(NCHAN_KIND_COUNT <= 32, "kind has 5 bits");

/* Phase and generation, which tell a new line from an old one. */
enum {
	NCHAN_PHASE = 1,
	NCHAN_STAMP_MASK = NCHAN_PHASE | NCHAN_GENERATION_MAX << 1,
};

/* Where the length is in a head. */
#define NCHAN_LENGTH_MASK (63ull << 21)

/* A head without phase and generation; the FIFO adds both. */
static inline uint64_t nchan_head(
	enum nchan_kind kind, unsigned length, uint32_t pipe, uint32_t arg)
{
	return (uint64_t)kind << 16 | (uint64_t)length << 21 | (uint64_t)pipe << 27 |
	       (uint64_t)arg << 49;
}

static inline unsigned nchan_head_phase(uint64_t head)
{
	return head & 1;
}

static inline unsigned nchan_head_generation(uint64_t head)
{
	return head >> 1 & NCHAN_GENERATION_MAX;
}

/* May be NCHAN_KIND_COUNT or more: the other side is not trusted. */
static inline unsigned nchan_head_kind(uint64_t head)
{
	return head >> 16 & 31;
}

/* May be above NCHAN_PAYLOAD_BYTES, likewise. */
static inline unsigned nchan_head_length(uint64_t head)
{
	return head >> 21 & 63;
}

static inline uint32_t nchan_head_pipe(uint64_t head)
{
	return head >> 27 & NCHAN_PIPE_MAX;
}

static inline uint32_t nchan_head_arg(uint64_t head)
{
	return head >> 49 & NCHAN_ARG_MAX;
}

/* Are these bytes of this pipe? Not for the head 0, which is none. */
static inline bool nchan_is_data_of(uint64_t head, uint32_t pipe)
{
	const uint64_t name = 31ull << 16 | (uint64_t)NCHAN_PIPE_MAX << 27;

	return (head & name) == nchan_head(NCHAN_DATA, 0, pipe, 0);
}

#endif
