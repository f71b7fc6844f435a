/*
 * cache_model.c - a cache that a program has for a region, in software.
 *
 * For each line there are its copy, which the program loads and stores as it likes, the memory, and
 * `clean`: what the copy was when it last went to memory or came from there. Two moves make up
 * everything:
 *
 *     write_back()  copy to memory          publish, and by chance if the copy is not clean
 *     fetch()       memory to copy          refresh, behind a write_back() if it is not clean;
 *                                           and by chance if it is clean
 *
 * The program stores into the copy meanwhile, by plain stores. So a fetch replaces a word only by
 * compare and swap against what was clean: a store that comes in between stays, and makes the line
 * changed. A line moves with its last word first (loads) and last (stores), because that is where
 * lines that tell by themselves have their head: who sees a new one sees the whole line.
 *
 * One thread at a time moves a line, by a lock for some lines. Sanitizers are not told of these
 * loads and stores, which take no part in the program's own order.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/caches.h"

#if defined(__clang__)
#define UNSEEN __attribute__((disable_sanitizer_instrumentation))
#else
#define UNSEEN __attribute__((no_sanitize("thread", "address")))
#endif

enum {
	LINE = NCHAN_LINE_BYTES,
	WORDS = LINE / sizeof(uint64_t),
	LOCKS = 64,
	ODDS = 8, /* in one of so many operations a line goes by chance, in another one comes */
	RUN = 16, /* lines in a row that are looked at then */
};

struct nhost_cache {
	struct nchan_caches operations;
	char *copy, *memory, *clean;
	uint64_t nbytes;
	uint64_t used;        /* lines from the start that any operation was about */
	uint64_t seed, count; /* of chance, and how often it was asked */
	uint32_t locks[LOCKS];
};

struct line {
	uint64_t *copy, *memory, *clean;
};

/* ---- one line -------------------------------------------------------------------------------- */

UNSEEN static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

UNSEEN static void store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

UNSEEN static void load_line(const uint64_t *line, uint64_t *words)
{
	for (unsigned i = WORDS; i-- > 0;)
		words[i] = load(&line[i]);
}

UNSEEN static void store_line(uint64_t *line, const uint64_t *words)
{
	for (unsigned i = 0; i < WORDS; i++)
		store(&line[i], words[i]);
}

UNSEEN static bool is_clean(const struct line *line)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (load(&line->copy[i]) != load(&line->clean[i]))
			return false;
	return true;
}

UNSEEN static void write_back(const struct line *line)
{
	uint64_t words[WORDS];

	load_line(line->copy, words);
	store_line(line->memory, words);
	store_line(line->clean, words);
}

UNSEEN static void fetch(const struct line *line)
{
	uint64_t words[WORDS];

	load_line(line->memory, words);
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t clean = load(&line->clean[i]);

		if (words[i] == clean)
			continue;
		__atomic_compare_exchange_n(&line->copy[i], &clean, words[i], false,
			__ATOMIC_RELEASE, __ATOMIC_RELAXED);
		store(&line->clean[i], words[i]);
	}
}

enum move {
	PUBLISH,
	REFRESH,
	GO_BY_CHANCE,
	COME_BY_CHANCE,
};

UNSEEN static void lock(uint32_t *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

UNSEEN static void unlock(uint32_t *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

UNSEEN static void move(struct nhost_cache *cache, uint64_t index, enum move move)
{
	uint64_t offset = index * LINE;
	const struct line line = {(void *)(cache->copy + offset), (void *)(cache->memory + offset),
		(void *)(cache->clean + offset)};

	lock(&cache->locks[index % LOCKS]);
	if (move == PUBLISH || (move != COME_BY_CHANCE && !is_clean(&line)))
		write_back(&line);
	if (move == REFRESH || (move == COME_BY_CHANCE && is_clean(&line)))
		fetch(&line);
	unlock(&cache->locks[index % LOCKS]);
}

/* ---- chance ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t number)
{
	number *= 0x9e3779b97f4a7c15;
	return number ^ number >> 29;
}

static uint64_t random_number(struct nhost_cache *cache)
{
	uint64_t number = __atomic_fetch_add(&cache->count, 1, __ATOMIC_RELAXED) + cache->seed;

	return mix(mix(number));
}

static void move_by_chance(struct nhost_cache *cache)
{
	uint64_t number = random_number(cache);
	uint64_t used = __atomic_load_n(&cache->used, __ATOMIC_RELAXED);
	uint64_t first = (number >> 8) % used;
	enum move chosen = number % ODDS ? COME_BY_CHANCE : GO_BY_CHANCE;

	if (number % ODDS > 1)
		return;
	for (uint64_t index = first; index < used && index < first + RUN; index++)
		move(cache, index, chosen);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void note_use(struct nhost_cache *cache, uint64_t end)
{
	uint64_t used = __atomic_load_n(&cache->used, __ATOMIC_RELAXED);

	while (used < end && !__atomic_compare_exchange_n(&cache->used, &used, end, true,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void operate(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes, enum move chosen)
{
	struct nhost_cache *cache = (struct nhost_cache *)(uintptr_t)caches;
	uint64_t offset = (uint64_t)((const char *)bytes - cache->copy);
	uint64_t first = offset / LINE, end = (offset + nbytes + LINE - 1) / LINE;

	if (!nbytes || offset >= cache->nbytes || nbytes > cache->nbytes - offset)
		return;
	note_use(cache, end);
	if (cache->seed)
		move_by_chance(cache);
	for (uint64_t index = first; index < end; index++)
		move(cache, index, chosen);
}

static void publish(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	operate(caches, bytes, nbytes, PUBLISH);
}

static void refresh(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	operate(caches, bytes, nbytes, REFRESH);
}

int nhost_cache_create(void *memory, void *copy, uint64_t nbytes, uint64_t known, uint32_t seed,
	struct nhost_cache **cache, struct nhost_error *error)
{
	struct nhost_cache *new = calloc(1, sizeof(*new));
	void *clean = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*cache = new;
	if (!new || clean == MAP_FAILED) {
		if (clean != MAP_FAILED)
			munmap(clean, nbytes);
		free(new);
		*cache = NULL;
		return nhost_fail(error, ENOMEM,
			"no memory for a modelled cache of %" PRIu64 " bytes (ulimit -v)", nbytes);
	}
	*new = (struct nhost_cache){
		.operations = {publish, refresh},
		.copy = copy,
		.memory = memory,
		.clean = clean,
		.nbytes = nbytes,
		.seed = mix(seed),
	};
	madvise(clean, nbytes, MADV_DONTFORK);
	refresh(&new->operations, copy, known);
	return 0;
}

const struct nchan_caches *nhost_cache_operations(const struct nhost_cache *cache)
{
	return &cache->operations;
}

void nhost_cache_destroy(struct nhost_cache *cache)
{
	if (!cache)
		return;
	munmap(cache->clean, cache->nbytes);
	free(cache);
}
