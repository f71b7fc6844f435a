/* test_image.c - image_build() against device/abi/image.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "compiler/nprocc.h"

/*
 * Two kernels, three parameters, two sites, code of 5, 0 and 70 bytes:
 *
 *   header | add, count | a, b of add; keys of count | site 0, site 1 | strings | "code." | 70
 *   bytes
 */
static struct kernel add = {
	.name = "add",
	.file = "math.c",
	.line = 3,
	.params = {{"a", "int", NIMG_INT, 4, true, false},
		{"b", "double", NIMG_FLOAT, 8, false, false}},
	.param_count = 2,
	.frame_bytes = {48, 56, 40},
	.stack_bytes = {8, 16, 80},
	.code_bytes = {100, 110, 90},
	.suspends = 1,
};

static struct kernel count = {
	.name = "count",
	.file = "math.c",
	.line = 9,
	.params = {{"keys", "const far uint64_t *", NIMG_FAR, 8, false, true}},
	.param_count = 1,
	.far_accesses = 4,
};

static unsigned char riscv_code[70] = {1, 2, 3};

struct built {
	unsigned char *bytes;
	size_t nbytes;
	struct nimg_header header;
};

static void build(struct built *built)
{
	static struct kernel *kernels[] = {&add, &count};
	static struct site sites[] = {{"", 0, 0, "", ""}, {"math.c", 4, 7, "add", "a < b"}};
	static struct program program = {
		.kernels = kernels,
		.kernel_count = 2,
		.sites = sites,
		.site_count = 2,
		.code = {{"code.", 5}, {"", 0}, {riscv_code, sizeof riscv_code}},
	};
	void *bytes;
	image_build(&program, &bytes, &built->nbytes);
	built->bytes = bytes;
	memcpy(&built->header, bytes, sizeof built->header);
}

static const char *text(const struct built *built, uint32_t string)
{
	assert_true(string < built->header.strings.bytes);
	return (const char *)built->bytes + built->header.strings.offset + string;
}

static struct nimg_kernel kernel_at(const struct built *built, unsigned i)
{
	struct nimg_kernel kernel;
	memcpy(&kernel, built->bytes + built->header.kernels_offset + i * sizeof kernel,
		sizeof kernel);
	return kernel;
}

static struct nimg_param param_at(const struct built *built, unsigned i)
{
	struct nimg_param param;
	memcpy(&param, built->bytes + built->header.params_offset + i * sizeof param, sizeof param);
	return param;
}

static void header_says_what_it_is(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	assert_memory_equal(built.header.magic, NIMG_MAGIC, sizeof built.header.magic);
	assert_int_equal(built.header.version, NIMG_VERSION);
	assert_int_equal(built.header.abi_version, NK_ABI_VERSION);
	assert_int_equal(built.header.total_bytes, built.nbytes);
	assert_int_equal(built.header.kernel_count, 2);
	assert_int_equal(built.header.param_count, 3);
	assert_int_equal(built.header.site_count, 2);
}

static void checksum_covers_every_byte_but_itself(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	uint32_t checksum = built.header.checksum;
	built.header.checksum = 0;
	memcpy(built.bytes, &built.header, sizeof built.header);
	assert_int_equal(crc32(0, built.bytes, (uInt)built.nbytes), checksum);
}

static void parts_are_aligned_and_inside(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	const struct nimg_header *header = &built.header;
	assert_int_equal(header->kernels_offset % 8, 0);
	assert_int_equal(header->params_offset % 8, 0);
	assert_int_equal(header->sites_offset % 8, 0);
	assert_int_equal(header->strings.offset % 8, 0);
	for (int isa = 0; isa < NIMG_ISA_COUNT; isa++) {
		assert_int_equal(header->code[isa].offset % 64, 0);
		assert_true(header->code[isa].offset + header->code[isa].bytes <= built.nbytes);
	}
	assert_true(header->kernels_offset >= sizeof *header);
	assert_true(
		header->params_offset >= header->kernels_offset + 2 * sizeof(struct nimg_kernel));
	assert_true(header->sites_offset >= header->params_offset + 3 * sizeof(struct nimg_param));
	assert_true(header->strings.offset >= header->sites_offset + 2 * sizeof(struct nimg_site));
	assert_true(header->code[0].offset >= header->strings.offset + header->strings.bytes);
}

static void code_is_kept_as_it_is(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	assert_int_equal(built.header.code[NIMG_X86_64].bytes, 5);
	assert_memory_equal(built.bytes + built.header.code[NIMG_X86_64].offset, "code.", 5);
	assert_int_equal(built.header.code[NIMG_X86_64_V3].bytes, 0);
	assert_memory_equal(built.bytes + built.header.code[NIMG_RISCV64].offset, riscv_code,
		sizeof riscv_code);
}

static void kernels_keep_their_order_and_figures(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	struct nimg_kernel first = kernel_at(&built, 0), second = kernel_at(&built, 1);
	assert_string_equal(text(&built, first.name), "add");
	assert_string_equal(text(&built, first.file), "math.c");
	assert_int_equal(first.line, 3);
	assert_int_equal(first.frame_bytes, 56); /* the largest of all ISAs */
	assert_int_equal(first.stack_bytes, 80);
	assert_int_equal(first.code_bytes[NIMG_RISCV64], 90);
	assert_int_equal(first.suspends, 1);
	assert_string_equal(text(&built, second.name), "count");
	assert_int_equal(second.far_accesses, 4);
	assert_int_equal(second.first_param, 2);
	assert_int_equal(second.param_count, 1);
}

static void params_follow_their_kernels(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	struct nimg_param a = param_at(&built, 0), b = param_at(&built, 1),
			  keys = param_at(&built, 2);
	assert_int_equal(a.kind, NIMG_INT);
	assert_true(a.is_signed && !a.is_const);
	assert_int_equal(b.kind, NIMG_FLOAT);
	assert_int_equal(b.bytes, 8);
	assert_string_equal(text(&built, keys.name), "keys");
	assert_string_equal(text(&built, keys.type), "const far uint64_t *");
	assert_true(keys.is_const);
}

static void sites_name_places(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	struct nimg_site sites[2];
	memcpy(sites, built.bytes + built.header.sites_offset, sizeof sites);
	assert_int_equal(sites[0].line, 0);
	assert_int_equal(sites[0].file, 0);
	assert_int_equal(sites[1].line, 4);
	assert_int_equal(sites[1].column, 7);
	assert_string_equal(text(&built, sites[1].function), "add");
	assert_string_equal(text(&built, sites[1].text), "a < b");
}

static void strings_stand_once_and_begin_with_the_empty_one(void **state)
{
	(void)state;
	struct built built;
	build(&built);
	assert_string_equal(text(&built, 0), "");
	assert_int_equal(kernel_at(&built, 0).file, kernel_at(&built, 1).file);
	assert_int_equal(
		built.bytes[built.header.strings.offset + built.header.strings.bytes - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_says_what_it_is),
		cmocka_unit_test(checksum_covers_every_byte_but_itself),
		cmocka_unit_test(parts_are_aligned_and_inside),
		cmocka_unit_test(code_is_kept_as_it_is),
		cmocka_unit_test(kernels_keep_their_order_and_figures),
		cmocka_unit_test(params_follow_their_kernels),
		cmocka_unit_test(sites_name_places),
		cmocka_unit_test(strings_stand_once_and_begin_with_the_empty_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
