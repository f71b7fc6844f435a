/*
 * world.h - a host and some cores in one thread, each a place, joined by FIFOs: for tests of
 * channels/.
 *
 * "Giving" an end to a core sends a SPAWN line with the end in its payload, as a real spawn does;
 * the core adopts it when it takes the line. Nothing moves unless the test steps a place.
 */
#ifndef NEARSIDE_TESTS_CHANNELS_WORLD_H
#define NEARSIDE_TESTS_CHANNELS_WORLD_H

#include "channels/place.h"

enum {
	WORLD_PIPES = 64,
	WORLD_CELLS = 4096
};

struct world;

struct world_place {
	struct nchan_place place;
	struct world *world;
	struct nchan_link links[NCHAN_PLACES_MAX];
	struct nchan_cell cells[WORLD_CELLS + 1];
	uint32_t ends[WORLD_PIPES + 1];
	unsigned readable, writable, forgotten; /* events */
	uint32_t last_forgotten;
};

struct world {
	unsigned count; /* places */
	struct world_place *places;
	struct nchan_fifo *fifos;
	struct nchan_call_line *calls; /* [NCHAN_CALL_LINES] */
	/* Of readers that wait; NULL: none does. */
	uint64_t (*deliver)(struct world *world, unsigned place, struct nchan_end *end,
		const void *bytes, uint64_t nbytes);
	/*
	 * A core adopted an end that the host had given, or the host took one back; or both of a
	 * pipe that a core had made have an id now.
	 */
	void (*adopted)(struct world *world, unsigned place, uint32_t pipe, bool writes);
	void (*forgotten)(struct world *world, uint32_t pipe);
	/* An id for a pipe that core `from` has made; 0: none. NULL: there never is one. */
	uint32_t (*name_for)(struct world *world, unsigned from);
	void *test;
};

/* start: where all FIFO counters begin. */
struct world *world_create(unsigned cores, uint64_t start, uint32_t cells);
void world_destroy(struct world *world);

/*
 * Room for the SPAWN line is the caller's to check with world_can_give(). A reading end is always
 * moved; if it is the only one, so is the pipe's home.
 */
bool world_can_give(const struct world *world, unsigned to);
void world_give(struct world *world, struct nchan_end *end, unsigned to, bool writes, bool move);

/* An end goes back to the host: its line says so, as a real one does. False: not now. */
bool world_hand_back(struct world *world, unsigned place, uint32_t pipe, bool writes);

/*
 * One place takes at most `budget` lines from each other, flushes and reports. True when it took
 * any.
 */
bool world_step(struct world *world, unsigned place, unsigned budget);
/* Steps all places until no line moves. */
void world_settle(struct world *world);

struct nchan_place *world_place(struct world *world, unsigned place);
struct nchan_end *world_end(struct world *world, unsigned place, uint32_t pipe);

/* Small, good enough, and the same everywhere. */
uint64_t world_random(uint64_t *state);

#endif
