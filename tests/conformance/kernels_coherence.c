/*
 * kernels_coherence.c - kernels that say what the host is to see of their stores, and what they
 * want to see of its.
 */
#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

NPROC_KERNEL int64_t refresh_far(const far uint8_t *bytes, uint64_t nbytes)
{
	nmem_refresh(bytes, nbytes);
	return 0;
}

NPROC_KERNEL int64_t publish_far(far uint8_t *bytes, uint64_t nbytes)
{
	nmem_publish(bytes, nbytes);
	return 0;
}

NPROC_KERNEL int64_t publish_read_only(const far uint8_t *bytes, uint64_t nbytes)
{
	nmem_publish(bytes, nbytes);
	return 0;
}

/* For each byte that it reads: all words must be one more than it left them. So it leaves them. */
NPROC_KERNEL int64_t pass_to_and_fro(far uint64_t *words, uint64_t count)
{
	uint64_t expected = 0, wrong = 0;
	char byte;

	while (npipe_read(0, &byte, 1) == 1) {
		nmem_refresh(words, count * sizeof *words);
		expected++;
		for (uint64_t i = 0; i < count; i++)
			wrong += words[i]++ != expected;
		expected++;
		nmem_publish(words, count * sizeof *words);
		npipe_write(1, &byte, 1);
	}
	return (int64_t)wrong;
}

/* Counts in the first word of each second line, each time for itself. */
NPROC_KERNEL int64_t count_in_odd_lines(far uint64_t *words, uint64_t lines, uint64_t times)
{
	nmem_refresh(words, lines * 64);
	for (uint64_t i = 0; i < times; i++) {
		for (uint64_t line = 1; line < lines; line += 2) {
			words[line * 8]++;
			nmem_publish(&words[line * 8], sizeof *words);
		}
		nproc_yield();
	}
	return 0;
}

/* Without a word to anybody. */
NPROC_KERNEL int64_t write_then_fault(far uint8_t *bytes, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i++)
		bytes[i] = 7;
	nproc_assert(nbytes == 0);
	return 0;
}
