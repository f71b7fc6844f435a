/* image_check.h - everything that may be wrong with an image. Inside host/ only. */
#ifndef NEARSIDE_HOST_IMAGE_CHECK_H
#define NEARSIDE_HOST_IMAGE_CHECK_H

#include "device/abi/image.h"
#include "host/device.h"

/* An image's parts; the pointers lead into `bytes`. */
struct nhost_image_view {
	const unsigned char *bytes; /* aligned to 64 */
	uint64_t nbytes;
	const struct nimg_header *header;
	const struct nimg_kernel *kernels;
	const struct nimg_param *params;
	const struct nimg_site *sites;
	const char *strings;
};

/* Checks view->bytes and fills the rest of the view. -ENOEXEC. */
int nhost_image_check(struct nhost_image_view *view, struct nhost_error *error);

#endif
