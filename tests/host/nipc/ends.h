/* ends.h - both ends of a channel in one test, and bytes that say where they come from. */
#ifndef NEARSIDE_TESTS_HOST_NIPC_ENDS_H
#define NEARSIDE_TESTS_HOST_NIPC_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include <nearside/nipc.h>

struct ends {
	struct nipc *a, *b;
};

/* Ends the test with nipc_detail() where that fails. attr NULL: a capacity of 64 KiB. */
void ends_open(struct ends *ends, const struct nipc_attr *attr_a, const struct nipc_attr *attr_b);
void ends_close(struct ends *ends);

/* What a call of this channel must give. */
void expect_result(struct nipc *channel, int64_t result, int64_t expected);

/* The bytes of a message differ with its seed, and from each other. */
void fill_bytes(unsigned char *bytes, size_t nbytes, uint64_t seed);
/* From `offset` of the message on. */
void expect_bytes(const unsigned char *bytes, size_t nbytes, uint64_t seed, uint64_t offset);

/* A sequence of numbers from *state. */
uint64_t next_random(uint64_t *state);

/* A new one for a test with random steps, printed; NEARSIDE_SEED gives it instead. */
uint64_t new_seed(void);

#endif
