/* Copies between far and scratch memory: what was got, worked on and put again is what it would be in place. */
#include <nearside/kernel.h>

enum {
	HALF = 96
};

static uint64_t sum(const uint8_t *bytes, uint64_t nbytes)
{
	uint64_t total = 0;
	for (uint64_t i = 0; i < nbytes; i++)
		total = total * 7 + bytes[i];
	return total;
}

/* A variable of its own wherever it is called. */
static uint64_t reversed(far uint8_t *bytes)
{
	NPROC_SCRATCH uint8_t forth[64];
	NPROC_SCRATCH uint8_t back[64];
	nmem_wait(nmem_get(forth, bytes, sizeof forth));
	for (unsigned i = 0; i < sizeof back; i++)
		back[i] = forth[sizeof forth - 1 - i];
	uint64_t total = sum(back, sizeof back);
	nmem_wait(nmem_put(bytes, back, sizeof back));
	return total;
}

NPROC_KERNEL int64_t copies(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	NPROC_SCRATCH uint8_t buffer[2][HALF];
	NPROC_SCRATCH struct {
		uint64_t first, last;
	} notes;
	uint64_t total = seed;
	int copy[2] = {nmem_get(buffer[0], memory, HALF), 0};
	for (unsigned at = 0; at < 4; at++) {
		uint8_t *now = buffer[at % 2];
		if (at < 3)
			copy[(at + 1) % 2] = nmem_get(
				buffer[(at + 1) % 2], memory + (at + 1) * HALF, HALF);
		nmem_wait(copy[at % 2]);
		total = total * 31 + sum(now, HALF);
		if (at == 0)
			notes.first = total;
		notes.last = total;
		nproc_yield();
	}
	total ^= reversed(memory + nbytes - 64) + reversed(memory);
	uint8_t *either = total & 1 ? buffer[0] : buffer[1];
	either[seed % HALF] = (uint8_t)total;
	nmem_wait(nmem_put(memory + 128, either, HALF));
	nmem_put(memory + 256, &notes, sizeof notes); /* done when the process has ended */
	nmem_wait(-3 + (nmem_wait(-7) == -7 ? 2 : 0));
	return (int64_t)(total + notes.first + memory[130]);
}
