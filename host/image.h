/*
 * image.h - reading a kernel image (device/abi/image.h).
 *
 * nhost_image_read() takes a copy and checks every offset, count, string and number in it; what the
 * other calls return is inside that copy and needs no further check.
 */
#ifndef NEARSIDE_HOST_IMAGE_H
#define NEARSIDE_HOST_IMAGE_H

#include <stddef.h>

#include "device/abi/image.h"
#include "host/device.h"

struct nhost_image;

/*
 * -ENOEXEC  not an image, of another version, truncated, corrupted or impossible: error says which
 * -ENOMEM
 */
int nhost_image_read(
	const void *bytes, size_t nbytes, struct nhost_image **image, struct nhost_error *error);
void nhost_image_free(struct nhost_image *image);

unsigned nhost_image_kernel_count(const struct nhost_image *image);

/* index < kernel_count */
const struct nimg_kernel *nhost_image_kernel(const struct nhost_image *image, unsigned index);

/* The index of the kernel of that name, or -1. */
int nhost_image_find(const struct nhost_image *image, const char *name);

/* The kernel's parameters, param_count of them. */
const struct nimg_param *nhost_image_params(
	const struct nhost_image *image, const struct nimg_kernel *kernel);

/* Of an offset found in the image. */
const char *nhost_image_string(const struct nhost_image *image, uint32_t offset);

/* NULL: no such site. */
const struct nimg_site *nhost_image_site(const struct nhost_image *image, uint32_t site);

/* Code for this ISA, an ELF shared object; NULL: there is none. */
const void *nhost_image_code(const struct nhost_image *image, enum nimg_isa isa, uint64_t *nbytes);

#endif
