/* parts.h - what the files of this folder share. */
#ifndef NEARSIDE_HOST_ENGINE_PARTS_H
#define NEARSIDE_HOST_ENGINE_PARTS_H

#include "host/device.h"
#include "host/engine.h"

extern const struct nhost_engine_ops cpu_engine;
extern const struct nhost_engine_ops thread_engine;
extern const struct nhost_engine_ops dsa_engine;
extern const struct nhost_engine_ops auto_engine;

/* For people: how CRCs are computed here. */
const char *crc32c_method(void);

/* Of the same length. */
static inline bool ranges_overlap(const void *a, const void *b, size_t nbytes)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x < y ? y - x : x - y) < nbytes;
}

/* Checks all of them, then makes each one as it is before any byte has been done. */
int ops_begin(struct nhost_op *ops, size_t count);

/* What is left after done_nbytes, by the caller of this; the status that it has then. */
int op_rest(struct nhost_op *op);

/* The last store to an operation. */
static inline void op_end(struct nhost_op *op, int status)
{
	__atomic_store_n(&op->status, status, __ATOMIC_RELEASE);
}

/* ---- loops over bytes (bytes.c) -------------------------------------------------------------- */

void bytes_fill(unsigned char *to, uint64_t pattern, size_t nbytes);

/* The offset of the first difference, or nbytes. */
size_t bytes_compare(const unsigned char *a, const unsigned char *b, size_t nbytes);
size_t bytes_compare_pattern(const unsigned char *a, uint64_t pattern, size_t nbytes);

#endif
