/* plain.h - what the kernels of kernels.c do, in plain C. */
#ifndef NEARSIDE_BENCH_PLAIN_H
#define NEARSIDE_BENCH_PLAIN_H

#include <stdint.h>

uint64_t plain_count(const uint64_t *keys, uint64_t nkeys, uint64_t key);
uint64_t plain_mix(uint64_t seed, uint64_t rounds);

#endif
