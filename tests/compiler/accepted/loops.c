/* Every kind of loop, over far memory, with waits inside and outside. */
#include <nearside/kernel.h>

static uint64_t sum_words(const far uint64_t *words, uint64_t count)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i++)
		sum += words[i];
	return sum;
}

static uint64_t until_found(const far uint8_t *bytes, uint64_t nbytes, uint8_t wanted)
{
	uint64_t i = 0;
	while (i < nbytes && bytes[i] != wanted)
		i++;
	return i;
}

static uint64_t backwards(far uint32_t *words, uint64_t count)
{
	uint64_t changed = 0;
	for (uint64_t i = count; i-- > 0;) {
		if (words[i] % 3 == 0)
			continue;
		words[i] = words[i] * 5 + 1;
		changed++;
		if (changed == 1000)
			break;
	}
	return changed;
}

static uint64_t nested(const far uint16_t *cells, uint64_t count)
{
	uint64_t most = 0;
	for (uint64_t i = 0; i + 8 <= count; i += 8) {
		for (uint64_t j = 0; j < 8; j++) {
			for (uint64_t k = j; k < 8; k += 3) {
				if (cells[i + j] == cells[i + k] + 1)
					goto next_block;
				most = cells[i + k] > most ? cells[i + k] : most;
			}
		}
	next_block:;
	}
	return most;
}

/* A loop with two entries. */
static uint64_t irreducible(uint64_t n, uint64_t start_inside)
{
	uint64_t steps = 0;
	if (start_inside)
		goto inside;
	do {
		steps += 2;
	inside:
		steps = steps * 3 + n;
		n -= n > 0;
	} while (n > 0);
	return steps;
}

NPROC_KERNEL int64_t loops(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t results[6] = {
		sum_words((const far uint64_t *)memory, nbytes / 8),
		until_found(memory, nbytes, (uint8_t)seed),
		backwards((far uint32_t *)memory, nbytes / 4),
		nested((const far uint16_t *)memory, nbytes / 2),
		irreducible(seed, seed & 1),
	};
	uint8_t byte;
	do {
		if (npipe_read(0, &byte, 1) <= 0)
			break;
		results[5] = results[5] * 31 + byte;
	} while (results[5] % 97 != 0);
	for (int i = 0; i < 6; i++)
		npipe_write(1, &results[i], sizeof results[i]);
	return (int64_t)results[5];
}
