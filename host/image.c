#include "host/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/image_check.h"

struct nhost_image {
	unsigned char *copy;
	struct nhost_image_view view; /* of the copy */
};

/* Code is aligned to 64 within an image, and so must be the whole. */
static unsigned char *copy_of(const void *bytes, size_t nbytes)
{
	unsigned char *copy = aligned_alloc(64, nbytes / 64 * 64 + 64);

	if (copy && nbytes)
		memcpy(copy, bytes, nbytes);
	return copy;
}

int nhost_image_read(
	const void *bytes, size_t nbytes, struct nhost_image **image, struct nhost_error *error)
{
	struct nhost_image *new = calloc(1, sizeof(*new));
	int result;

	*image = NULL;
	if (new)
		new->copy = copy_of(bytes, nbytes);
	if (!new || !new->copy) {
		nhost_image_free(new);
		return nhost_fail(error, ENOMEM, "no memory for an image of %zu bytes", nbytes);
	}
	new->view.bytes = new->copy;
	new->view.nbytes = nbytes;
	result = nhost_image_check(&new->view, error);
	if (result)
		nhost_image_free(new);
	else
		*image = new;
	return result;
}

void nhost_image_free(struct nhost_image *image)
{
	if (!image)
		return;
	free(image->copy);
	free(image);
}

unsigned nhost_image_kernel_count(const struct nhost_image *image)
{
	return image->view.header->kernel_count;
}

const struct nimg_kernel *nhost_image_kernel(const struct nhost_image *image, unsigned index)
{
	return &image->view.kernels[index];
}

int nhost_image_find(const struct nhost_image *image, const char *name)
{
	for (uint32_t i = 0; i < image->view.header->kernel_count; i++) {
		const char *own = image->view.strings + image->view.kernels[i].name;

		if (*own == *name && !strcmp(own, name))
			return (int)i;
	}
	return -1;
}

const struct nimg_param *nhost_image_params(
	const struct nhost_image *image, const struct nimg_kernel *kernel)
{
	return image->view.params + kernel->first_param;
}

const char *nhost_image_string(const struct nhost_image *image, uint32_t offset)
{
	return image->view.strings + offset;
}

const struct nimg_site *nhost_image_site(const struct nhost_image *image, uint32_t site)
{
	return site < image->view.header->site_count ? &image->view.sites[site] : NULL;
}

const void *nhost_image_code(const struct nhost_image *image, enum nimg_isa isa, uint64_t *nbytes)
{
	const struct nimg_part *code = &image->view.header->code[isa];

	*nbytes = code->bytes;
	return code->bytes ? image->view.bytes + code->offset : NULL;
}
