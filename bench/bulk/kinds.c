/*
 * kinds.c - what messages are made of. Sums are exact, and each has a formula, so that a message
 * that was lost, repeated or torn is found without making it once more.
 */
#include "bench/bulk/bulk.h"

#include <string.h>

/* n (n - 1) / 2 */
static uint64_t up_to(uint64_t n)
{
	return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
}

/* ---- words: a counter -------------------------------------------------------------------------*/

static void make_words(void *bytes, size_t nbytes, size_t offset, uint64_t seed)
{
	uint64_t *words = bytes;

	for (size_t i = 0; i < nbytes / 8; i++)
		words[i] = seed + offset / 8 + i;
}

static uint64_t read_words(const void *bytes, size_t nbytes)
{
	const uint64_t *words = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < nbytes / 8; i++)
		sum += words[i];
	return sum;
}

static uint64_t sum_words(size_t nbytes, uint64_t seed)
{
	return seed * (nbytes / 8) + up_to(nbytes / 8);
}

/* ---- images: pixels of 32-bit floats, decoded from bytes ------------------------------------- */

static void make_images(void *bytes, size_t nbytes, size_t offset, uint64_t seed)
{
	const uint32_t first = (uint32_t)(offset / 4), light = (uint32_t)seed % 16;
	float *pixels = bytes;

	for (uint32_t i = 0; i < nbytes / 4; i++)
		pixels[i] = (float)(((first + i) * 7 & 255) + light);
}

static uint64_t read_images(const void *bytes, size_t nbytes)
{
	const float *pixels = bytes;
	uint64_t sum = 0;

	for (size_t from = 0; from < nbytes / 4; from += 4096) {
		const size_t count = nbytes / 4 - from < 4096 ? nbytes / 4 - from : 4096;
		uint32_t part = 0;

		for (size_t i = 0; i < count; i++)
			part += (uint32_t)(int32_t)pixels[from + i];
		sum += part;
	}
	return sum;
}

/* Images have whole rounds of the 256 values. */
static uint64_t sum_images(size_t nbytes, uint64_t seed)
{
	return nbytes / 4 / 256 * up_to(256) + nbytes / 4 * (seed % 16);
}

/* ---- tables: rows of four columns ------------------------------------------------------------ */

struct table_row {
	uint64_t key, value;
	double price;
	uint32_t group, flags;
};

static void make_tables(void *bytes, size_t nbytes, size_t offset, uint64_t seed)
{
	const uint64_t first = offset / sizeof(struct table_row);
	struct table_row *rows = bytes;

	for (uint64_t i = 0; i < nbytes / sizeof(*rows); i++)
		rows[i] = (struct table_row){
			seed + first + i, first + i, 2, (uint32_t)(first + i), (uint32_t)seed};
}

static uint64_t read_tables(const void *bytes, size_t nbytes)
{
	const struct table_row *rows = bytes;
	uint64_t sum = 0;
	double price = 0;

	for (size_t i = 0; i < nbytes / sizeof(*rows); i++) {
		sum += rows[i].key + rows[i].value + rows[i].group + rows[i].flags;
		price += rows[i].price;
	}
	return sum + (uint64_t)price;
}

static uint64_t sum_tables(size_t nbytes, uint64_t seed)
{
	const uint64_t rows = nbytes / sizeof(struct table_row);

	return 3 * up_to(rows) + 2 * seed * rows + 2 * rows;
}

/* ---- graph: results of a search, vertex and distance ----------------------------------------- */

struct found {
	uint32_t vertex, distance;
};

static void make_graph(void *bytes, size_t nbytes, size_t offset, uint64_t seed)
{
	const uint32_t first = (uint32_t)(offset / sizeof(struct found));
	struct found *found = bytes;

	for (uint32_t i = 0; i < nbytes / sizeof(*found); i++)
		found[i] = (struct found){first + i, (first + i) % 16 + (uint32_t)seed % 1024};
}

static uint64_t read_graph(const void *bytes, size_t nbytes)
{
	const struct found *found = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < nbytes / sizeof(*found); i++)
		sum += (uint64_t)found[i].vertex + found[i].distance;
	return sum;
}

static uint64_t sum_graph(size_t nbytes, uint64_t seed)
{
	const uint64_t count = nbytes / sizeof(struct found);

	return up_to(count) + count / 16 * up_to(16) + seed % 1024 * count;
}

/* ---- nothing but a word: what is left is the channel ----------------------------------------- */

static void make_word(void *bytes, size_t nbytes, size_t offset, uint64_t seed)
{
	(void)nbytes;
	(void)offset; /* such messages have one step */
	memcpy(bytes, &seed, sizeof seed);
}

static uint64_t read_word(const void *bytes, size_t nbytes)
{
	uint64_t word;

	(void)nbytes;
	memcpy(&word, bytes, sizeof word);
	return word;
}

static uint64_t sum_word(size_t nbytes, uint64_t seed)
{
	(void)nbytes;
	return seed;
}

/* ---- which ----------------------------------------------------------------------------------- */

static const struct bulk_kind kinds[] = {
	{"bulk-images", make_images, read_images, sum_images},
	{"bulk-tables", make_tables, read_tables, sum_tables},
	{"bulk-graph", make_graph, read_graph, sum_graph},
	{"bulk-ping", make_word, read_word, sum_word},
	{"bulk", make_words, read_words, sum_words}, /* all others */
};

const struct bulk_kind *bulk_kind_of(const struct bench_row *row)
{
	const struct bulk_kind *kind = kinds;

	while (strncmp(row->name, kind->name, strlen(kind->name)) != 0)
		kind++;
	return kind;
}
