/* Reading images: everything in one is untrusted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/abi/kernel.h"
#include "host/image.h"
#include "tests/host/small_image.h"

/* The image, or NULL; then `error` says why. */
static struct nhost_image *read_bytes(const void *bytes, size_t nbytes, struct nhost_error *error)
{
	struct nhost_image *image;
	int result = nhost_image_read(bytes, nbytes, &image, error);

	assert_true(result == 0 || result == -ENOEXEC);
	assert_true((image != NULL) == (result == 0));
	return image;
}

static void assert_refused(const void *bytes, size_t nbytes, const char *text)
{
	struct nhost_error error = {""};

	assert_null(read_bytes(bytes, nbytes, &error));
	if (!strstr(error.text, text))
		print_error("'%s' is not in '%s'\n", text, error.text);
	assert_non_null(strstr(error.text, text));
}

/* A change that its maker sealed. */
static void assert_malformed(struct small_image *image)
{
	small_image_seal(image);
	assert_refused(image, sizeof *image, "malformed");
	small_image_make(image);
}

static void kernels_are_found_by_name(void **state)
{
	struct small_image small;
	struct nhost_error error;
	struct nhost_image *image;
	(void)state;
	small_image_make(&small);

	image = read_bytes(&small, sizeof small, &error);

	assert_int_equal(nhost_image_kernel_count(image), 2);
	assert_int_equal(nhost_image_find(image, "nothing"), 0);
	assert_int_equal(nhost_image_find(image, "count"), 1);
	assert_int_equal(nhost_image_find(image, "coun"), -1);
	assert_int_equal(nhost_image_find(image, ""), -1);
	nhost_image_free(image);
}

static void parameters_sites_and_code_are_where_they_were_put(void **state)
{
	struct small_image small;
	struct nhost_error error;
	struct nhost_image *image;
	const struct nimg_param *params;
	uint64_t nbytes;
	(void)state;
	small_image_make(&small);

	image = read_bytes(&small, sizeof small, &error);

	params = nhost_image_params(image, nhost_image_kernel(image, 1));
	assert_string_equal(nhost_image_string(image, params[3].type), "struct pair");
	assert_string_equal(nhost_image_string(image, 0), "");
	assert_int_equal(nhost_image_site(image, 1)->line, 12);
	assert_null(nhost_image_site(image, 2));
	assert_memory_equal(
		nhost_image_code(image, NIMG_X86_64, &nbytes), small.code, SMALL_CODE_BYTES);
	assert_int_equal(nbytes, SMALL_CODE_BYTES);
	nhost_image_free(image);
}

static void the_callers_bytes_are_not_needed_afterwards(void **state)
{
	struct small_image small;
	struct nhost_error error;
	struct nhost_image *image;
	(void)state;
	small_image_make(&small);

	image = read_bytes(&small, sizeof small, &error);
	memset(&small, 0xff, sizeof small);

	assert_int_equal(nhost_image_find(image, "count"), 1);
	nhost_image_free(image);
}

static void an_image_need_not_be_aligned(void **state)
{
	struct small_image small;
	struct nhost_error error;
	struct nhost_image *image;
	unsigned char *bytes = malloc(sizeof small + 1);
	(void)state;
	small_image_make(&small);
	memcpy(bytes + 1, &small, sizeof small);

	image = read_bytes(bytes + 1, sizeof small, &error);

	assert_non_null(image);
	nhost_image_free(image);
	free(bytes);
}

static void every_byte_that_is_changed_is_noticed(void **state)
{
	struct small_image small;
	unsigned char *bytes = (unsigned char *)&small;
	struct nhost_error error;
	(void)state;
	small_image_make(&small);

	for (size_t i = 0; i < sizeof small; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (unsigned char)(1u << bit);
			assert_null(read_bytes(bytes, sizeof small, &error));
			bytes[i] ^= (unsigned char)(1u << bit);
		}
	}
}

static void every_truncation_is_noticed(void **state)
{
	struct small_image small;
	struct nhost_error error;
	(void)state;
	small_image_make(&small);

	for (size_t nbytes = 0; nbytes < sizeof small; nbytes++) {
		unsigned char *exact =
			malloc(nbytes ? nbytes : 1); /* a read past its end is seen */

		memcpy(exact, &small, nbytes);
		assert_null(read_bytes(exact, nbytes, &error));
		free(exact);
	}
}

static void messages_say_what_is_wrong(void **state)
{
	struct small_image small;
	char versions[80];
	(void)state;

	small_image_make(&small);
	assert_refused("text", 4, "not a kernel image");
	assert_refused(&small, sizeof small - 1, "truncated: it says");
	small.header.version = 7;
	snprintf(versions, sizeof versions,
		"version 7 (kernel version %d), this library reads %d (%d)", NK_ABI_VERSION,
		NIMG_VERSION, NK_ABI_VERSION);
	assert_refused(&small, sizeof small, versions);
	small_image_make(&small);
	small.header.abi_version = 9;
	assert_refused(&small, sizeof small, "kernel version 9");
	small_image_make(&small);
	small.code[5] ^= 1;
	assert_refused(&small, sizeof small, "checksum");
}

static void bytes_behind_the_image_are_refused(void **state)
{
	struct {
		struct small_image image;
		char more[8];
	} bytes = {.more = "more"};
	(void)state;
	small_image_make(&bytes.image);

	assert_refused(&bytes, sizeof bytes.image + 1, "too long");
}

