/*
 * fuzz_image.c - the image loader takes any bytes: as they come, and once more with size and
 * checksum put right, as somebody would who makes images by hand. What it accepts is then read to
 * the last string.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "device/abi/kernel.h"
#include "host/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes);

static size_t total; /* of what was read, so that nothing is left out */

static void read_string(const struct nhost_image *image, uint32_t offset)
{
	total += strlen(nhost_image_string(image, offset));
}

static void read_kernel(const struct nhost_image *image, const struct nimg_kernel *kernel)
{
	const struct nimg_param *params = nhost_image_params(image, kernel);

	assert(kernel->param_count <= NK_PARAMS_MAX);
	read_string(image, kernel->name);
	read_string(image, kernel->file);
	assert(nhost_image_find(image, nhost_image_string(image, kernel->name)) >= 0);
	for (uint32_t i = 0; i < kernel->param_count; i++) {
		assert(params[i].kind < NIMG_PARAM_KIND_COUNT);
		read_string(image, params[i].name);
		read_string(image, params[i].type);
	}
}

static void read_all(const struct nhost_image *image)
{
	const struct nimg_site *site;
	uint64_t nbytes;

	for (unsigned i = 0; i < nhost_image_kernel_count(image); i++)
		read_kernel(image, nhost_image_kernel(image, i));
	for (uint32_t i = 0; (site = nhost_image_site(image, i)); i++) {
		read_string(image, site->file);
		read_string(image, site->function);
		read_string(image, site->text);
	}
	for (unsigned isa = 0; isa < NIMG_ISA_COUNT; isa++) {
		const unsigned char *code = nhost_image_code(image, (enum nimg_isa)isa, &nbytes);

		for (uint64_t i = 0; code && i < nbytes; i++)
			total += code[i];
	}
}

static void try(const void *bytes, size_t nbytes)
{
	struct nhost_image *image;
	struct nhost_error error;
	int result = nhost_image_read(bytes, nbytes, &image, &error);

	assert(result == 0 || result == -ENOEXEC || result == -ENOMEM);
	assert((image != NULL) == (result == 0));
	if (image)
		read_all(image);
	nhost_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
	struct nimg_header header;
	uint8_t *sealed;

	try(bytes, nbytes);
	if (nbytes < sizeof header)
		return 0;
	sealed = malloc(nbytes);
	memcpy(sealed, bytes, nbytes);
	memcpy(&header, sealed, sizeof header);
	header.total_bytes = nbytes;
	header.checksum = 0;
	memcpy(sealed, &header, sizeof header);
	header.checksum = (uint32_t)crc32(0, sealed, (uInt)nbytes);
	memcpy(sealed, &header, sizeof header);
	try(sealed, nbytes);
	free(sealed);
	return 0;
}
