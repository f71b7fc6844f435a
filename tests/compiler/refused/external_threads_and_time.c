#include <nearside/kernel.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
	return argument;
}

NPROC_KERNEL int64_t start(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, run, 0);
	pthread_mutex_lock(&lock);
	fork();
	usleep(1);
	raise(SIGTERM);
	return rand() + time(0);
}


// expect: 18:2: error: 'pthread_create' would start a thread, which a kernel cannot
// expect: note: start more processes with nproc_spawn(), in kernels as on the host
// expect: 18:29: error: the address of function 'run' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 19:2: error: 'pthread_mutex_lock' does not exist on the device
// expect: note: between two waits nothing else runs on a process's core; where cores share far memory, use atomics
// expect: 19:22: error: 'lock' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 8:24: note: 'lock' is declared here
// expect: 20:2: error: 'fork' would start a thread, which a kernel cannot
// expect: note: start more processes with nproc_spawn(), in kernels as on the host
// expect: 21:2: error: 'usleep' does not exist on the device
// expect: note: use nproc_yield(), or wait in npipe_read()
// expect: 22:2: error: 'raise' needs signals, which a process does not have
// expect: note: nproc_kill() ends a process from the host
// expect: 23:9: error: 'rand' does not exist on the device
// expect: note: write a generator (xorshift is three lines) and let the host pass its seed
// expect: 23:18: error: 'time' needs a clock, which a kernel does not have
// expect: note: let the host pass times as arguments or through a pipe
