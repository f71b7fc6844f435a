/*
 * format_double.c - the exact decimal digits of a double.
 *
 * A double is an integer of 53 bits times a power of two, so it has finitely many decimal digits:
 * at most 309 before the point and 1074 after. They are all made, by schoolbook arithmetic on
 * 32-bit limbs, and then rounded half to even at the wanted place. Slow and simple: it serves log
 * messages.
 */
#include "device/format.h"

#include <stdbool.h>

enum {
	INTEGER_LIMBS = 33,  /* 1024 bits and a carry */
	FRACTION_LIMBS = 34, /* 1074 bits, rounded up */
	INTEGER_DIGITS = 309,
	FRACTION_DIGITS = 1080,
	CHUNK = 9, /* digits made at a time */
	CHUNK_BASE = 1000000000,
};

/* digit[0..count-1]; the point stands before digit[point]. */
struct decimal {
	char digit[1 + INTEGER_DIGITS + FRACTION_DIGITS]; /* 1: a carry of rounding */
	int count;
	int point;
};

static void split(double value, uint64_t *mantissa, int *exponent)
{
	union {
		double value;
		uint64_t bits;
	} number = {.value = value};
	int biased = (int)(number.bits >> 52 & 0x7ff);

	*mantissa = number.bits & ((1ull << 52) - 1);
	if (biased)
		*mantissa |= 1ull << 52;
	*exponent = (biased ? biased : 1) - 1075;
}

/* limbs, least significant first, = mantissa << shift */
static void place_bits(uint32_t *limbs, unsigned count, uint64_t mantissa, unsigned shift)
{
	for (unsigned i = 0; i < count; i++)
		limbs[i] = 0;
	for (unsigned bit = 0; bit < 53; bit++)
		if (mantissa >> bit & 1)
			limbs[(bit + shift) / 32] |= 1u << (bit + shift) % 32;
}

static uint32_t divide(uint32_t *limbs, unsigned count, uint32_t by)
{
	uint64_t rest = 0;

	for (unsigned i = count; i-- > 0;) {
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	return (uint32_t)rest;
}

static uint32_t multiply(uint32_t *limbs, unsigned count, uint32_t by)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < count; i++) {
		carry += (uint64_t)limbs[i] * by;
		limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return (uint32_t)carry;
}

static bool is_zero(const uint32_t *limbs, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (limbs[i])
			return false;
	return true;
}

static void add_integer_digits(struct decimal *decimal, uint64_t mantissa, int exponent)
{
	uint32_t limbs[INTEGER_LIMBS];
	char reversed[INTEGER_DIGITS + CHUNK];
	int count = 0;

	if (exponent < 0)
		mantissa = exponent > -64 ? mantissa >> -exponent : 0;
	place_bits(limbs, INTEGER_LIMBS, mantissa, exponent > 0 ? (unsigned)exponent : 0);
	while (!is_zero(limbs, INTEGER_LIMBS)) {
		uint32_t chunk = divide(limbs, INTEGER_LIMBS, CHUNK_BASE);

		for (int i = 0; i < CHUNK; i++, chunk /= 10)
			reversed[count++] = (char)(chunk % 10);
	}
	while (count && !reversed[count - 1])
		count--;
	while (count)
		decimal->digit[decimal->count++] = reversed[--count];
	decimal->point = decimal->count;
}

static void add_fraction_digits(struct decimal *decimal, uint64_t mantissa, int exponent)
{
	uint32_t limbs[FRACTION_LIMBS];
	uint64_t bits = exponent > -64 ? mantissa & ((1ull << -exponent) - 1) : mantissa;

	/* The point stands above the highest limb: value = limbs / 2^(32 * FRACTION_LIMBS). */
	place_bits(limbs, FRACTION_LIMBS, bits, (unsigned)(32 * FRACTION_LIMBS + exponent));
	while (!is_zero(limbs, FRACTION_LIMBS)) {
		uint32_t chunk = multiply(limbs, FRACTION_LIMBS, CHUNK_BASE);

		for (uint32_t unit = CHUNK_BASE / 10; unit; unit /= 10)
			decimal->digit[decimal->count++] = (char)(chunk / unit % 10);
	}
}

/* digit[0] is a 0 that a carry of rounding may use. */
static void to_decimal(struct decimal *decimal, double value)
{
	uint64_t mantissa;
	int exponent;

	split(value, &mantissa, &exponent);
	decimal->digit[0] = 0;
	decimal->count = 1;
	add_integer_digits(decimal, mantissa, exponent);
	if (exponent < 0)
		add_fraction_digits(decimal, mantissa, exponent);
}

static char digit_at(const struct decimal *decimal, int index)
{
	return index >= 0 && index < decimal->count ? decimal->digit[index] : 0;
}

