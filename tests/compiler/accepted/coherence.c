/* Where memory is coherent, publishing and refreshing change nothing, whatever they are called with. */
#include <nearside/kernel.h>

static uint64_t add(const far uint64_t *words, uint64_t count)
{
	uint64_t total = 0;
	nmem_refresh(words, count * sizeof *words);
	for (uint64_t i = 0; i < count; i++)
		total += words[i];
	return total;
}

NPROC_KERNEL int64_t coherence(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far uint64_t *words = (far uint64_t *)memory;
	uint64_t count = nbytes / sizeof *words, total = seed;
	for (uint64_t i = 0; i < count; i++) {
		words[i] += seed ^ i;
		nmem_publish(&words[i], sizeof *words);
		total = total * 31 + add(words, i + 1);
	}
	nmem_publish(memory, 0);
	nmem_refresh(memory + nbytes / 2, nbytes - nbytes / 2);
	return (int64_t)total;
}
