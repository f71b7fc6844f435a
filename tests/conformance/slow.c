/*
 * slow.c - a device of threads on which one side is slower: each thing that this side does takes
 * FACTOR times as long as it did. Linked into the suite as conformance_slow; which side it is says
 * the variable SLOW: cores or host.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device/core.h"
#include "host/wait.h"
#include "runtime/port.h"

enum {
	FACTOR = 1000,
	LONGEST_NS = 2000, /* what took longer was a sleep, or was interrupted */
};

bool __real_ndev_core_step(struct ndev_core *core);
bool __wrap_ndev_core_step(struct ndev_core *core);
void __real_port_enter(struct nproc_device *device);
void __wrap_port_enter(struct nproc_device *device);
void __real_port_leave(struct nproc_device *device);
void __wrap_port_leave(struct nproc_device *device);

static bool is_slow(const char *side)
{
	const char *slow = getenv("SLOW");

	return slow && !strcmp(slow, side);
}

/* Others may have the processor meanwhile. */
static void take_longer(int64_t began_ns)
{
	int64_t now_ns = nhost_clock_ns(), took_ns = now_ns - began_ns;
	int64_t until_ns = now_ns + (took_ns < LONGEST_NS ? took_ns : LONGEST_NS) * FACTOR;

	while (nhost_clock_ns() < until_ns)
		sched_yield();
}

bool __wrap_ndev_core_step(struct ndev_core *core)
{
	int64_t began_ns = nhost_clock_ns();
	bool was_busy = __real_ndev_core_step(core);

	if (was_busy && is_slow("cores"))
		take_longer(began_ns);
	return was_busy;
}

/* Of this thread, which holds the lock. */
static _Thread_local int64_t entered_ns;

void __wrap_port_enter(struct nproc_device *device)
{
	__real_port_enter(device);
	entered_ns = nhost_clock_ns();
}

void __wrap_port_leave(struct nproc_device *device)
{
	int64_t began_ns = entered_ns;

	__real_port_leave(device);
	if (is_slow("host"))
		take_longer(began_ns);
}
