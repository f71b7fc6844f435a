/*
 * window.h - bytes to and from far memory. Where it is a window to another machine's memory
 * (a region without NREG_ATOMICS), each access is carried there by itself: then by 8-byte loads and
 * stores, which are one access each. memcpy() and memset() would make an access of each byte there
 * (rep movsb).
 */
#ifndef NEARSIDE_RUNTIME_WINDOW_H
#define NEARSIDE_RUNTIME_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

struct nproc_device;

bool window_is(const struct nproc_device *device);

/* The ranges do not overlap. `to` or `from` is in far memory. */
void window_copy(const struct nproc_device *device, void *to, const void *from, size_t nbytes);
void window_zero(const struct nproc_device *device, void *to, size_t nbytes);

#endif