static bool rounds_up(const struct decimal *decimal, int keep)
{
	if (digit_at(decimal, keep) != 5)
		return digit_at(decimal, keep) > 5;
	for (int i = keep + 1; i < decimal->count; i++)
		if (decimal->digit[i])
			return true;
	return keep > 0 && digit_at(decimal, keep - 1) % 2;
}

/* Keeps `keep` digits, which may be more than there are. */
static void round_at(struct decimal *decimal, int keep)
{
	bool up = rounds_up(decimal, keep);

	if (keep < decimal->count)
		decimal->count = keep < 0 ? 0 : keep;
	for (int i = keep - 1; up && i >= 0; i--) {
		up = decimal->digit[i] == 9;
		decimal->digit[i] = up ? 0 : (char)(decimal->digit[i] + 1);
	}
}

/* Index of the first digit that is not 0; of a zero, the one before the point. */
static int leading(const struct decimal *decimal)
{
	for (int i = 0; i < decimal->count; i++)
		if (decimal->digit[i])
			return i;
	return decimal->point - 1;
}

static unsigned put_digits(char *text, const struct decimal *decimal, int from, int integer_digits,
	int fraction_digits, bool point)
{
	unsigned length = 0;

	for (int i = 0; i < integer_digits; i++)
		text[length++] = (char)('0' + digit_at(decimal, from + i));
	if (point)
		text[length++] = '.';
	for (int i = 0; i < fraction_digits; i++)
		text[length++] = (char)('0' + digit_at(decimal, from + integer_digits + i));
	return length;
}

static unsigned put_fixed(char *text, struct decimal *decimal, int precision, bool alternate)
{
	int first;

	round_at(decimal, decimal->point + precision);
	first = leading(decimal);
	if (first > decimal->point - 1)
		first = decimal->point - 1;
	return put_digits(
		text, decimal, first, decimal->point - first, precision, precision || alternate);
}

static unsigned put_exponent(char *text, char letter, int exponent)
{
	unsigned length = 0;
	int size = exponent < 0 ? -exponent : exponent;

	text[length++] = letter;
	text[length++] = exponent < 0 ? '-' : '+';
	if (size >= 100)
		text[length++] = (char)('0' + size / 100);
	text[length++] = (char)('0' + size / 10 % 10);
	text[length++] = (char)('0' + size % 10);
	return length;
}

/* The decimal exponent of the first digit. */
static int magnitude(const struct decimal *decimal)
{
	return decimal->point - 1 - leading(decimal);
}

static unsigned put_scientific(
	char *text, struct decimal *decimal, int precision, bool alternate, char letter)
{
	unsigned length;

	round_at(decimal, leading(decimal) + 1 + precision);
	length = put_digits(text, decimal, leading(decimal), 1, precision, precision || alternate);
	return length + put_exponent(text + length, letter, magnitude(decimal));
}

/* %g without # ends with its last digit that is not 0. */
static int trimmed(const struct decimal *decimal, int first, int significant)
{
	while (significant > 1 && !digit_at(decimal, first + significant - 1))
		significant--;
	return significant;
}

static unsigned put_general(
	char *text, struct decimal *decimal, int significant, bool alternate, char letter)
{
	int exponent, digits, fraction;

	if (!significant)
		significant = 1;
	round_at(decimal, leading(decimal) + significant);
	exponent = magnitude(decimal);
	digits = alternate ? significant : trimmed(decimal, leading(decimal), significant);
	if (exponent < -4 || exponent >= significant)
		return put_scientific(text, decimal, digits - 1, alternate, letter);
	fraction = digits - 1 - exponent;
	return put_fixed(text, decimal, fraction > 0 ? fraction : 0, alternate);
}

static unsigned put_word(char *text, const char *word)
{
	unsigned length = 0;

	while (word[length]) {
		text[length] = word[length];
		length++;
	}
	return length;
}

unsigned ndev_format_double(char *text, double value, const struct ndev_conversion *conversion)
{
	struct decimal decimal;
	char kind = conversion->kind;
	bool capital = kind < 'a';
	bool alternate = conversion->alternate != 0;
	int precision = conversion->precision < 0 ? 6 : conversion->precision;

	if (precision > NDEV_PRECISION_MAX)
		precision = NDEV_PRECISION_MAX;
	if (value != value)
		return put_word(text, capital ? "NAN" : "nan");
	if (value - value != 0)
		return put_word(text, capital ? "INF" : "inf");
	to_decimal(&decimal, value);
	if (kind == 'f' || kind == 'F')
		return put_fixed(text, &decimal, precision, alternate);
	if (kind == 'e' || kind == 'E')
		return put_scientific(text, &decimal, precision, alternate, capital ? 'E' : 'e');
	return put_general(text, &decimal, precision, alternate, capital ? 'E' : 'e');
}
