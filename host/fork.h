/* fork.h - how an object knows that it is in a child of fork(). */
#ifndef NEARSIDE_HOST_FORK_H
#define NEARSIDE_HOST_FORK_H

#include <stdint.h>

/* A page that holds 1 here and 0 in every child of fork(). NULL: the system has no such pages. */
const uint64_t *nhost_fork_guard_create(void);
void nhost_fork_guard_destroy(const uint64_t *guard);

#endif
