#include "bench/plain.h"

uint64_t plain_count(const uint64_t *keys, uint64_t nkeys, uint64_t key)
{
	uint64_t hits = 0;

	for (uint64_t i = 0; i < nkeys; i++)
		hits += keys[i] == key;
	return hits;
}

uint64_t plain_mix(uint64_t seed, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		seed = seed * 6364136223846793005 + 1442695040888963407;
	return seed;
}
