/* outside_int.h - what the parts of a device outside share: outside*.c only. */
#ifndef NEARSIDE_HOST_OUTSIDE_INT_H
#define NEARSIDE_HOST_OUTSIDE_INT_H

#include <pthread.h>

#include "host/bell.h"
#include "host/outside.h"

struct nhost_outside {
	struct nhost_region region;
	struct nhost_attach attach;
	struct nhost_signs signs;
	unsigned generation;
	unsigned core_count;
	bool can_wake;
	/* What outside_watch.c finds. */
	bool has_gone;
	bool is_suspect;
	int64_t suspect_ns, lost_ns; /* 0: never */
	/* Of waits. */
	_Alignas(64) bool interrupted;
	uint64_t asleep; /* without can_wake: the waiting thread's word */
	struct nhost_spin spin;
	/* Of listening. */
	struct nhost_bell *bell;
	uint64_t idle; /* 1: the thread that listens sleeps on it */
	bool is_listening;
	bool is_over;
	bool has_listener;
	pthread_t listener;
	int64_t nap_ns;    /* without a listener: until the bell rings by itself */
	uint64_t switches; /* of the cores, at the last listen */
	/* The thread that watches. */
	int stop; /* an eventfd */
	pthread_t watch;
};

/* ---- outside_watch.c ------------------------------------------------------------------------- */

/* A positive errno. */
int outside_watch_start(struct nhost_outside *outside);
void outside_watch_stop(struct nhost_outside *outside);

/* ---- outside_listen.c ------------------------------------------------------------------------ */

void outside_listen(struct nhost_outside *outside, struct nhost_bell *bell);
/* A wait begins. */
void outside_listen_no_more(struct nhost_outside *outside);
void outside_listen_stop(struct nhost_outside *outside);

/* ---- outside.c ------------------------------------------------------------------------------- */

void outside_interrupt(struct nhost_outside *outside);

static inline bool outside_has_gone(const struct nhost_outside *outside)
{
	return __atomic_load_n(&outside->has_gone, __ATOMIC_ACQUIRE);
}

static inline uint64_t *outside_word(struct nhost_outside *outside)
{
	return outside->can_wake ? &nreg_host(outside->region.memory)->asleep : &outside->asleep;
}

#endif
