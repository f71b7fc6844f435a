#include "host/thread.h"

#include <signal.h>

static sigset_t others_signals(void)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};
	sigset_t set;

	sigfillset(&set);
	for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
		sigdelset(&set, own[i]);
	return set;
}

/* A thread starts with the mask of its maker. */
int nhost_thread_start_as(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*run)(void *context), void *context)
{
	sigset_t blocked = others_signals();
	sigset_t before;
	int error = pthread_sigmask(SIG_BLOCK, &blocked, &before);

	if (error)
		return error;
	error = pthread_create(thread, attributes, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int nhost_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	return nhost_thread_start_as(thread, NULL, run, context);
}
