/*
 * cores.h - the cores of a device as threads of this program, "nearside/N": they spin for a while
 * and then sleep on their wake words in the region. Kernels run on the thread's own stack, which
 * has a guard area below it.
 *
 *     nemu_cores_create()    before the firmware may wake any
 *     nemu_cores_start()     a thread for each core
 *     nemu_cores_destroy()   ends them, also one in an endless kernel
 */
#ifndef NEARSIDE_EMU_CORES_H
#define NEARSIDE_EMU_CORES_H

#include "device/core.h"
#include "host/device.h"

struct nemu_cores;

/* Who can wake a core. */
enum nemu_reach {
	NEMU_REACH_PROGRAM, /* threads of this program */
	NEMU_REACH_MACHINE, /* and of others that map the region */
	NEMU_REACH_NONE,    /* nobody: it looks again by itself */
};

/* For the cores of this identity. -ENOMEM; with port=event also what eventfd() fails with. */
int nemu_cores_create(const struct nreg_identity *identity, enum nemu_reach reach,
	struct nemu_cores **cores, struct nhost_error *error);

/* What pthread_create() fails with: some may run then. */
int nemu_cores_start(
	struct nemu_cores *cores, struct ndev_device *device, struct nhost_error *error);

void nemu_cores_destroy(struct nemu_cores *cores);

void nemu_cores_wake(struct nemu_cores *cores, unsigned index);

/*
 * As ndev_platform.look_on: for some microsecond in all, while there is a processor for each thread
 * that is awake.
 */
bool nemu_cores_look_on(const struct nemu_cores *cores, unsigned looks);

/*
 * How any thread sleeps at this device until its wake word is not 1, and is woken. `event` is its
 * eventfd with port=event, where nobody spins and which remembers what came before; else -1.
 */
bool nemu_cores_have_events(const struct nemu_cores *cores);
void nemu_cores_sleep(
	const struct nemu_cores *cores, uint64_t *word, int event, int64_t deadline_ns);
void nemu_cores_wake_word(const struct nemu_cores *cores, uint64_t *word, int event);

/* Before sleep: orders what was announced against the senders' lines. */
void nemu_cores_fence(const struct nemu_cores *cores);

/* False: no sleep is long, because a wake-up may be lost. */
bool nemu_cores_can_fence(const struct nemu_cores *cores);

#endif
