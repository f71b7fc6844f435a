/* case 107: copies of aligned and unaligned objects, at every offset. */
#include <string.h>

#include <nearside/kernel.h>

struct wide {
	_Alignas(16) uint64_t low;
	uint64_t high;
	uint32_t tail[5];
};

static uint64_t load(const far uint8_t *bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

struct __attribute__((packed)) unaligned {
	uint8_t before;
	uint64_t value;
	uint16_t after;
};

NPROC_KERNEL int64_t alignment(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t hash = seed;
	far struct wide *wides = (far struct wide *)memory;
	for (uint64_t i = 0; i < nbytes / sizeof(struct wide); i++) {
		struct wide wide = wides[i];
		wide.tail[i % 5] += (uint32_t)wide.low;
		struct wide copy;
		memcpy(&copy, &wide, sizeof copy);
		hash = hash * 31 + copy.tail[i % 5] + copy.high;
		wides[i] = copy;
	}
	for (uint64_t i = 0; i + 16 <= nbytes; i++) {
		far struct unaligned *at = (far struct unaligned *)(memory + i);
		hash = hash * 31 + at->value + load(memory + i);
		at->after = (uint16_t)hash;
	}
	uint8_t bytes[64] = {0};
	for (unsigned i = 0; i < 48; i++) {
		memcpy(bytes + i, &hash, sizeof hash);
		hash += bytes[i / 2];
	}
	return (int64_t)hash;
}
