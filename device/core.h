/*
 * core.h - the firmware: what runs on each core of a device, whoever executes it.
 *
 *     ndev_memory_bytes()  how much private memory the device needs
 *     ndev_init()          once, in zeroed memory
 *     on each core, for ever:
 *         if (!ndev_core_step(core) && ndev_core_may_sleep(core))
 *             sleep until the core's wake word, or for a while
 *
 * A step takes lines, looks at the attention word, runs some ready processes, copies some pieces of
 * copies in flight and sends what is owed. It never waits. All state of a core is that core's own;
 * cores talk by FIFOs in the private memory. Freestanding C11; the same sources run on x86-64 and
 * riscv64.
 */
#ifndef NEARSIDE_DEVICE_CORE_H
#define NEARSIDE_DEVICE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/abi/kernel.h"
#include "device/abi/region.h"

struct ndev_device;
struct ndev_core;

/* What the executor provides. */
struct ndev_platform {
	/* Wakes a place (0: the host, 1..: cores) whose wake word this core has just cleared. */
	void (*wake)(void *context, unsigned place);
	/*
	 * Makes the code of an image (an ELF shared object, bytes that the host wrote) runnable:
	 * its nk_kernels and a handle for unload. 0 or a negative errno. Called by one core at a
	 * time.
	 */
	int (*load)(void *context, const void *code, uint64_t nbytes, unsigned kernel_count,
		const struct nk_code **kernels, void **handle);
	void (*unload)(void *context, void *handle);
	void *context;
	/* For simulation: called after each store of a line; NULL else. */
	const struct nchan_pause *pause;
	/*
	 * A process waits for a line, and there is nothing else to do: pauses for a moment. True:
	 * the core looks again before it suspends the process, as it has `looks` times. NULL: it
	 * never does.
	 */
	bool (*look_on)(void *context, unsigned looks);
	/* Of the region's memory as the device sees it; NULL: it is coherent. */
	const struct nchan_caches *caches;
};

/*
 * Bytes of private memory for a device with this identity (of which core_count, processes_max,
 * pipes_max, cells_max and frame_bytes_max are read). Much of it is touched only when used.
 */
uint64_t ndev_memory_bytes(const struct nreg_identity *identity);

/*
 * Zeroes as much of such memory as has to be, where it was used before: much less than all of it.
 */
void ndev_clear(void *memory, const struct nreg_identity *identity);

/*
 * memory: zeroed, 64-byte aligned. region: as this device sees it, its identity complete and its
 * control words zero.
 */
struct ndev_device *ndev_init(void *memory, void *region, const struct ndev_platform *platform);

struct ndev_core *ndev_core(struct ndev_device *device, unsigned index);

/* One round. True when anything was done. */
bool ndev_core_step(struct ndev_core *core);

/*
 * The step before did nothing: sends the reports that are due before sleep. True when there is
 * still nothing to do. Where wake words are used: announce, membarrier, then ask this again, then
 * sleep.
 */
bool ndev_core_may_sleep(struct ndev_core *core);

/* There is a line to take: a quick look, for who waits between steps. */
bool ndev_core_has_lines(const struct ndev_core *core);

uint64_t *ndev_core_wake_word(struct ndev_core *core);

/*
 * The processor says that the code of the process that runs here has done what it cannot: the
 * process faults, at this address, and `offset` bytes from the start of its image's code. Returns
 * only if no process runs.
 */
void ndev_core_trap(struct ndev_core *core, uint64_t address, uint64_t offset);

/* Ends the process that runs there now, if it looks: for who stops the cores. */
void ndev_core_end_running(struct ndev_core *core);

/*
 * Where memory is not coherent: whom the host wants ended is heard, for the cores, it is told what
 * they count, and far memory that it recalls is let go. By one thread beside the cores, every
 * NDEV_EXCHANGE_NS, because a kernel that runs asks no memory but its own.
 */
enum {
	NDEV_EXCHANGE_NS = 500 * 1000
};
void ndev_exchange(struct ndev_device *device);

/* Ends what is still loaded; no core runs any more. */
void ndev_close(struct ndev_device *device);

#endif
