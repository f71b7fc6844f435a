/*
 * memory.c - the functions that LLVM may call on its own: an image has no C library. Private
 * memory, or far memory that has been checked and translated.
 *
 * Bytes move 8 at a time where that is fast. The loops must not become calls of the functions they
 * are in.
 */
#include "compiler/library/library.h"

#define NKL_MEMORY \
	__attribute__((noinline, no_builtin("memcpy", "memmove", "memset", "memcmp", "bcmp")))
#define NKL_PART static inline __attribute__((always_inline))

/* 8 bytes of any type, at any address or at aligned ones. */
typedef uint64_t __attribute__((aligned(1), may_alias)) word;
typedef uint64_t __attribute__((may_alias)) aligned_word;

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes);
void *memmove(void *to, const void *from, size_t nbytes);
void *memset(void *to, int byte, size_t nbytes);
int memcmp(const void *a, const void *b, size_t nbytes);
int bcmp(const void *a, const void *b, size_t nbytes);

/* How many whole words may move between these two addresses. */
NKL_PART size_t whole_words(uintptr_t to, uintptr_t from, size_t nbytes)
{
	return nkl_fast_unaligned || ((to | from) & 7) == 0 ? nbytes / 8 : 0;
}

NKL_PART void copy_up(unsigned char *to, const unsigned char *from, size_t nbytes)
{
	size_t words = whole_words((uintptr_t)to, (uintptr_t)from, nbytes);
	if (nkl_fast_unaligned) {
		for (size_t i = 0; i < words; i++)
			((word *)to)[i] = ((const word *)from)[i];
	} else {
		for (size_t i = 0; i < words; i++)
			((aligned_word *)to)[i] = ((const aligned_word *)from)[i];
	}
	for (size_t i = words * 8; i < nbytes; i++)
		to[i] = from[i];
}

NKL_PART void copy_down(unsigned char *to, const unsigned char *from, size_t nbytes)
{
	size_t words = whole_words((uintptr_t)to, (uintptr_t)from, nbytes);
	for (size_t i = nbytes; i > words * 8; i--)
		to[i - 1] = from[i - 1];
	if (nkl_fast_unaligned) {
		for (size_t i = words; i > 0; i--)
			((word *)to)[i - 1] = ((const word *)from)[i - 1];
	} else {
		for (size_t i = words; i > 0; i--)
			((aligned_word *)to)[i - 1] = ((const aligned_word *)from)[i - 1];
	}
}

NKL_MEMORY void *memcpy(void *restrict to, const void *restrict from, size_t nbytes)
{
	copy_up(to, from, nbytes);
	return to;
}

NKL_MEMORY void *memmove(void *to, const void *from, size_t nbytes)
{
	if ((uintptr_t)to - (uintptr_t)from >= nbytes)
		copy_up(to, from, nbytes);
	else
		copy_down(to, from, nbytes);
	return to;
}

NKL_MEMORY void *memset(void *to, int byte, size_t nbytes)
{
	unsigned char *t = to;
	size_t words = whole_words((uintptr_t)to, 0, nbytes);
	uint64_t pattern = (unsigned char)byte * 0x0101010101010101ull;
	if (nkl_fast_unaligned) {
		for (size_t i = 0; i < words; i++)
			((word *)t)[i] = pattern;
	} else {
		for (size_t i = 0; i < words; i++)
			((aligned_word *)t)[i] = pattern;
	}
	for (size_t i = words * 8; i < nbytes; i++)
		t[i] = (unsigned char)byte;
	return to;
}

NKL_MEMORY int memcmp(const void *a, const void *b, size_t nbytes)
{
	const unsigned char *x = a, *y = b;
	size_t words = whole_words((uintptr_t)a, (uintptr_t)b, nbytes), same = 0;
	if (nkl_fast_unaligned) {
		while (same < words && ((const word *)a)[same] == ((const word *)b)[same])
			same++;
	} else {
		while (same < words &&
			((const aligned_word *)a)[same] == ((const aligned_word *)b)[same])
			same++;
	}
	for (size_t i = same * 8; i < nbytes; i++) {
		if (x[i] != y[i])
			return x[i] - y[i];
	}
	return 0;
}

NKL_MEMORY int bcmp(const void *a, const void *b, size_t nbytes)
{
	return memcmp(a, b, nbytes);
}
