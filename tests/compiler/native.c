#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nearside/kernel.h>

#include "native.h"

static struct world *current;
static jmp_buf end;
static int64_t exit_code;

ssize_t nk_read(int fd, void *bytes, size_t nbytes)
{
	return world_read(current, fd, bytes, nbytes);
}

ssize_t nk_read_full(int fd, void *bytes, size_t nbytes)
{
	size_t done = 0;
	while (done < nbytes) {
		ssize_t got = nk_read(fd, (char *)bytes + done, nbytes - done);
		if (got <= 0)
			return done ? (ssize_t)done : got;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

ssize_t nk_write(int fd, const void *bytes, size_t nbytes)
{
	size_t done = 0;
	do {
		ssize_t put = world_write(current, fd, (const char *)bytes + done, nbytes - done);
		if (put < 0)
			return done ? (ssize_t)done : put;
		done += (size_t)put;
	} while (done < nbytes);
	return (ssize_t)done;
}

int nk_close(int fd)
{
	return (int)world_close_end(current, fd);
}

int nk_get(void *to, uint64_t from, size_t nbytes)
{
	memcpy(to, (const void *)(uintptr_t)from, nbytes);
	return 0;
}

int nk_put(uint64_t to, const void *from, size_t nbytes)
{
	memcpy((void *)(uintptr_t)to, from, nbytes);
	return 0;
}

int nk_copied(int copy)
{
	return copy < 0 ? copy : 0;
}

void nk_publish(uint64_t address, size_t nbytes)
{
	(void)address;
	(void)nbytes;
}

void nk_refresh(uint64_t address, size_t nbytes)
{
	(void)address;
	(void)nbytes;
}

void nk_yield_after(uint32_t count)
{
	(void)count;
}

void nk_yield(void)
{
}

_Noreturn void nk_exit(int64_t code)
{
	exit_code = code;
	longjmp(end, 1);
}

_Noreturn void nk_assert_failed(const char *condition)
{
	fail_msg("%s", condition);
	abort();
}

uint64_t nk_log_string(const char *v)
{
	return (uint64_t)(uintptr_t)v;
}

void nk_log(const char *format, const uint64_t *args, size_t count)
{
	(void)format;
	(void)args;
	(void)count;
}

int64_t native_run(native_kernel *kernel, struct world *world, uint64_t seed)
{
	current = world;
	if (!setjmp(end))
		exit_code = kernel(world->memory, world->nbytes, seed);
	return exit_code;
}
