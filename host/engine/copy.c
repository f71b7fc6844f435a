/*
 * copy.c - a copy by the calling processor: libc's, or one whose stores go past the cache. Which
 * one is faster for long copies depends on the machine, so it is measured, once, in some ms.
 */
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/engine/parts.h"
#include "host/wait.h"

enum {
	LINE = 64,
	AHEAD = 8 * LINE, /* of the loads */
	/* Measured: copies of so many bytes and their doubles, short enough not to be felt. */
	SAMPLE_MIN = 1024 * 1024,
	SAMPLE_MAX = 4 * 1024 * 1024,
	ROUNDS = 4,             /* the first one finds nothing in the cache */
	STREAM_MIN = 64 * 1024, /* what is shorter hurts nobody in the cache */
	/* Virtual machines are told of caches that they share with others: no more is believed. */
	STREAM_MAX = 16 * 1024 * 1024,
	HUGE_PAGE = 2 * 1024 * 1024,
	CACHE_GUESS = 16 * 1024 * 1024,
};

/* ---- past the cache -------------------------------------------------------------------------- */

__attribute__((target("avx"))) static void stream_lines_avx(
	char *to, const char *from, size_t nbytes)
{
	for (size_t at = 0; at < nbytes; at += LINE) {
		__m256i low, high;

		_mm_prefetch(from + at + AHEAD, _MM_HINT_NTA);
		low = _mm256_loadu_si256((const __m256i *)(const void *)(from + at));
		high = _mm256_loadu_si256((const __m256i *)(const void *)(from + at + LINE / 2));
		_mm256_stream_si256((__m256i *)(void *)(to + at), low);
		_mm256_stream_si256((__m256i *)(void *)(to + at + LINE / 2), high);
	}
}

static void stream_lines_sse(char *to, const char *from, size_t nbytes)
{
	for (size_t at = 0; at < nbytes; at += 16) {
		__m128i part = _mm_loadu_si128((const __m128i *)(const void *)(from + at));

		_mm_stream_si128((__m128i *)(void *)(to + at), part);
	}
}

/* No overlap. */
static void stream(char *to, const char *from, size_t nbytes)
{
	size_t head = -(uintptr_t)to % LINE, lines;

	if (nbytes < head + LINE) {
		memcpy(to, from, nbytes);
		return;
	}
	lines = (nbytes - head) / LINE * LINE;
	memcpy(to, from, head);
	if (__builtin_cpu_supports("avx"))
		stream_lines_avx(to + head, from + head, lines);
	else
		stream_lines_sse(to + head, from + head, lines);
	memcpy(to + head + lines, from + head + lines, nbytes - head - lines);
	/* Such stores are ordered with no others but by this. */
	_mm_sfence();
}

/* ---- which way ------------------------------------------------------------------------------- */

static struct nhost_copy_facts facts;

static size_t cache_nbytes(void)
{
	long nbytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

	return nbytes > 0 ? (size_t)nbytes : CACHE_GUESS;
}

static double rate(char *to, const char *from, size_t nbytes, bool is_stream)
{
	int64_t best = INT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		int64_t began = nhost_clock_ns(), took;

		if (is_stream)
			stream(to, from, nbytes);
		else
			memcpy(to, from, nbytes);
		took = nhost_clock_ns() - began;
		best = took < best ? took : best;
	}
	return (double)nbytes / (double)(best ? best : 1);
}

/* From the first size on where stores past the cache win clearly, though the sample might fit. */
static void measure_in(char *memory)
{
	for (size_t nbytes = SAMPLE_MIN; nbytes <= SAMPLE_MAX; nbytes *= 2) {
		facts.libc_gb_s = rate(memory + SAMPLE_MAX, memory, nbytes, false);
		facts.stream_gb_s = rate(memory + SAMPLE_MAX, memory, nbytes, true);
		facts.sample_nbytes = nbytes;
		if (facts.stream_gb_s > facts.libc_gb_s * 1.25) {
			facts.stream_from = nbytes;
			return;
		}
	}
}

static void measure(void)
{
	const size_t nbytes = (size_t)2 * SAMPLE_MAX + HUGE_PAGE;
	char *memory =
		mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *aligned = memory + -(uintptr_t)memory % HUGE_PAGE;

	facts.cache_nbytes = cache_nbytes();
	/* A longer copy would leave nothing of what others have in the cache. */
	facts.lasts_nbytes =
		facts.cache_nbytes / 2 < STREAM_MAX ? facts.cache_nbytes / 2 : STREAM_MAX;
	facts.stream_from = facts.lasts_nbytes;
	facts.crc_method = crc32c_method();
	if (memory == MAP_FAILED)
		return;
	/* With small pages it would be their look-up that is measured. */
	madvise(aligned, (size_t)2 * SAMPLE_MAX, MADV_HUGEPAGE);
	memset(aligned, 1, (size_t)2 * SAMPLE_MAX);
	measure_in(aligned);
	munmap(memory, nbytes);
}

const struct nhost_copy_facts *nhost_copy_facts(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, measure);
	return &facts;
}

static bool goes_past_the_cache(size_t nbytes, enum nhost_near near)
{
	if (near != NHOST_NEAR_BY_SIZE)
		return near == NHOST_IN_MEMORY && nbytes >= STREAM_MIN;
	return nbytes >= SAMPLE_MIN && nbytes >= nhost_copy_facts()->stream_from;
}

void nhost_copy(void *to, const void *from, size_t nbytes, enum nhost_near near)
{
	if (goes_past_the_cache(nbytes, near) && !ranges_overlap(to, from, nbytes))
		stream(to, from, nbytes);
	else
		memmove(to, from, nbytes);
}
