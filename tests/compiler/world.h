/*
 * world.h - what a kernel under test sees: far memory, one pipe in (end 0), one pipe out (end 1), a
 * log.
 *
 * A world is made from a seed, so that two of one seed are equal; a kernel then runs in one
 * natively (native.c) and in the other as compiled code (fake_device.c), and what it leaves must be
 * equal, too.
 */
#ifndef NEARSIDE_TESTS_COMPILER_WORLD_H
#define NEARSIDE_TESTS_COMPILER_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WORLD_PIPE_BYTES = 60000,
	WORLD_LOG_BYTES = 4096
};

struct world {
	uint8_t *memory; /* nbytes, right before a page that cannot be touched */
	size_t nbytes;
	void *mapping;
	size_t mapping_nbytes;
	uint8_t input[WORLD_PIPE_BYTES];
	size_t input_nbytes, input_at;
	uint8_t output[WORLD_PIPE_BYTES];
	size_t output_nbytes;
	bool open[2];
	bool blocks; /* every call of a pipe has to wait once before it succeeds */
	bool blocked;
};

/* nbytes: a multiple of 64. */
void world_open(struct world *world, size_t nbytes, uint64_t seed);
void world_close(struct world *world);

/* Without an operating system: fills what memory and nbytes name, and the pipes, from the seed. */
void world_fill(struct world *world, uint64_t seed);

/* A number that stands for what a kernel has left in memory and pipes. */
uint64_t world_hash(const struct world *world);

/* While hidden, nobody can touch its memory. */
void world_hide(struct world *world, bool hidden);

/* As nk_ops says: -EAGAIN means, wait. */
int64_t world_read(struct world *world, int64_t fd, void *bytes, uint64_t nbytes);
int64_t world_write(struct world *world, int64_t fd, const void *bytes, uint64_t nbytes);
int64_t world_close_end(struct world *world, int64_t fd);

/* Fails the test unless both look the same, byte for byte. */
void world_assert_equal(const struct world *got, const struct world *expected);

#endif
