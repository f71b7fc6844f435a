/* lazy.h - large tables of which only what is touched costs memory. */
#ifndef NEARSIDE_RUNTIME_LAZY_H
#define NEARSIDE_RUNTIME_LAZY_H

#include <stddef.h>

/* Zeroed, or NULL. */
void *lazy_alloc(size_t nbytes);

/* NULL is allowed. */
void lazy_free(void *table, size_t nbytes);

#endif
