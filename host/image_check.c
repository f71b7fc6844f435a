#include "host/image_check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "device/abi/kernel.h"

/* The checksum is taken with its own field as zero. */
static uint32_t checksum_of(const struct nhost_image_view *view)
{
	const size_t field = offsetof(struct nimg_header, checksum);
	const size_t behind = field + sizeof(view->header->checksum);
	static const unsigned char zeros[sizeof(view->header->checksum)];
	uLong sum = crc32_z(0, view->bytes, field);

	sum = crc32_z(sum, zeros, sizeof(zeros));
	return (uint32_t)crc32_z(sum, view->bytes + behind, view->nbytes - behind);
}

static int check_kind(const struct nhost_image_view *view, struct nhost_error *error)
{
	const struct nimg_header *header = view->header;

	if (view->nbytes < sizeof(*header) ||
		memcmp(header->magic, NIMG_MAGIC, sizeof(header->magic)))
		return nhost_fail(error, ENOEXEC,
			"this is not a kernel image: make one with nprocc -c kernels.c -o kernels.nk");
	if (header->version != NIMG_VERSION || header->abi_version != NK_ABI_VERSION)
		return nhost_fail(error, ENOEXEC,
			"the image is of version %" PRIu32 " (kernel version %" PRIu32
			"), this library reads %d (%d): compile it again with this release's nprocc",
			header->version, header->abi_version, NIMG_VERSION, NK_ABI_VERSION);
	return 0;
}

static int check_whole(const struct nhost_image_view *view, struct nhost_error *error)
{
	const struct nimg_header *header = view->header;

	if (header->total_bytes != view->nbytes)
		return nhost_fail(error, ENOEXEC,
			"the image is %s: it says %" PRIu64 " bytes, %" PRIu64 " are there",
			header->total_bytes > view->nbytes ? "truncated" : "too long",
			header->total_bytes, view->nbytes);
	if (header->checksum != checksum_of(view))
		return nhost_fail(error, ENOEXEC,
			"the image is corrupted: its checksum is wrong; compile it again");
	return 0;
}

static int impossible(const char *what, uint64_t number, struct nhost_error *error)
{
	return nhost_fail(error, ENOEXEC,
		"the image is malformed: %s (%" PRIu64 "); compile it again", what, number);
}

/* A table of `count` entries lies inside the image. */
static bool holds(
	const struct nhost_image_view *view, uint64_t offset, uint64_t count, uint64_t entry_nbytes)
{
	return offset % 8 == 0 && offset <= view->nbytes &&
	       count <= (view->nbytes - offset) / entry_nbytes;
}

static int check_tables(struct nhost_image_view *view, struct nhost_error *error)
{
	const struct nimg_header *header = view->header;

	if (!header->kernel_count || header->kernel_count > UINT16_MAX ||
		!holds(view, header->kernels_offset, header->kernel_count, sizeof(*view->kernels)))
		return impossible("its table of kernels", header->kernel_count, error);
	if (!holds(view, header->params_offset, header->param_count, sizeof(*view->params)))
		return impossible("its table of parameters", header->param_count, error);
	if (!holds(view, header->sites_offset, header->site_count, sizeof(*view->sites)))
		return impossible("its table of source places", header->site_count, error);
	view->kernels = (const void *)(view->bytes + header->kernels_offset);
	view->params = (const void *)(view->bytes + header->params_offset);
	view->sites = (const void *)(view->bytes + header->sites_offset);
	return 0;
}

static int check_code(const struct nhost_image_view *view, struct nhost_error *error)
{
	for (unsigned isa = 0; isa < NIMG_ISA_COUNT; isa++) {
		const struct nimg_part *code = &view->header->code[isa];

		if (code->bytes &&
			(code->offset % 64 || !holds(view, code->offset, code->bytes, 1)))
			return impossible("code of an instruction set", isa, error);
	}
	return 0;
}

/* The first string is empty and the last one ends, so every offset inside names a string. */
static int check_strings(struct nhost_image_view *view, struct nhost_error *error)
{
	const struct nimg_part *strings = &view->header->strings;

	if (!strings->bytes || !holds(view, strings->offset, strings->bytes, 1))
		return impossible("its strings", strings->bytes, error);
	view->strings = (const char *)(view->bytes + strings->offset);
	if (view->strings[0] || view->strings[strings->bytes - 1])
		return impossible("the end of its strings", strings->bytes, error);
	return 0;
}

static bool is_string(const struct nhost_image_view *view, uint32_t offset)
{
	return offset < view->header->strings.bytes;
}

static bool is_name(const struct nhost_image_view *view, uint32_t offset)
{
	size_t nbytes =
		is_string(view, offset) ? strnlen(view->strings + offset, NK_NAME_MAX + 1) : 0;

	return nbytes && nbytes <= NK_NAME_MAX;
}

static bool is_kernel(const struct nhost_image_view *view, const struct nimg_kernel *kernel)
{
	uint32_t param_count = view->header->param_count;

	return is_name(view, kernel->name) && is_string(view, kernel->file) &&
	       kernel->param_count <= NK_PARAMS_MAX && kernel->first_param <= param_count &&
	       kernel->param_count <= param_count - kernel->first_param &&
	       kernel->frame_bytes <= NK_FRAME_MAX && kernel->stack_bytes <= NK_STACK_MAX;
}

static bool has_possible_size(const struct nimg_param *param)
{
	switch (param->kind) {
	case NIMG_INT:
		return param->bytes == 1 || param->bytes == 2 || param->bytes == 4 ||
		       param->bytes == 8;
	case NIMG_FLOAT:
		return param->bytes == 4 || param->bytes == 8;
	case NIMG_FAR:
		return true;
	case NIMG_STRUCT:
		return param->bytes && param->bytes <= NK_STRUCT_PARAM_MAX;
	default:
		return false;
	}
}

static bool is_param(const struct nhost_image_view *view, const struct nimg_param *param)
{
	return is_string(view, param->name) && is_string(view, param->type) &&
	       has_possible_size(param) && param->is_signed <= 1 && param->is_const <= 1;
}

static bool is_site(const struct nhost_image_view *view, const struct nimg_site *site)
{
	return is_string(view, site->file) && is_string(view, site->function) &&
	       is_string(view, site->text);
}

static int check_entries(const struct nhost_image_view *view, struct nhost_error *error)
{
	for (uint32_t i = 0; i < view->header->kernel_count; i++)
		if (!is_kernel(view, &view->kernels[i]))
			return impossible("a kernel", i, error);
	for (uint32_t i = 0; i < view->header->param_count; i++)
		if (!is_param(view, &view->params[i]))
			return impossible("a parameter", i, error);
	for (uint32_t i = 0; i < view->header->site_count; i++)
		if (!is_site(view, &view->sites[i]))
			return impossible("a source place", i, error);
	return 0;
}

int nhost_image_check(struct nhost_image_view *view, struct nhost_error *error)
{
	int result;

	view->header = (const void *)view->bytes;
	result = check_kind(view, error);
	if (!result)
		result = check_whole(view, error);
	if (!result)
		result = check_tables(view, error);
	if (!result)
		result = check_code(view, error);
	if (!result)
		result = check_strings(view, error);
	return result ? result : check_entries(view, error);
}
