/* lookup.h - a hash table in far memory, as host and kernel see it. */
#ifndef NEARSIDE_BENCH_LOOKUP_H
#define NEARSIDE_BENCH_LOOKUP_H

#include <stdint.h>

enum {
	LOOKUP_BITS = 16,
	LOOKUP_SLOTS = 1 << LOOKUP_BITS,
	LOOKUP_KEYS = LOOKUP_SLOTS / 2, /* 1 to LOOKUP_KEYS, with the value ~key */
};

struct lookup_entry {
	uint64_t key; /* 0: free */
	uint64_t value;
};

/*
 * Where the search for a key begins (Fibonacci hashing: Knuth, The Art of Computer Programming 3,
 * 6.4).
 */
static inline uint64_t lookup_slot(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> (64 - LOOKUP_BITS);
}

#endif
