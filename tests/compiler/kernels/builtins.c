/* Builtins that gcc does not have. The exit code names the first check that fails. */
#include <nearside/kernel.h>

#define CHECK(condition)               \
	do {                           \
		checks++;              \
		if (!(condition))      \
			return checks; \
	} while (0)

typedef int32_t four __attribute__((ext_vector_type(4)));
typedef float reals __attribute__((ext_vector_type(4)));

static int64_t bits(uint64_t zero)
{
	int64_t checks = 0;
	CHECK(__builtin_rotateleft32(0x80000001u + (uint32_t)zero, 1) == 3);
	CHECK(__builtin_rotateright64(1 + zero, 1) == 1ull << 63);
	CHECK(__builtin_bitreverse8((uint8_t)(1 + zero)) == 128);
	CHECK(__builtin_bitreverse64(1 + zero) == 1ull << 63);
	CHECK(__builtin_clrsbll((long long)zero) == 63);
	CHECK(__builtin_isnan((double)zero / (double)zero));
	CHECK(__builtin_fpclassify(1, 2, 3, 4, 5, (double)zero) == 5);
	CHECK(__builtin_is_aligned(zero + 64, 32));
	return 0;
}

static int64_t of_vectors(uint64_t zero)
{
	int64_t checks = 0;
	four a = {1, -2, 3, (int32_t)zero}, b = {5, 5, 2, 2};
	CHECK(__builtin_reduce_add(a) == 2);
	CHECK(__builtin_reduce_max(a) == 3);
	CHECK(__builtin_reduce_add(__builtin_elementwise_abs(a)) == 6);
	CHECK(__builtin_reduce_add(__builtin_elementwise_min(a, b)) == 1);
	reals r = __builtin_convertvector(b, reals);
	CHECK(r.x + r.w == 7);
	CHECK(__builtin_shufflevector(a, b, 0, 5, 2, 7).y == 5);
	return 0;
}

static int64_t of_pointers(far uint64_t *words, uint64_t zero)
{
	int64_t checks = 0;
	uint8_t bytes[64] = {[16] = 9, [32] = 7};
	_Alignas(32) uint8_t aligned[64] = {[32] = 3};
	uint8_t *up = __builtin_align_up(aligned + 1 + zero, 32);
	CHECK(*up == 3);
	CHECK(*__builtin_align_down(aligned + 40 + zero, 32) == 3);
	CHECK(bytes[16 + zero] == 9);
	far uint64_t *far_up = __builtin_align_up(words + 1, 64);
	CHECK(far_up == words + 8);
	__builtin_prefetch(words + 100000);
	__builtin_prefetch(bytes + zero);
	__builtin_nontemporal_store(77, words + 3);
	CHECK(__builtin_nontemporal_load(words + 3) == 77);
	far uint8_t *forged = __builtin_align_down((far uint8_t *)words + 100, 64);
	*forged = 5;
	CHECK(words[8] == 5);
	return 0;
}

NPROC_KERNEL int64_t clang_builtins(far uint64_t *words, uint64_t zero)
{
	int64_t failed = bits(zero);
	if (failed)
		return failed;
	failed = of_vectors(zero);
	if (failed)
		return 100 + failed;
	failed = of_pointers(words, zero);
	return failed ? 200 + failed : 0;
}

NPROC_KERNEL int64_t misaligned_up(uint64_t by)
{
	_Alignas(32) uint8_t aligned[64] = {1};
	nproc_yield();
	return *__builtin_align_up(aligned + by, 32);
}
