/*
 * fake_device.h - a device of one process, for tests of compiled code: the image's code for this
 * machine, a frame that ends at a page which cannot be touched, and the firmware of fake_ops.h.
 */
#ifndef NEARSIDE_TESTS_COMPILER_FAKE_DEVICE_H
#define NEARSIDE_TESTS_COMPILER_FAKE_DEVICE_H

#include "device/abi/image.h"
#include "fake_ops.h"

struct fake_image;

void fake_image_open(struct fake_image **image, const char *path, enum nimg_isa isa);
void fake_image_close(struct fake_image *image);

/* The entry of the image's kernel table; fails the test when there is none of this name. */
const struct nimg_kernel *fake_image_kernel(const struct fake_image *image, const char *name);
const struct nimg_param *fake_image_param(
	const struct fake_image *image, const char *kernel, unsigned param);
const struct nimg_site *fake_image_site(const struct fake_image *image, uint32_t site);
const char *fake_image_text(const struct fake_image *image, uint32_t string);

/* Does this machine run code for that ISA? */
bool fake_machine_runs(enum nimg_isa isa);

/*
 * Runs a kernel until it ends. Fails the test when it breaks the contract of device/abi/kernel.h.
 */
void fake_run(const struct fake_image *image, const char *kernel, struct fake_process *process,
	const uint64_t *words);

#endif
