/* case 106: loops that the optimiser makes into memcpy, memset or memmove, and the calls themselves. */
#include <string.h>

#include <nearside/kernel.h>

struct record {
	uint64_t id;
	uint8_t body[41];
};

static void clear(far uint8_t *to, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i++)
		to[i] = 0;
}

static void fill(far uint32_t *to, uint64_t count, uint32_t value)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = value;
}

static void copy(far uint8_t *to, const far uint8_t *from, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i++)
		to[i] = from[i];
}

static void shift_down(far uint8_t *bytes, uint64_t nbytes, uint64_t by)
{
	for (uint64_t i = 0; i + by < nbytes; i++)
		bytes[i] = bytes[i + by];
}

static void shift_up(far uint8_t *bytes, uint64_t nbytes, uint64_t by)
{
	for (uint64_t i = nbytes; i-- > by;)
		bytes[i] = bytes[i - by];
}

static uint64_t through_private(far uint8_t *memory, uint64_t seed)
{
	uint8_t buffer[200];
	uint8_t other[200];
	for (unsigned i = 0; i < sizeof buffer; i++)
		buffer[i] = memory[i];
	memcpy(other, buffer, seed % 200);
	memset(other + seed % 200, 7, sizeof other - seed % 200);
	memmove(other + 3, other, seed % 190);
	for (unsigned i = 0; i < sizeof other; i++)
		memory[i + 300] = other[i];
	struct record record = *(far struct record *)(memory + 512);
	record.id += buffer[1];
	*(far struct record *)(memory + 640) = record;
	return record.id + other[5];
}

NPROC_KERNEL int64_t idioms(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t hash = through_private(memory, seed);
	clear(memory + 800, seed % 70);
	fill((far uint32_t *)(memory + 896), seed % 30 + 1, 0xabcd0123u);
	copy(memory + 1200, memory + 100, 333);
	shift_down(memory + 1536, 256, seed % 9 + 1);
	shift_up(memory + 1800, 256, seed % 9 + 1);
	copy(memory + nbytes / 2, memory, nbytes / 2 - seed % 5);
	fill((far uint32_t *)(memory + nbytes - 64), 16, (uint32_t)hash);
	return (int64_t)hash;
}
