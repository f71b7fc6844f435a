/*
 * string.c - what compilers call by themselves, also in freestanding code. Compiled with
 * -fno-builtin: else a loop here would become a call of itself.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes);
void *memmove(void *to, const void *from, size_t nbytes);
void *memset(void *to, int value, size_t nbytes);
int memcmp(const void *a, const void *b, size_t nbytes);

static int are_aligned(const void *a, const void *b)
{
	return !(((uintptr_t)a | (uintptr_t)b) % sizeof(uint64_t));
}

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes)
{
	unsigned char *out = to;
	const unsigned char *in = from;

	if (are_aligned(to, from))
		for (; nbytes >= 8; nbytes -= 8, out += 8, in += 8)
			*(uint64_t *)(void *)out = *(const uint64_t *)(const void *)in;
	while (nbytes--)
		*out++ = *in++;
	return to;
}

void *memmove(void *to, const void *from, size_t nbytes)
{
	unsigned char *out = to;
	const unsigned char *in = from;

	if ((uintptr_t)to - (uintptr_t)from >= nbytes)
		return memcpy(to, from, nbytes);
	while (nbytes--)
		out[nbytes] = in[nbytes];
	return to;
}

void *memset(void *to, int value, size_t nbytes)
{
	unsigned char *out = to;
	uint64_t word = (unsigned char)value * 0x0101010101010101u;

	if (are_aligned(to, to))
		for (; nbytes >= 8; nbytes -= 8, out += 8)
			*(uint64_t *)(void *)out = word;
	while (nbytes--)
		*out++ = (unsigned char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t nbytes)
{
	const unsigned char *x = a;
	const unsigned char *y = b;

	for (; nbytes; nbytes--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}
