/*
 * machine.h - what devices inside this program have in common: a region, memory for the firmware,
 * and the firmware itself. Who runs its cores is another matter.
 */
#ifndef NEARSIDE_EMU_MACHINE_H
#define NEARSIDE_EMU_MACHINE_H

#include "device/core.h"
#include "host/device.h"

struct nemu_machine {
	struct nreg_identity identity;
	void *region;
	void *memory; /* the firmware's: address space now, pages when they are touched */
	uint64_t memory_nbytes;
	struct ndev_platform platform;
	struct ndev_device *device;
};

/*
 * `machine` is zeroed by the caller; on failure nothing is left. `capabilities` are enum
 * nreg_capability. `platform` is copied.
 */
int nemu_machine_create(struct nemu_machine *machine, const struct nhost_options *options,
	unsigned capabilities, const struct ndev_platform *platform, struct nhost_error *error);

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
