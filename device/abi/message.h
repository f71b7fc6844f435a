/*
 * message.h - the payloads of lines between host and cores that are not about one pipe.
 *
 * SPAWN takes 1 to NMSG_SPAWN_LINES_MAX lines in a row: arg = lines that follow this one. Their
 * payloads joined are: struct nmsg_spawn, then its ends (32 bits each), padding to 8 bytes, then
 * the argument words. A spawn with two ends and three argument words fits into one line.
 */
#ifndef NEARSIDE_DEVICE_ABI_MESSAGE_H
#define NEARSIDE_DEVICE_ABI_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "channels/line.h"
#include "channels/memory.h"
#include "device/abi/kernel.h"

struct nmsg_spawn {
	uint64_t self;      /* chosen by the host: nreg_self() */
	uint16_t image;     /* as in LOAD */
	uint16_t kernel;    /* index in the image */
	uint16_t grant_set; /* 0: none */
	uint8_t end_count : 5;
	uint8_t extra_turns : 3; /* its weight less 1 */
	uint8_t word_count;
};

/*
 * WANT: 1 to NMSG_SPAWN_LINES_MAX lines, joined like those of SPAWN: struct nmsg_want, ends,
 * padding, argument words. The core hands the ends back (channels/hand.c). The answer is an EXIT
 * with this self, sometime.
 */
struct nmsg_want {
	uint64_t self; /* by which the core knows the process: nreg_self_born() */
	uint16_t image;
	uint16_t kernel;
	uint16_t writable; /* bit per far pointer parameter: is it granted for writing? */
	uint8_t end_count;
	uint8_t word_count;
	int32_t core;    /* or NK_ANY_CORE */
	uint32_t weight; /* as in struct nk_start */
};

/* One end passed at spawn: the pipe's id and mode (channels/place.h), and which end. */
#define NMSG_END_WRITES  0x80000000u
/* A reading end of a pipe whose home stays where it is. */
#define NMSG_END_BORROWS 0x40000000u

