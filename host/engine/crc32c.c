/*
 * crc32c.c - CRC32C (RFC 3720). One crc32 instruction takes 3 cycles and each may start in the next
 * one, so three parts of a block go side by side and are put together by a multiplication.
 */
#include <immintrin.h>
#include <string.h>

#include "host/engine/parts.h"

static const uint32_t polynomial = 0x82f63b78; /* bit-reversed */

/*
 * Bytes of one of three parts, and what moves a CRC over so many bytes (or two times so many):
 * x^(8 * n - 33) modulo the polynomial, bit-reversed; a product of two such numbers is one bit
 * short of 64, and the crc32 instruction that reduces it multiplies by x^32.
 */
enum {
	PART = 1024,
};

static const uint32_t over_one_part = 0x170076fa;
static const uint32_t over_two_parts = 0xa51b6135;

typedef uint32_t crc_function(uint32_t crc, const unsigned char *at, size_t nbytes);

/* Four bits at a time. */
static uint32_t crc_plain(uint32_t crc, const unsigned char *at, size_t nbytes)
{
	uint32_t table[16];

	for (uint32_t i = 0; i < 16; i++) {
		table[i] = i;
		for (int bit = 0; bit < 4; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
	}
	while (nbytes--) {
		crc ^= *at++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

static inline uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

__attribute__((target("sse4.2,pclmul"))) static inline uint64_t move_over(
	uint64_t crc, uint32_t factor)
{
	__m128i product = _mm_clmulepi64_si128(
		_mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi32_si128((int)factor), 0);

	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t crc_instruction(
	uint32_t crc, const unsigned char *at, size_t nbytes)
{
	uint64_t a = crc;

	for (; nbytes >= 3 * PART; at += 3 * PART, nbytes -= 3 * PART) {
		uint64_t b = 0, c = 0;

		for (size_t i = 0; i < PART; i += 8) {
			a = _mm_crc32_u64(a, word_at(at + i));
			b = _mm_crc32_u64(b, word_at(at + PART + i));
			c = _mm_crc32_u64(c, word_at(at + (size_t)2 * PART + i));
		}
		a = move_over(a, over_two_parts) ^ move_over(b, over_one_part) ^ c;
	}
	for (; nbytes >= 8; at += 8, nbytes -= 8)
		a = _mm_crc32_u64(a, word_at(at));
	for (; nbytes; at++, nbytes--)
		a = _mm_crc32_u8((uint32_t)a, *at);
	return (uint32_t)a;
}

static bool has_instruction(void)
{
	return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

const char *crc32c_method(void)
{
	return has_instruction() ? "SSE4.2, three parts side by side" : "a table";
}

uint32_t nhost_crc32c(uint32_t seed, const void *from, size_t nbytes)
{
	crc_function *crc = has_instruction() ? crc_instruction : crc_plain;

	return ~crc(~seed, from, nbytes);
}
