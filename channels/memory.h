/*
 * memory.h - the few memory operations that the wire needs.
 *
 * Words that the other side may touch are read and written only through these: 8 bytes at a time,
 * never by read-modify-write (a locked operation of an emulated guest is not atomic against another
 * program).
 */
#ifndef NEARSIDE_CHANNELS_MEMORY_H
#define NEARSIDE_CHANNELS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define nchan_likely(x)   __builtin_expect(!!(x), 1)
#define nchan_unlikely(x) __builtin_expect(!!(x), 0)

/* The wire's errors: Linux's numbers, because a freestanding device has no errno.h. */
enum {
	NCHAN_EBADF = 9,
	NCHAN_ECHILD = 10,
	NCHAN_EAGAIN = 11,
	NCHAN_ENOMEM = 12,
	NCHAN_EACCES = 13,
	NCHAN_EFAULT = 14,
	NCHAN_EBUSY = 16,
	NCHAN_EXDEV = 18,
	NCHAN_EINVAL = 22,
	NCHAN_EMFILE = 24,
	NCHAN_EPIPE = 32,
	NCHAN_EMSGSIZE = 90,
};

static inline uint64_t nchan_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* What was stored before the value read is seen after this. */
static inline uint64_t nchan_load_acquire(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void nchan_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Who reads this value with acquire sees all that was stored before. */
static inline void nchan_store_release(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline uint64_t nchan_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Freestanding code has no string.h; compilers make this their memcpy. */
static inline void nchan_copy(void *to, const void *from, size_t nbytes)
{
	__builtin_memcpy(to, from, nbytes);
}

/*
 * Of at most 64 bytes: two copies of fixed size, which overlap where there are fewer bytes, are
 * done before a call of memcpy has begun.
 */
static inline void nchan_copy_few(void *to, const void *from, size_t nbytes)
{
	const char *source = from;
	char *target = to;

	if (nbytes >= 32) {
		nchan_copy(target, source, 32);
		nchan_copy(target + nbytes - 32, source + nbytes - 32, 32);
	} else if (nbytes >= 16) {
		nchan_copy(target, source, 16);
		nchan_copy(target + nbytes - 16, source + nbytes - 16, 16);
	} else if (nbytes >= 8) {
		nchan_copy(target, source, 8);
		nchan_copy(target + nbytes - 8, source + nbytes - 8, 8);
	} else if (nbytes >= 4) {
		nchan_copy(target, source, 4);
		nchan_copy(target + nbytes - 4, source + nbytes - 4, 4);
	} else {
		while (nbytes--)
			*target++ = *source++;
	}
}

#endif
