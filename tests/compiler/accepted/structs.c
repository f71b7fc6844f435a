/* Structs by value, in far memory, inside each other; unions; bit fields; copies between both memories. */
#include <nearside/kernel.h>

struct point {
	int32_t x, y;
};

struct box {
	struct point low, high;
	uint8_t name[5];
	double weight;
};

union word {
	uint64_t whole;
	uint8_t bytes[8];
	struct {
		uint32_t low, high;
	} halves;
};

struct flags {
	unsigned long long kind : 3; /* 64 bits in all: padding would hold anything */
	signed long long level : 5;
	unsigned long long rest : 17;
	unsigned long long wide : 39;
};

static struct point middle(struct point a, struct point b)
{
	return (struct point){(int32_t)(((int64_t)a.x + b.x) / 2), (int32_t)(((int64_t)a.y + b.y) / 2)};
}

static struct box grown(struct box box, int32_t by)
{
	box.low.x -= by & 0xff;
	box.high.y += by & 0xff;
	box.name[by & 3]++;
	box.weight = by;
	return box;
}

static int64_t boxes(far struct box *all, uint64_t count)
{
	int64_t total = 0;
	for (uint64_t i = 0; i + 1 < count; i++) {
		all[i].low = (struct point){(int32_t)i, -(int32_t)i};
		all[i].high = middle(all[i].low, (struct point){100, 200});
		struct box copy = all[i];
		copy = grown(copy, (int32_t)i);
		all[i + 1] = copy;
		all[i] = all[i + 1];
		total += copy.low.x * 3 + copy.high.y + copy.name[i & 3];
	}
	return total;
}

static uint64_t unions(uint64_t seed)
{
	union word word = {.whole = seed * 0x9e3779b97f4a7c15ull};
	for (int i = 0; i < 4; i++) {
		uint8_t byte = word.bytes[i];
		word.bytes[i] = word.bytes[7 - i];
		word.bytes[7 - i] = byte;
	}
	word.halves.low ^= word.halves.high;
	return word.whole;
}

static uint64_t bit_fields(far struct flags *far_flags, uint64_t seed)
{
	struct flags flags = {.kind = 5, .level = -3, .rest = 70000, .wide = seed << 7};
	flags.level++;
	*far_flags = flags;
	far_flags->kind = 2;
	far_flags->wide += 3;
	return (uint64_t)(far_flags->level + 100) * 7 + far_flags->rest + far_flags->wide + flags.kind;
}

NPROC_KERNEL int64_t structs(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t results[3] = {
		(uint64_t)boxes((far struct box *)memory, nbytes / sizeof(struct box)),
		unions(seed),
		bit_fields((far struct flags *)(memory + nbytes - 64), seed),
	};
	npipe_write(1, results, sizeof results);
	return (int64_t)(results[0] ^ results[1] ^ results[2]);
}
