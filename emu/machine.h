/*
 * machine.h - what devices inside this program have in common: a region, memory for the firmware,
 * and the firmware itself. Who runs its cores is another matter.
 */
#ifndef NEARSIDE_EMU_MACHINE_H
#define NEARSIDE_EMU_MACHINE_H

#include "device/core.h"
#include "host/region.h"

struct nemu_machine {
	struct nreg_identity identity;
	struct nhost_region region;
	void *memory; /* the firmware's: address space now, pages when they are touched */
	uint64_t memory_nbytes;
	struct ndev_platform platform;
	struct ndev_device *device;
};

/*
 * Memory for region and firmware, which do not run yet. `machine` is zeroed by the caller; on
 * failure nothing is left. identity.base may be chosen already; `capabilities` are enum
 * nreg_capability.
 */
int nemu_machine_prepare(struct nemu_machine *machine, const struct nhost_region_kind *kind,
	const struct nhost_options *options, unsigned capabilities, struct nhost_error *error);

/* The firmware, in zeroed memory, by what the region's identity says. `platform` is copied. */
void nemu_machine_boot(struct nemu_machine *machine, const struct ndev_platform *platform);

/* No core runs any more. The memory is zeroed. Does nothing when it does not run. */
void nemu_machine_halt(struct nemu_machine *machine);

/* Prepare and boot, in memory of this program alone. */
int nemu_machine_create(struct nemu_machine *machine, const struct nhost_region_kind *kind,
	const struct nhost_options *options, unsigned capabilities,
	const struct ndev_platform *platform, struct nhost_error *error);

/* No core runs any more. */
void nemu_machine_destroy(struct nemu_machine *machine);

/* Of struct ndev_platform: code of images, whatever the context. */
int nemu_platform_load(void *context, const void *code, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle);
void nemu_platform_unload(void *context, void *handle);

/*
 * What struct nhost_device says of this machine; the executor adds itself. The name begins with
 * `head`, "KIND:".
 */
void nemu_machine_describe(
	const struct nemu_machine *machine, const char *head, struct nhost_device *device);

#endif
