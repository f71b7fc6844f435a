/*
 * small_image.h - a valid kernel image with one kernel of each interesting kind, built in memory.
 *
 *   0  nothing(void)
 *   1  count(const far uint64_t *keys, int32_t n, double limit, struct pair pair)
 */
#ifndef NEARSIDE_TESTS_HOST_SMALL_IMAGE_H
#define NEARSIDE_TESTS_HOST_SMALL_IMAGE_H

#include <stddef.h>

#include "device/abi/image.h"

enum {
	SMALL_KERNELS = 2,
	SMALL_PARAMS = 4,
	SMALL_SITES = 2,
	SMALL_STRINGS_BYTES = 256,
	SMALL_CODE_BYTES = 128,
};

struct small_image {
	_Alignas(64) struct nimg_header header;
	struct nimg_kernel kernels[SMALL_KERNELS];
	struct nimg_param params[SMALL_PARAMS];
	struct nimg_site sites[SMALL_SITES];
	char strings[SMALL_STRINGS_BYTES];
	/* The same bytes, which are no program, for each ISA. */
	_Alignas(64) unsigned char code[SMALL_CODE_BYTES];
};

void small_image_make(struct small_image *image);

/* Computes the checksum anew, after changes. */
void small_image_seal(struct small_image *image);

#endif
