/*
 * image.c - the .nk file: tables, strings and the code of each ISA, as device/abi/image.h lays them
 * out.
 */
#include <string.h>
#include <zlib.h>

#include "compiler/nprocc.h"

/* An image that grows; offsets stay true while the bytes move. */
struct writer {
	unsigned char *bytes;
	size_t nbytes;
	size_t capacity;
};

static size_t reserve(struct writer *writer, size_t nbytes, size_t align)
{
	size_t offset = (writer->nbytes + align - 1) / align * align;
	while (writer->capacity < offset + nbytes) {
		size_t capacity = writer->capacity ? 2 * writer->capacity : 4096;
		unsigned char *bytes = pool_alloc(capacity);
		if (writer->nbytes)
			memcpy(bytes, writer->bytes, writer->nbytes);
		writer->bytes = bytes;
		writer->capacity = capacity;
	}
	writer->nbytes = offset + nbytes;
	return offset;
}

static size_t put(struct writer *writer, const void *bytes, size_t nbytes, size_t align)
{
	size_t offset = reserve(writer, nbytes, align);
	if (nbytes)
		memcpy(writer->bytes + offset, bytes, nbytes);
	return offset;
}

/* The offset of `text` in the string part; each text stands there once. */
static uint32_t put_string(struct writer *strings, const char *text)
{
	for (size_t at = 0; at < strings->nbytes; at += strlen((char *)strings->bytes + at) + 1) {
		if (!strcmp((char *)strings->bytes + at, text))
			return (uint32_t)at;
	}
	return (uint32_t)put(strings, text, strlen(text) + 1, 1);
}

static struct nimg_kernel kernel_entry(
	struct writer *strings, const struct kernel *kernel, uint32_t first_param)
{
	struct nimg_kernel entry = {
		.name = put_string(strings, kernel->name),
		.first_param = first_param,
		.param_count = kernel->param_count,
		.frame_bytes = report_largest(kernel->frame_bytes),
		.stack_bytes = report_largest(kernel->stack_bytes),
		.suspends = kernel->suspends,
		.far_accesses = kernel->far_accesses,
		.file = put_string(strings, kernel->file),
		.line = kernel->line,
	};
	memcpy(entry.code_bytes, kernel->code_bytes, sizeof entry.code_bytes);
	return entry;
}

static void put_kernels(struct writer *image, struct writer *strings, const struct program *program,
	struct nimg_header *header)
{
	header->kernel_count = (uint32_t)program->kernel_count;
	header->kernels_offset = reserve(image, 0, 8);
	for (size_t i = 0; i < program->kernel_count; i++) {
		struct nimg_kernel entry =
			kernel_entry(strings, program->kernels[i], header->param_count);
		put(image, &entry, sizeof entry, 4);
		header->param_count += entry.param_count;
	}
}

static void put_params(struct writer *image, struct writer *strings, const struct program *program,
	struct nimg_header *header)
{
	header->params_offset = reserve(image, 0, 8);
	for (size_t i = 0; i < program->kernel_count; i++) {
		for (unsigned p = 0; p < program->kernels[i]->param_count; p++) {
			const struct param *param = &program->kernels[i]->params[p];
			struct nimg_param entry = {
				.name = put_string(strings, param->name),
				.type = put_string(strings, param->type),
				.kind = (uint8_t)param->kind,
				.bytes = (uint8_t)param->bytes,
				.is_signed = param->is_signed,
				.is_const = param->is_const,
			};
			put(image, &entry, sizeof entry, 4);
		}
	}
}

static void put_sites(struct writer *image, struct writer *strings, const struct program *program,
	struct nimg_header *header)
{
	header->site_count = (uint32_t)program->site_count;
	header->sites_offset = reserve(image, 0, 8);
	for (size_t i = 0; i < program->site_count; i++) {
		const struct site *site = &program->sites[i];
		struct nimg_site entry = {
			.file = put_string(strings, site->file),
			.line = site->line,
			.column = site->column,
			.function = put_string(strings, site->function),
			.text = put_string(strings, site->text),
		};
		put(image, &entry, sizeof entry, 4);
	}
}

void image_build(const struct program *program, void **bytes, size_t *nbytes)
{
	struct writer image = {0}, strings = {0};
	struct nimg_header header = {.version = NIMG_VERSION, .abi_version = NK_ABI_VERSION};
	memcpy(header.magic, NIMG_MAGIC, sizeof header.magic);
	reserve(&image, sizeof header, 8);
	put(&strings, "", 1, 1);
	put_kernels(&image, &strings, program, &header);
	put_params(&image, &strings, program, &header);
	put_sites(&image, &strings, program, &header);
	header.strings.bytes = strings.nbytes;
	header.strings.offset = put(&image, strings.bytes, strings.nbytes, 8);
	for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
		header.code[isa].bytes = program->code[isa].nbytes;
		header.code[isa].offset =
			put(&image, program->code[isa].bytes, program->code[isa].nbytes, 64);
	}
	header.total_bytes = image.nbytes;
	memcpy(image.bytes, &header, sizeof header);
	header.checksum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), image.bytes, image.nbytes);
	memcpy(image.bytes, &header, sizeof header);
	*bytes = image.bytes;
	*nbytes = image.nbytes;
}
