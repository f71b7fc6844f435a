#include <immintrin.h>
#include <nearside/kernel.h>

NPROC_KERNEL int64_t crc(uint32_t a, uint8_t b)
{
	__m128i x = _mm_set1_epi32((int)a);
	x = _mm_madd_epi16(x, x);
	return _mm_cvtsi128_si32(x) + b + (int64_t)__builtin_ia32_rdtsc();
}

// expect: 6:14: error: attribute 'target' is for one instruction set, but the same kernel runs on several (in '_mm_set1_epi32', which a system header defines)
// expect: note: leave it out: the image holds code for AVX2 beside the plain one
// expect: 7:6: error: attribute 'target' is for one instruction set, but the same kernel runs on several (in '_mm_madd_epi16', which a system header defines)
// expect: note: leave it out: the image holds code for AVX2 beside the plain one
// expect: 8:9: error: attribute 'target' is for one instruction set, but the same kernel runs on several (in '_mm_cvtsi128_si32', which a system header defines)
// expect: note: leave it out: the image holds code for AVX2 beside the plain one
// expect: 8:45: error: '__builtin_ia32_rdtsc' exists for one instruction set only
// expect: note: write plain C: nprocc makes code for x86-64 and riscv64, and vectorises loops itself
