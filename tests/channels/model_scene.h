/*
 * model_scene.h - a host, two cores and the life of one pipe, as model_search.c tries it. One
 * section per file.
 *
 * A scene is one block that can be copied: the search goes back by copying.
 */
#ifndef NEARSIDE_TESTS_CHANNELS_MODEL_SCENE_H
#define NEARSIDE_TESTS_CHANNELS_MODEL_SCENE_H

#include "channels/end_int.h"

enum {
	PLACES = 3,
	CELLS = 32,
	HANDLES = 8,
	PIPE = 1,
	HOME = 1,  /* the core that an only reader may be given to */
	MAKER = 1, /* the core that may make the pipe */
};

enum handle_state {
	ABSENT,
	OPEN,
	UNDER_WAY,
	CLOSED
};

struct handle {
	unsigned char state, writes, place;
	unsigned char waits;   /* the last attempt said -EAGAIN and no event has come since */
	unsigned char gave_up; /* saw end of file, or -EPIPE */
	unsigned char count,
		read; /* of a writing end: bytes written, and of them, read by anybody */
};

/* What a step may change, but for the lines in FIFOs: those stay where they are. */
struct scene {
	struct nchan_place places[PLACES];
	struct nchan_link links[PLACES][PLACES];
	struct nchan_cell cells[PLACES][CELLS + 1];
	uint32_t ends[PLACES][PIPE + 1];
	struct handle handles[HANDLES];
	unsigned handle_count, passes, writes, forgotten;
	uint32_t made; /* cell of the end at the core that made the pipe, which has no id yet */
};

struct bound {
	unsigned ends, writes, room;
	unsigned readers; /* reading ends, at the host at first */
	bool is_scarce;
	bool only_cores_write;
	unsigned mode; /* of the pipe */
	bool is_made_at_core;
};

enum action {
	RECEIVE,
	FLUSH,
	READ,
	WRITE,
	CLOSE_END,
	GIVE_READER,
	GIVE_WRITER,
	HAND_BACK,
	ASK_NAME,
	ACTION_COUNT
};

struct step {
	unsigned char action, x, y;
};

/* ---- model_scene.c --------------------------------------------------------------------------- */

extern struct scene scene;
extern struct nchan_fifo fifos[PLACES][PLACES]; /* [from][to] */
extern struct bound bound;
extern unsigned cells_taken; /* of each pool, from the start, by nobody */
extern const char *failure;  /* the claim that does not hold; NULL: none */

void expect(bool truth, const char *claim);
struct nchan_end *end_at_place(unsigned place);
bool is_any_open(bool writes);
/* A reading end at the host, of a pipe whose home is elsewhere. */
bool is_passing_through(const struct handle *handle);
void scene_start(void);
/* False, and nothing changed: not possible now. */
bool scene_perform(struct step step);
/* Back to a copy of the scene that led to this one. */
void scene_restore(const struct scene *earlier);

/* ---- model_claims.c -------------------------------------------------------------------------- */

/* What holds in every state. */
void check_state(void);
/* What holds where no place can do anything, and no program reads or writes. */
void check_rest(void);
/* Of all that matters; never 0. */
uint64_t hash_scene(void);

#endif
