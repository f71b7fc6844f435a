/* Atomics on far memory, of every width and order, and on private memory. */
#include <stdatomic.h>

#include <nearside/kernel.h>

static uint64_t exchange_all(far _Atomic(uint64_t) *words, uint64_t seed)
{
	uint64_t expected = atomic_load(&words[0]);
	bool swapped = atomic_compare_exchange_strong(&words[0], &expected, seed);
	expected++;
	bool failed = atomic_compare_exchange_strong(&words[0], &expected, seed + 1);
	return expected * 4 + swapped * 2 + failed + atomic_exchange(&words[1], seed);
}

NPROC_KERNEL int64_t atomics(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far uint8_t *bytes = memory;
	far uint16_t *halves = (far uint16_t *)(memory + 64);
	far uint32_t *words = (far uint32_t *)(memory + 128);
	far uint64_t *doubles = (far uint64_t *)(memory + 192);
	uint64_t hash = 0;
	for (unsigned i = 0; i < 8; i++) {
		hash = hash * 31 + __atomic_fetch_add(&bytes[i], 3, __ATOMIC_RELAXED);
		hash = hash * 31 + __atomic_fetch_sub(&halves[i], 500, __ATOMIC_ACQUIRE);
		hash = hash * 31 + __atomic_fetch_or(&words[i], 0x10101u, __ATOMIC_RELEASE);
		hash = hash * 31 + __atomic_fetch_xor(&doubles[i], seed, __ATOMIC_SEQ_CST);
		hash = hash * 31 + __atomic_exchange_n(&bytes[i + 8], (uint8_t)i, __ATOMIC_ACQ_REL);
		__atomic_store_n(&words[i + 8], (uint32_t)hash, __ATOMIC_RELEASE);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	hash += exchange_all((far _Atomic(uint64_t) *)(memory + nbytes - 64), seed);
	_Atomic uint32_t own = 5;
	atomic_fetch_add(&own, 7);
	nproc_yield();
	return (int64_t)(hash * 31 + own);
}
