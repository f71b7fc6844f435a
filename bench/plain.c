#include "bench/plain.h"

uint64_t plain_count(const uint64_t *keys, uint64_t nkeys, uint64_t key)
{
	uint64_t hits = 0;

	for (uint64_t i = 0; i < nkeys; i++)
		hits += keys[i] == key;
	return hits;
}
