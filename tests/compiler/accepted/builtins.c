/* Builtins that become instructions. */
#include <nearside/kernel.h>

static uint64_t rotate(uint64_t v, unsigned by)
{
	return v << (by & 63) | v >> (-by & 63);
}

NPROC_KERNEL int64_t builtins(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t hash = seed;
	for (uint64_t i = 0; i + 8 <= nbytes; i += 8) {
		uint64_t v = *(const far uint64_t *)(memory + i) | 1;
		int32_t w = (int32_t)v;
		uint64_t sum;
		int64_t product;
		hash = hash * 31 + (uint64_t)__builtin_popcountll(v) + (uint64_t)__builtin_clzll(v) * 3;
		hash = hash * 31 + (uint64_t)__builtin_ctzll(v << 7) + (uint64_t)__builtin_ffs(w);
		hash = hash * 31 + __builtin_bswap64(v) + __builtin_bswap16((uint16_t)v);
		hash = hash * 31 + (uint64_t)__builtin_parity((unsigned)w) + rotate(v, (unsigned)w);
		hash += __builtin_add_overflow(v, hash, &sum);
		hash += __builtin_mul_overflow((int64_t)v, (int64_t)w, &product);
		hash ^= sum + (uint64_t)product;
		if (__builtin_expect(v > hash, 0))
			hash += (uint64_t)((unsigned __int128)v * hash >> 64);
	}
	return (int64_t)hash;
}
