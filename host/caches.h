/*
 * caches.h - what this program does on memory that is not coherent (channels/caches.h): its
 * processor's instructions, or a cache that is modelled.
 */
#ifndef NEARSIDE_HOST_CACHES_H
#define NEARSIDE_HOST_CACHES_H

#include <stdint.h>

#include "channels/caches.h"
#include "host/device.h"

/* By the processor's instructions; NULL: it has none that programs may use. */
const struct nchan_caches *nhost_caches_of_processor(void);

/*
 * A modelled cache, for tests of programs on a machine whose own memory is coherent. Programs load
 * and store in `copy`; `memory` is what another program, with a copy of its own, sees. A line goes
 * from one to the other when it is published or refreshed, and by chance: a line of the copy that
 * was changed may go to memory whenever any line is published or refreshed, and one that was not
 * changed may come from there. `seed` is of that chance; 0: never. So what was not published is
 * not seen, or is seen too early, and whoever writes to another side's line destroys what that has
 * written.
 *
 * A line counts as changed when it is not what it was when it last went or came. Publishing writes
 * lines whether they were changed or not: a program must not publish what it does not own.
 */
struct nhost_cache;

/*
 * Both hold nbytes, a multiple of 64, and all but the first `known` bytes of them are equal now;
 * those are refreshed. -ENOMEM
 */
int nhost_cache_create(void *memory, void *copy, uint64_t nbytes, uint64_t known, uint32_t seed,
	struct nhost_cache **cache, struct nhost_error *error);
const struct nchan_caches *nhost_cache_operations(const struct nhost_cache *cache);

/* Memory and copy are the caller's. NULL is allowed. */
void nhost_cache_destroy(struct nhost_cache *cache);

#endif