static void tables_outside_the_image_are_refused(void **state)
{
	struct small_image small;
	uint64_t *const offsets[] = {&small.header.kernels_offset, &small.header.params_offset,
		&small.header.sites_offset, &small.header.strings.offset,
		&small.header.code[0].offset};
	static const uint64_t wrong[] = {
		UINT64_MAX, UINT64_MAX - 7, sizeof small, sizeof small - 8, 1ull << 63};
	(void)state;
	small_image_make(&small);

	for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
		for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
			*offsets[i] = wrong[k];
			assert_malformed(&small);
		}
		*offsets[i] += 4; /* not aligned */
		assert_malformed(&small);
	}
}

static void counts_that_do_not_fit_are_refused(void **state)
{
	struct small_image small;
	uint32_t *const counts[] = {
		&small.header.kernel_count, &small.header.param_count, &small.header.site_count};
	(void)state;
	small_image_make(&small);

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		*counts[i] = UINT32_MAX;
		assert_malformed(&small);
		*counts[i] = 100;
		assert_malformed(&small);
	}
	small.header.kernel_count = 0;
	assert_malformed(&small);
	small.header.strings.bytes = 0;
	assert_malformed(&small);
	small.header.code[1].bytes = UINT64_MAX;
	assert_malformed(&small);
}

static void strings_that_do_not_end_are_refused(void **state)
{
	struct small_image small;
	(void)state;
	small_image_make(&small);

	small.strings[SMALL_STRINGS_BYTES - 1] = 'x';
	assert_malformed(&small);
	small.strings[0] = 'x';
	assert_malformed(&small);
}

static void string_offsets_outside_are_refused(void **state)
{
	struct small_image small;
	uint32_t *const offsets[] = {&small.kernels[0].name, &small.kernels[0].file,
		&small.params[0].name, &small.params[0].type, &small.sites[1].file,
		&small.sites[1].function, &small.sites[1].text};
	(void)state;
	small_image_make(&small);

	for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
		*offsets[i] = SMALL_STRINGS_BYTES;
		assert_malformed(&small);
		*offsets[i] = UINT32_MAX;
		assert_malformed(&small);
	}
}

static void impossible_kernels_are_refused(void **state)
{
	struct small_image small;
	(void)state;
	small_image_make(&small);

	small.kernels[0].name = 0;
	assert_malformed(&small);
	small.kernels[1].param_count = NK_PARAMS_MAX + 1;
	assert_malformed(&small);
	small.kernels[1].first_param = 1;
	assert_malformed(&small);
	small.kernels[1].first_param = UINT32_MAX;
	assert_malformed(&small);
	small.kernels[1].frame_bytes = NK_FRAME_MAX + 1;
	assert_malformed(&small);
	small.kernels[1].stack_bytes = NK_STACK_MAX + 1;
	assert_malformed(&small);
}

static void names_that_are_too_long_are_refused(void **state)
{
	struct small_image small;
	(void)state;
	small_image_make(&small);

	memset(small.strings + small.kernels[0].name, 'n', NK_NAME_MAX + 1);
	assert_malformed(&small);
}

static void impossible_parameters_are_refused(void **state)
{
	static const struct nimg_param wrong[] = {
		{.kind = NIMG_PARAM_KIND_COUNT, .bytes = 8},
		{.kind = 255, .bytes = 8},
		{.kind = NIMG_INT, .bytes = 3},
		{.kind = NIMG_INT, .bytes = 0},
		{.kind = NIMG_INT, .bytes = 16},
		{.kind = NIMG_FLOAT, .bytes = 2},
		{.kind = NIMG_STRUCT, .bytes = 0},
		{.kind = NIMG_STRUCT, .bytes = NK_STRUCT_PARAM_MAX + 1},
		{.kind = NIMG_INT, .bytes = 4, .is_signed = 2},
		{.kind = NIMG_FAR, .bytes = 8, .is_const = 3},
	};
	struct small_image small;
	(void)state;
	small_image_make(&small);

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		small.params[2] = wrong[i];
		assert_malformed(&small);
	}
}

static void code_for_an_isa_may_be_missing(void **state)
{
	struct small_image small;
	struct nhost_error error;
	struct nhost_image *image;
	uint64_t nbytes;
	(void)state;
	small_image_make(&small);
	small.header.code[NIMG_RISCV64] = (struct nimg_part){0, 0};
	small_image_seal(&small);

	image = read_bytes(&small, sizeof small, &error);

	assert_null(nhost_image_code(image, NIMG_RISCV64, &nbytes));
	assert_non_null(nhost_image_code(image, NIMG_X86_64_V3, &nbytes));
	nhost_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_found_by_name),
		cmocka_unit_test(parameters_sites_and_code_are_where_they_were_put),
		cmocka_unit_test(the_callers_bytes_are_not_needed_afterwards),
		cmocka_unit_test(an_image_need_not_be_aligned),
		cmocka_unit_test(every_byte_that_is_changed_is_noticed),
		cmocka_unit_test(every_truncation_is_noticed),
		cmocka_unit_test(messages_say_what_is_wrong),
		cmocka_unit_test(bytes_behind_the_image_are_refused),
		cmocka_unit_test(tables_outside_the_image_are_refused),
		cmocka_unit_test(counts_that_do_not_fit_are_refused),
		cmocka_unit_test(strings_that_do_not_end_are_refused),
		cmocka_unit_test(string_offsets_outside_are_refused),
		cmocka_unit_test(impossible_kernels_are_refused),
		cmocka_unit_test(names_that_are_too_long_are_refused),
		cmocka_unit_test(impossible_parameters_are_refused),
		cmocka_unit_test(code_for_an_isa_may_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
