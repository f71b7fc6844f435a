/* Host code that could never be a kernel, around kernels that are. */
#include <arpa/inet.h>
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <nearside/kernel.h>
#include <nearside/nmem.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static jmp_buf back;
static volatile sig_atomic_t stopped;
static _Thread_local long double precise;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *words[] = {"one", "two"};
static struct {
	int (*run)(int);
	void *private;
} operations;

static int shared(int n)
{
	return n + 1;
}

static void on_signal(int number)
{
	stopped = number;
	longjmp(back, 1);
}

static int sum(int count, ...)
{
	va_list list;
	int total = 0;
	va_start(list, count);
	while (count--)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

static int recurse(int n)
{
	int cells[n + 1];
	cells[n] = n ? recurse(n - 1) : 0;
	return cells[n];
}

NPROC_KERNEL int64_t between(int n)
{
	return shared(n);
}

static void *thread(void *argument)
{
	static int calls;
	pthread_mutex_lock(&lock);
	precise = (long double)calls++ / 3;
	pthread_mutex_unlock(&lock);
	return argument;
}

static int listen_at(unsigned short port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address))
		return -errno;
	return fd;
}

static int dispatch(int n)
{
	static const void *const targets[] = {&&even, &&odd};
	goto *targets[n & 1];
even:
	__asm__ volatile("nop");
	return operations.run(n);
odd:
	return shared(n);
}

int main(int argc, char **argv)
{
	pthread_t id;
	double _Complex z = cexp(1.0 * I);
	if (setjmp(back))
		return 1;
	signal(SIGTERM, on_signal);
	operations.run = recurse;
	pthread_create(&id, NULL, thread, argv);
	printf("%s %d %f %d\n", words[argc & 1], sum(2, 3, 4), creal(z), listen_at(80) + dispatch(argc));
	if (argc > 3)
		abort();
	return 0;
}
