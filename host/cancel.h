/*
 * cancel.h - no call of the library is a point where pthread_cancel() ends the thread: it would
 * leave locks held, and lists with entries on its stack. Around system calls that are such points,
 * and around what runs them.
 */
#ifndef NEARSIDE_HOST_CANCEL_H
#define NEARSIDE_HOST_CANCEL_H

#include <pthread.h>

/* Returns what nhost_cancel_release() needs; pairs may lie inside each other. */
static inline int nhost_cancel_hold(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void nhost_cancel_release(int before)
{
	pthread_setcancelstate(before, NULL);
}

#endif
