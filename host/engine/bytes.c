/* bytes.c - loops over many bytes, written so that the compiler turns them into vectors. */
#include <string.h>

#include "host/engine/parts.h"

enum {
	STEP = 256, /* bytes that are compared before the first branch */
};

static inline uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

void bytes_fill(unsigned char *to, uint64_t pattern, size_t nbytes)
{
	uint64_t lowest = pattern & 0xff;

	if (pattern == lowest * 0x0101010101010101u) {
		memset(to, (int)lowest, nbytes);
		return;
	}
	for (; nbytes >= sizeof pattern; to += sizeof pattern, nbytes -= sizeof pattern)
		memcpy(to, &pattern, sizeof pattern);
	memcpy(to, &pattern, nbytes);
}

static inline bool step_differs(const unsigned char *a, const unsigned char *b)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < STEP; i += sizeof bits)
		bits |= word_at(a + i) ^ word_at(b + i);
	return bits;
}

static inline bool step_differs_from(const unsigned char *a, uint64_t pattern)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < STEP; i += sizeof bits)
		bits |= word_at(a + i) ^ pattern;
	return bits;
}

size_t bytes_compare(const unsigned char *a, const unsigned char *b, size_t nbytes)
{
	size_t i = 0;

	while (nbytes - i >= STEP && !step_differs(a + i, b + i))
		i += STEP;
	while (i < nbytes && a[i] == b[i])
		i++;
	return i;
}

size_t bytes_compare_pattern(const unsigned char *a, uint64_t pattern, size_t nbytes)
{
	const unsigned char *wanted = (const unsigned char *)&pattern;
	size_t i = 0;

	while (nbytes - i >= STEP && !step_differs_from(a + i, pattern))
		i += STEP;
	while (i < nbytes && a[i] == wanted[i % sizeof pattern])
		i++;
	return i;
}
