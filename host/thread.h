/* thread.h - threads of the library's own, inside a program that knows nothing of them. */
#ifndef NEARSIDE_HOST_THREAD_H
#define NEARSIDE_HOST_THREAD_H

#include <pthread.h>

/*
 * Signals are for the program's threads: this one takes none but those that it causes itself. 0 or
 * what pthread_create() fails with, a positive errno.
 */
int nhost_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Likewise, with attributes: stack, processor. */
int nhost_thread_start_as(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*run)(void *context), void *context);

#endif