enum {
	NMSG_SPAWN_BYTES_MAX = sizeof(struct nmsg_want) + NK_ENDS_MAX * 4 + NK_ARG_WORDS_MAX * 8,
	NMSG_SPAWN_LINES_MAX =
		(NMSG_SPAWN_BYTES_MAX + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES,
};

/* Lines of SPAWN or WANT that have come so far, their payloads joined. */
struct nmsg_joined {
	unsigned lines_left; /* that are still to come */
	unsigned nbytes;
	_Alignas(8) unsigned char bytes[NMSG_SPAWN_LINES_MAX * NCHAN_PAYLOAD_BYTES];
};

/*
 * Takes the next line; when lines_left is 0 all have come. One that does not follow the last begins
 * anew. False: it makes no sense.
 */
static inline bool nmsg_join(struct nmsg_joined *joined, const struct nchan_line *line)
{
	unsigned nbytes = nchan_head_length(line->head);
	unsigned follow = nchan_head_arg(line->head);

	if (joined->lines_left && follow != joined->lines_left - 1)
		joined->lines_left = 0;
	if (!joined->lines_left)
		joined->nbytes = 0;
	if (follow >= NMSG_SPAWN_LINES_MAX || joined->nbytes + nbytes > sizeof(joined->bytes))
		return false;
	nchan_copy_few(joined->bytes + joined->nbytes, line->word, nbytes);
	joined->nbytes += nbytes;
	joined->lines_left = follow;
	return true;
}

enum nmsg_ending {
	NMSG_EXITED,  /* value: exit code */
	NMSG_FAULTED, /* fault, address, site; NK_FAULT_TRAP without a site: value, see below */
	NMSG_KILLED,
	NMSG_REFUSED,      /* value: negative errno; the process never ran */
	NMSG_FAMILY_ENDED, /* after NMSG_LEAVES_FAMILY: the last of its family has ended */
	NMSG_LEAVES_FAMILY = 1 << 8, /* added to the others: processes that it started go on */
};

/*
 * KILL without a payload: look at the attention word. With it, to a core: end this process and all
 * of its family; to the host: end the process that was asked for by this name.
 */
struct nmsg_kill {
	uint64_t self;
};

struct nmsg_exit {
	uint64_t self;
	int64_t value; /* of a trap: how far it was from the start of the image's code */
	uint64_t address;
	uint32_t site;
	uint16_t fault;  /* enum nk_fault */
	uint16_t ending; /* enum nmsg_ending */
};

/* GRANT: entry `index` of grant set `set` of `count`; the first to come creates the set. */
struct nmsg_grant {
	uint64_t base;
	uint64_t len;
	uint64_t writable;
	uint16_t set;
	uint16_t index;
	uint16_t count;
	uint16_t reserved;
};

struct nmsg_revoke {
	uint16_t set;
};

/* LOAD: code of an image lies at far memory offset `offset`; bytes = 0 forgets the image. */
struct nmsg_load {
	uint64_t offset;
	uint64_t bytes;
	uint16_t image;
	uint16_t kernel_count;
	uint32_t reserved;
};

struct nmsg_loaded {
	int32_t status; /* 0 or a negative errno */
	uint16_t image;
	uint16_t reserved;
};

/*
 * STATE, the answer to ASK, both with the same arg: what one process does and which ends it holds,
 * in more lines where it has more ends; then one with self = 0. Ends are pipe | NMSG_END_WRITES; 0:
 * closed. Of a process that waits for others there are lines that name these in place of ends, by
 * their ids; 0: one on another core.
 */
enum {
	NMSG_STATE_ENDS = 10,
	NMSG_STATE_CHILDREN = 255, /* in first_end: ends[] are children, one of which must end */
	NMSG_STATE_LINES_MAX = (NK_ENDS_MAX + NMSG_STATE_ENDS - 1) / NMSG_STATE_ENDS +
			       (NK_CHILDREN_MAX + NMSG_STATE_ENDS - 1) / NMSG_STATE_ENDS,
};

/* Of an end of a pipe that a process made: what follows is known to that core only. */
#define NMSG_END_LOCAL       0x40000000u
/* In waits_at: for a process that it started; for its copies, which go on by themselves. */
#define NMSG_WAITS_FOR_CHILD 0xffffffffu
#define NMSG_WAITS_FOR_COPY  0xfffffffeu

struct nmsg_state {
	uint64_t self;
	uint32_t waits_at; /* an end; 0: it is ready, or this line goes on about its ends */
	uint16_t site;     /* where it waits: of the image's table; 0: not known */
	uint8_t first_end; /* the number of ends[0], or NMSG_STATE_CHILDREN */
	uint8_t end_count; /* of ends[] */
	uint32_t ends[NMSG_STATE_ENDS];
};

/* LOG: length bytes of text, arg = lines that follow; word 0 is self, the text starts at word 1. */
enum {
	NMSG_LOG_TEXT = NCHAN_PAYLOAD_BYTES - 8,
	NMSG_LOG_MAX = NMSG_LOG_TEXT * 8
};

_Static_assert(sizeof(struct nmsg_spawn) == 16, "laid out without gaps");
_Static_assert(NK_ENDS_MAX < 1 << 5 && NK_WEIGHT_MAX <= 1 << 3, "both fit into one byte");
_Static_assert(sizeof(struct nmsg_want) == 24, "laid out without gaps, and the longer of the two");
_Static_assert(sizeof(struct nmsg_exit) <= NCHAN_PAYLOAD_BYTES, "an exit is one line");
_Static_assert(sizeof(struct nmsg_grant) <= NCHAN_PAYLOAD_BYTES, "a grant is one line");
_Static_assert(sizeof(struct nmsg_state) == NCHAN_PAYLOAD_BYTES, "a state fills a line");
_Static_assert(NMSG_SPAWN_LINES_MAX <= 12, "a spawn fits into a FIFO with room to spare");

#endif
