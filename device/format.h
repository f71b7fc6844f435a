/*
 * format.h - the printf subset of nproc_log(), freestanding.
 */
#ifndef NEARSIDE_DEVICE_FORMAT_H
#define NEARSIDE_DEVICE_FORMAT_H

#include <stdint.h>

/*
 * Formats into text and cuts at `capacity`; returns the length; no NUL is added.
 * %d %i %u %x %X %c %s %p %f %F %g %G %e %E %%, flags 0 - + space #, width, precision, * for
 * either, and the lengths hh h l ll z j t. A width or precision is at most NDEV_WIDTH_MAX. Each
 * argument is one word: integers extended, doubles as their bits, strings as addresses. An argument
 * that is not there prints as 0. Conversions of doubles are exact, as in C.
 */
enum {
	NDEV_WIDTH_MAX = 1000
};
unsigned ndev_format(
	char *text, unsigned capacity, const char *format, const uint64_t *args, uint64_t count);

/* What a conversion asks for. */
struct ndev_conversion {
	char kind;   /* d u x X c s p f F g G e E % */
	char length; /* bytes of an integer: 1, 2, 4, 8 */
	char minus, plus, space, zero, alternate;
	int width;
	int precision; /* -1: not given */
};

/*
 * The digits of a double, without sign, as %f %e %g say. Buffer: NDEV_DOUBLE_CHARS; returns the
 * length. Precision is at most NDEV_PRECISION_MAX.
 */
enum {
	NDEV_PRECISION_MAX = 340,
	NDEV_DOUBLE_CHARS = 700
};
unsigned ndev_format_double(char *text, double value, const struct ndev_conversion *conversion);

#endif
