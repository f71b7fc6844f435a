/* sample_kernels.c - what row_compile.c compiles: kernels such as programs have. */
#include <errno.h>

#include <nearside/kernel.h>

/* ---- scans ---- */

NPROC_KERNEL int64_t count(const far uint64_t *keys, uint64_t nkeys)
{
	uint64_t key;

	while (npipe_read_full(0, &key, sizeof key) == sizeof key) {
		uint64_t hits = 0;

		for (uint64_t i = 0; i < nkeys; i++)
			hits += keys[i] == key;
		npipe_write(1, &hits, sizeof hits);
	}
	return 0;
}

struct range {
	uint64_t first, last;
};

struct summary {
	uint64_t count, sum, least, most;
};

static struct summary summarise(const far uint64_t *values, struct range range)
{
	struct summary summary = {0, 0, UINT64_MAX, 0};

	for (uint64_t i = range.first; i < range.last; i++) {
		uint64_t value = values[i];

		summary.count++;
		summary.sum += value;
		if (value < summary.least)
			summary.least = value;
		if (value > summary.most)
			summary.most = value;
	}
	return summary;
}

NPROC_KERNEL int64_t summaries(const far uint64_t *values, uint64_t count_of_values)
{
	struct range range;
	int64_t answered = 0;

	while (npipe_read_full(0, &range, sizeof range) == sizeof range) {
		struct summary summary = {0, 0, 0, 0};

		if (range.first <= range.last && range.last <= count_of_values)
			summary = summarise(values, range);
		npipe_write(1, &summary, sizeof summary);
		answered++;
	}
	return answered;
}

NPROC_KERNEL int64_t histogram(const far uint8_t *bytes, uint64_t nbytes, far uint64_t *totals)
{
	uint32_t counts[256] = {0};

	for (uint64_t i = 0; i < nbytes; i++)
		counts[bytes[i]]++;
	for (unsigned i = 0; i < 256; i++)
		totals[i] += counts[i];
	return 0;
}

/* ---- linked structures ---- */

struct node {
	far struct node *next;
	uint64_t key, value;
};

NPROC_KERNEL int64_t find(const far struct node *list)
{
	uint64_t key;

	while (npipe_read_full(0, &key, sizeof key) == sizeof key) {
		const far struct node *node = list;
		uint64_t value = 0;

		while (node && node->key != key)
			node = node->next;
		if (node)
			value = node->value;
		npipe_write(1, &value, sizeof value);
	}
	return 0;
}

static uint64_t hash(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccd;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53;
	return key ^ key >> 33;
}

struct slot {
	uint64_t key, value;
};

static int64_t insert(far struct slot *slots, uint64_t mask, struct slot new)
{
	for (uint64_t i = hash(new.key), tries = 0; tries <= mask; i++, tries++) {
		far struct slot *slot = &slots[i & mask];

		if (slot->key && slot->key != new.key)
			continue;
		*slot = new;
		return 0;
	}
	return -ENOSPC;
}

NPROC_KERNEL int64_t table(far struct slot *slots, uint64_t mask)
{
	struct slot slot;

	nproc_assert((mask & (mask + 1)) == 0);
	while (npipe_read_full(0, &slot, sizeof slot) == sizeof slot) {
		int64_t error = slot.key ? insert(slots, mask, slot) : -EINVAL;

		if (error)
			nproc_log("key %u: error %d", (unsigned)slot.key, (int)error);
		npipe_write(1, &error, sizeof error);
	}
	return 0;
}

/* ---- graphs ---- */

struct level {
	const far uint64_t *offsets;
	const far uint32_t *neighbours;
	far uint32_t *depths;
	uint32_t depth;
};

static uint64_t visit(const struct level *level, uint32_t vertex)
{
	uint64_t found = 0;

	for (uint64_t i = level->offsets[vertex]; i < level->offsets[vertex + 1]; i++) {
		uint32_t other = level->neighbours[i];

		if (level->depths[other] != UINT32_MAX)
			continue;
		level->depths[other] = level->depth + 1;
		found++;
	}
	return found;
}

NPROC_KERNEL int64_t expand(const far uint64_t *offsets, const far uint32_t *neighbours,
	far uint32_t *depths, uint32_t vertices)
{
	struct level level = {offsets, neighbours, depths, 0};

	while (npipe_read_full(0, &level.depth, sizeof level.depth) == sizeof level.depth) {
		uint64_t found = 0;

		for (uint32_t vertex = 0; vertex < vertices; vertex++) {
			if (depths[vertex] == level.depth)
				found += visit(&level, vertex);
			if (vertex % 4096 == 4095)
				nproc_yield();
		}
		npipe_write(1, &found, sizeof found);
	}
	return 0;
}

/* ---- numbers ---- */

NPROC_KERNEL int64_t multiply(const far float *matrix, const far float *vector, far float *result,
	uint32_t rows, uint32_t columns)
{
	for (uint32_t row = 0; row < rows; row++) {
		float sum = 0;

		for (uint32_t column = 0; column < columns; column++)
			sum += matrix[(uint64_t)row * columns + column] * vector[column];
		result[row] = sum;
	}
	return 0;
}

/* Sorts what comes, by sixteen, and sends it on. */
NPROC_KERNEL int64_t sorter(void)
{
	int32_t values[16];
	ssize_t nbytes;

	while ((nbytes = npipe_read_full(0, values, sizeof values)) > 0) {
		int count_of_values = (int)((size_t)nbytes / sizeof values[0]);

		for (int i = 1; i < count_of_values; i++) {
			int32_t value = values[i];
			int j = i;

			for (; j > 0 && values[j - 1] > value; j--)
				values[j] = values[j - 1];
			values[j] = value;
		}
		npipe_write(1, values, (size_t)nbytes);
	}
	return 0;
}
