/* caches.c - cache operations of x86-64 processors, by what they have. */
#include "host/caches.h"

#include <stddef.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <emmintrin.h>
#include <immintrin.h>

enum {
	HAS_CLFLUSHOPT = 1 << 23, /* leaf 7, ebx */
	HAS_CLWB = 1 << 24,
};

/* Write back, and keep. */
__attribute__((target("clwb"))) static void publish_by_clwb(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	_mm_clwb((void *)(uintptr_t)line);
	_mm_sfence();
}

__attribute__((target("clflushopt"))) static void publish_by_clflushopt(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	_mm_clflushopt((void *)(uintptr_t)line);
	_mm_sfence();
}

/* In the order of the stores; the fence is for loads and stores behind. */
static void flush_by_clflush(const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	_mm_clflush((void *)(uintptr_t)line);
	_mm_mfence();
}

/* No load before the fence, and none that was begun early, takes a line that was there before. */
__attribute__((target("clflushopt"))) static void refresh_by_clflushopt(
	const struct nchan_caches *caches, const void *bytes, uint64_t nbytes)
{
	(void)caches;
	_mm_mfence();
	NCHAN_FOR_EACH_LINE(line, bytes, nbytes)
	_mm_clflushopt((void *)(uintptr_t)line);
	_mm_mfence();
}

const struct nchan_caches *nhost_caches_of_processor(void)
{
	static const struct nchan_caches by_clwb = {publish_by_clwb, refresh_by_clflushopt};
	static const struct nchan_caches by_clflushopt = {
		publish_by_clflushopt, refresh_by_clflushopt};
	static const struct nchan_caches by_clflush = {flush_by_clflush, flush_by_clflush};
	unsigned eax, ebx = 0, ecx, edx;

	__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
	if (!(ebx & HAS_CLFLUSHOPT))
		return &by_clflush;
	return ebx & HAS_CLWB ? &by_clwb : &by_clflushopt;
}

#else

const struct nchan_caches *nhost_caches_of_processor(void)
{
	return NULL;
}

#endif
