/*
 * call.h - a line for calls: the host asks, a core answers, both in the same line.
 *
 *     host                                      core
 *     payload, then head:  REQUEST, P = 1  -->  looks at the head, reads, works
 *     looks at the head, reads             <--  payload, then head:  ANSWER, P = 0
 *
 * It is the one line with two writers: whose turn it is, its phase says. The host stores only after
 * an answer, the core only after a request; so a line crosses once for each, and there is no FIFO,
 * no credit and no cursor. `arg` of the head is a serial number, `pipe` whose call it is: the side
 * that waits looks for exactly one head, whatever its length, and takes no other for it.
 *
 * All that is not a request or an answer (who has which end, close, broken) goes the way of every
 * pipe. Freestanding.
 */
#ifndef NEARSIDE_CHANNELS_CALL_H
#define NEARSIDE_CHANNELS_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/line.h"

enum {
	NCHAN_CALL_LINES = 64, /* of a device */
};

/* Shared; all zero at first. Processors fetch lines in pairs: the second is nobody's. */
struct nchan_call_line {
	_Alignas(2 * NCHAN_LINE_BYTES) struct nchan_line line;
};

_Static_assert(sizeof(struct nchan_call_line) == 2 * NCHAN_LINE_BYTES, "no two share a pair");

enum nchan_call_state {
	NCHAN_CALL_IDLE, /* host: a request may be stored; core: one may come */
	NCHAN_CALL_OUT,  /* host: a request is out; core: one was read and is to be answered */
	NCHAN_CALL_LATE, /* host: likewise, but nobody wants the answer any more */
};

/* What one side knows of a line. */
struct nchan_call {
	struct nchan_line *line; /* NULL: this place knows no calls */
	uint64_t expected;       /* the head that comes next here, without its length */
	uint32_t end;            /* whose calls it takes here; 0: nobody's */
	uint8_t state;
	bool is_wanted; /* host: there is another request, which waits for the answer to this one */
};

#endif
