#include "tests/host/small_image.h"

#include <string.h>
#include <zlib.h>

#include "device/abi/kernel.h"

/* Adds a string and returns its offset. */
static uint32_t add_string(struct small_image *image, uint32_t *used, const char *text)
{
	uint32_t offset = *used;

	memcpy(image->strings + offset, text, strlen(text) + 1);
	*used += (uint32_t)strlen(text) + 1;
	return offset;
}

static void make_header(struct small_image *image)
{
	struct nimg_header *header = &image->header;

	memcpy(header->magic, NIMG_MAGIC, sizeof header->magic);
	header->version = NIMG_VERSION;
	header->abi_version = NK_ABI_VERSION;
	header->total_bytes = sizeof *image;
	header->kernel_count = SMALL_KERNELS;
	header->param_count = SMALL_PARAMS;
	header->site_count = SMALL_SITES;
	header->kernels_offset = offsetof(struct small_image, kernels);
	header->params_offset = offsetof(struct small_image, params);
	header->sites_offset = offsetof(struct small_image, sites);
	header->strings =
		(struct nimg_part){offsetof(struct small_image, strings), sizeof image->strings};
	for (unsigned isa = 0; isa < NIMG_ISA_COUNT; isa++)
		header->code[isa] =
			(struct nimg_part){offsetof(struct small_image, code), sizeof image->code};
}

static void make_params(struct small_image *image, uint32_t *used)
{
	struct nimg_param *params = image->params;

	params[0] = (struct nimg_param){
		.name = add_string(image, used, "keys"),
		.type = add_string(image, used, "const far uint64_t *"),
		.kind = NIMG_FAR,
		.bytes = 8,
		.is_const = 1,
	};
	params[1] = (struct nimg_param){
		.name = add_string(image, used, "n"),
		.type = add_string(image, used, "int32_t"),
		.kind = NIMG_INT,
		.bytes = 4,
		.is_signed = 1,
	};
	params[2] = (struct nimg_param){
		.name = add_string(image, used, "limit"),
		.type = add_string(image, used, "double"),
		.kind = NIMG_FLOAT,
		.bytes = 8,
	};
	params[3] = (struct nimg_param){
		.name = add_string(image, used, "pair"),
		.type = add_string(image, used, "struct pair"),
		.kind = NIMG_STRUCT,
		.bytes = 12,
	};
}

void small_image_make(struct small_image *image)
{
	uint32_t used = 1, file;

	memset(image, 0, sizeof *image);
	make_header(image);
	file = add_string(image, &used, "small.c");
	image->kernels[0] = (struct nimg_kernel){.name = add_string(image, &used, "nothing"),
		.frame_bytes = 32,
		.file = file,
		.line = 3};
	image->kernels[1] = (struct nimg_kernel){
		.name = add_string(image, &used, "count"),
		.param_count = SMALL_PARAMS,
		.frame_bytes = 64,
		.file = file,
		.line = 9,
	};
	make_params(image, &used);
	image->sites[1] = (struct nimg_site){
		.file = file,
		.line = 12,
		.column = 5,
		.function = image->kernels[1].name,
		.text = add_string(image, &used, "n > 0"),
	};
	memset(image->code, 0xc3, sizeof image->code);
	small_image_seal(image);
}

void small_image_seal(struct small_image *image)
{
	image->header.checksum = 0;
	image->header.checksum = (uint32_t)crc32(0, (const Bytef *)image, sizeof *image);
}
