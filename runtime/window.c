#include "runtime/window.h"

#include <string.h>

#include "runtime/device_int.h"

enum {
	WORD = sizeof(uint64_t)
};

bool window_is(const struct nproc_device *device)
{
	return !(device->host.identity.capabilities & NREG_ATOMICS);
}

/* Bytes before the next word. */
static size_t before_word(uintptr_t address, size_t nbytes)
{
	size_t count = -address % WORD;

	return count < nbytes ? count : nbytes;
}

static void copy_bytes(volatile char *to, const volatile char *from, size_t nbytes)
{
	while (nbytes--)
		*to++ = *from++;
}

/* nchan_load() and nchan_store() keep compilers from making memcpy() of it. */
static void copy_out(char *to, const char *from, size_t nbytes)
{
	size_t first = before_word((uintptr_t)to, nbytes);

	copy_bytes(to, from, first);
	for (to += first, from += first, nbytes -= first; nbytes >= WORD; nbytes -= WORD) {
		uint64_t word;

		memcpy(&word, from, WORD);
		nchan_store((uint64_t *)(void *)to, word);
		to += WORD;
		from += WORD;
	}
	copy_bytes(to, from, nbytes);
}

static void copy_in(char *to, const char *from, size_t nbytes)
{
	size_t first = before_word((uintptr_t)from, nbytes);

	copy_bytes(to, from, first);
	for (to += first, from += first, nbytes -= first; nbytes >= WORD; nbytes -= WORD) {
		uint64_t word = nchan_load((const uint64_t *)(const void *)from);

		memcpy(to, &word, WORD);
		to += WORD;
		from += WORD;
	}
	copy_bytes(to, from, nbytes);
}

void window_copy(const struct nproc_device *device, void *to, const void *from, size_t nbytes)
{
	const struct nreg_identity *identity = &device->host.identity;

	if (!window_is(device))
		memcpy(to, from, nbytes);
	else if ((uintptr_t)to - identity->base < identity->region_bytes)
		copy_out(to, from, nbytes);
	else
		copy_in(to, from, nbytes);
}

void window_zero(const struct nproc_device *device, void *to, size_t nbytes)
{
	char *at = to;
	size_t first = before_word((uintptr_t)to, nbytes);

	if (!window_is(device)) {
		memset(to, 0, nbytes);
		return;
	}
	copy_bytes(at, (const char[WORD]){0}, first);
	for (at += first, nbytes -= first; nbytes >= WORD; nbytes -= WORD, at += WORD)
		nchan_store((uint64_t *)(void *)at, 0);
	copy_bytes(at, (const char[WORD]){0}, nbytes);
}
