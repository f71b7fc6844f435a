/* case 121: whatever lives across a wait is still there afterwards. */
#include <nearside/kernel.h>

struct state {
	uint64_t a, b;
	double d;
	uint8_t bytes[9];
};

static uint64_t read_byte(uint64_t otherwise)
{
	uint8_t byte;
	return npipe_read(0, &byte, 1) == 1 ? byte : otherwise;
}

static uint64_t deep(uint64_t x, int depth_marker)
{
	uint64_t y = x * 3, z = x ^ 0x5a5a;
	uint64_t got = read_byte(y);
	y += got * (uint64_t)depth_marker;
	nproc_yield();
	return y * 31 + z;
}

NPROC_KERNEL int64_t waits(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	struct state state = {.a = seed, .b = 7, .d = 0.5, .bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9}};
	uint64_t history[8] = {0};
	const uint8_t *cursor = state.bytes;
	far uint8_t *far_cursor = memory;
	float small = 1.25f;
	int8_t tiny = -3;
	bool flip = false;
	for (unsigned i = 0; i < 40; i++) {
		history[i % 8] = deep(state.a, (int)i);
		state.a += history[i % 8];
		nproc_yield();
		state.b ^= read_byte(i) << (i % 50);
		state.d += small;
		state.bytes[i % 9] += (uint8_t)state.b;
		cursor = flip ? state.bytes + i % 9 : cursor;
		far_cursor += 1 + *far_cursor % 16;
		*far_cursor ^= *cursor;
		nproc_yield();
		tiny = (int8_t)(tiny * 5 + 1);
		flip = !flip;
		small = small * 1.5f - (float)tiny;
	}
	uint64_t hash = state.a * 31 + state.b + (uint64_t)(far_cursor - memory) + nbytes;
	for (unsigned i = 0; i < 8; i++)
		hash = hash * 31 + history[i] + state.bytes[i];
	npipe_write(1, &state.d, sizeof state.d);
	npipe_write(1, &small, sizeof small);
	npipe_write(1, &flip, sizeof flip);
	return (int64_t)hash;
}
