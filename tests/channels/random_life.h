/*
 * random_life.h - random lives of pipes between a host and cores, beside a simple model of them;
 * for test_pipes_random.c, which says what is claimed.
 */
#ifndef NEARSIDE_TESTS_CHANNELS_RANDOM_LIFE_H
#define NEARSIDE_TESTS_CHANNELS_RANDOM_LIFE_H

#include "tests/channels/world.h"

enum {
	CORES = 3,
	WRITERS_MAX = 400,
	READERS_MAX = 400,
	MESSAGES_MAX = 7, /* in a line */
	CAPACITY_MAX = 5,
};

struct message {
	uint32_t writer;
	uint32_t count;
};

/* One writing end somewhere: at the host, on its way to a core, or at a core. */
struct writer {
	uint32_t pipe;
	unsigned place;
	uint32_t written;
	uint32_t read;
	bool arrived; /* the place has it */
	bool open;
};

/* One reading end, likewise. */
struct reader {
	uint32_t pipe;
	unsigned place;
	unsigned waits_for; /* messages that it has room for; 0: it does not wait */
	bool arrived;
	bool open;
};

struct pipe {
	bool exists, is_of_packets;
	bool saw_end;
};

struct model {
	struct world *world;
	uint64_t random;
	struct pipe pipes[WORLD_PIPES + 1];
	uint32_t named[CORES + 1]; /* the id that a pipe made at this core will have */
	struct writer writers[WRITERS_MAX];
	struct reader readers[READERS_MAX];
	unsigned writer_count, reader_count;
	uint64_t messages, ends_of_file, broken, handed_back, passed_on, made, delivered, borrowed;
};

/* One world, whose life this seed decides; all begins in it. */
void life_begin(struct model *model, uint64_t seed, uint64_t start, uint32_t cells);
/* Something happens. */
void life_go_on(struct model *model);
/* Everybody closes; what was written is read before. Nothing may be left. */
void life_end(struct model *model);

#endif
