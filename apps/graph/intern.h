/*
 * intern.h - a set of keys (byte strings), numbered 0, 1, 2... in the order in which they were
 * first added. Package names and, with --compact-ids, the ids of a file become vertices this way.
 */
#ifndef NEARSIDE_GRAPH_INTERN_H
#define NEARSIDE_GRAPH_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

/* Returns NULL when out of memory. */
struct intern *intern_create(void);
void intern_destroy(struct intern *set);

/*
 * *index: the key's number, the next free one if the key is new. -ENOMEM; -EOVERFLOW: 2^32 - 1
 * keys.
 */
int intern_add(struct intern *set, const void *key, size_t nbytes, uint32_t *index);

bool intern_find(const struct intern *set, const void *key, size_t nbytes, uint32_t *index);

uint64_t intern_count(const struct intern *set);

/* The bytes of a key, followed by a 0; valid until the next intern_add(). */
const void *intern_key(const struct intern *set, uint32_t index);

#endif
