/* Code of images: what is loaded, and what is refused before anybody runs it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "emu/code.h"
#include "emu/elf64.h"
#include "tests/emu/kernels/kernels.h"
#include "tests/emu/world.h"

static char *code;
static uint64_t code_nbytes;

static int read_code(void **state)
{
	(void)state;
	code = world_read_file(TEST_KERNELS_PATH, &code_nbytes);
	return 0;
}

static int free_code(void **state)
{
	(void)state;
	free(code);
	return 0;
}

static int try_load(const void *bytes, uint64_t nbytes, unsigned kernel_count)
{
	const struct nk_code *kernels;
	struct nemu_code *loaded;
	int result = nemu_code_load(bytes, nbytes, kernel_count, &kernels, &loaded);

	if (!result)
		nemu_code_unload(loaded);
	return result;
}

/* A changed copy of the code, as an exact allocation so that reading past it is noticed. */
static int try_changed(uint64_t offset, unsigned char value, uint64_t nbytes)
{
	unsigned char *changed = malloc(nbytes);
	struct nemu_elf elf;
	int result;

	assert_non_null(changed);
	memcpy(changed, code, nbytes);
	if (offset < nbytes)
		changed[offset] = value;
	result = nemu_elf_check(changed, nbytes, NEMU_ELF_X86_64, &elf);
	for (unsigned i = 0; !result && i < elf.segment_count; i++) {
		const struct nemu_segment *segment = &elf.segment[i];

		assert_true(segment->offset <= nbytes);
		assert_true(segment->file_bytes <= nbytes - segment->offset);
		assert_true(segment->address + segment->memory_bytes <= elf.span);
	}
	free(changed);
	return result;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void loaded_code_has_its_kernels(void **state)
{
	const struct nk_code *kernels;
	struct nemu_code *loaded;

	(void)state;
	assert_int_equal(
		nemu_code_load(code, code_nbytes, TEST_KERNEL_COUNT, &kernels, &loaded), 0);
	for (unsigned i = 0; i < TEST_KERNEL_COUNT; i++) {
		assert_non_null(kernels[i].entry);
		assert_in_range(kernels[i].frame_bytes, 8, NK_FRAME_MAX);
	}
	nemu_code_unload(loaded);
}

/* One file can be opened, which the code is written to; the loader cannot open it once more. */
static void loader_without_files_says_so(void **state)
{
	struct rlimit old, low;
	int next = dup(0);
	int result;

	(void)state;
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = (struct rlimit){(rlim_t)next + 1, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	result = try_load(code, code_nbytes, TEST_KERNEL_COUNT);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);

	assert_int_equal(result, -EMFILE);
	assert_int_equal(try_load(code, code_nbytes, TEST_KERNEL_COUNT), 0);
}

static void two_images_of_the_same_code_are_two(void **state)
{
	const struct nk_code *kernels[2];
	struct nemu_code *loaded[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(nemu_code_load(code, code_nbytes, TEST_KERNEL_COUNT, &kernels[i],
					 &loaded[i]),
			0);
	assert_ptr_not_equal(kernels[0], kernels[1]);
	nemu_code_unload(loaded[0]);
	assert_non_null(kernels[1][0].entry);
	nemu_code_unload(loaded[1]);
}

static void garbage_is_refused(void **state)
{
	static const char text[256] = "this is no shared object";

	(void)state;
	assert_int_equal(try_load(code, 0, TEST_KERNEL_COUNT), -EINVAL);
	assert_int_equal(try_load(code, 63, TEST_KERNEL_COUNT), -EINVAL);
	assert_int_equal(try_load(text, sizeof text, TEST_KERNEL_COUNT), -EINVAL);
	assert_int_equal(try_load(code, 1ull << 40, TEST_KERNEL_COUNT), -EINVAL);
}

static void code_for_another_machine_is_refused(void **state)
{
	struct nemu_elf elf;

	(void)state;
	assert_int_equal(nemu_elf_check(code, code_nbytes, NEMU_ELF_RISCV, &elf), -EINVAL);
}

static void more_kernels_than_there_are_is_refused(void **state)
{
	(void)state;
	assert_int_equal(try_load(code, code_nbytes, TEST_KERNEL_COUNT + 1), -EINVAL);
	assert_int_equal(try_load(code, code_nbytes, UINT32_MAX), -EINVAL);
}

static void code_cut_inside_a_segment_is_refused(void **state)
{
	struct nemu_elf elf;
	uint64_t end = 0;

	(void)state;
	assert_int_equal(nemu_elf_check(code, code_nbytes, NEMU_ELF_X86_64, &elf), 0);
	for (unsigned i = 0; i < elf.segment_count; i++)
		if (elf.segment[i].offset + elf.segment[i].file_bytes > end)
			end = elf.segment[i].offset + elf.segment[i].file_bytes;
	for (uint64_t nbytes = 1; nbytes < end; nbytes++)
		assert_int_equal(try_changed(code_nbytes, 0, nbytes), -EINVAL);
	assert_int_equal(try_changed(code_nbytes, 0, end), 0);
}

static void changed_headers_never_lead_outside_the_file(void **state)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	unsigned refused = 0;

	(void)state;
	for (uint64_t offset = 0; offset < 0x200; offset++)
		for (unsigned i = 0; i < sizeof values; i++)
			refused += try_changed(offset, values[i], code_nbytes) != 0;
	assert_in_range(refused, 100, 0x200 * sizeof values);
}

static void entry(struct nk_process *process, const uint64_t *args)
{
	(void)process, (void)args;
}

/* An object of 4096 bytes around a table or an entry, seen as loaded there. */
static struct nemu_elf object_of(bool executable)
{
	return (struct nemu_elf){
		.segment_count = 1,
		.segment = {{.memory_bytes = 4096, .executable = executable}},
		.span = 4096,
	};
}

static void frame_beyond_the_limit_is_refused(void **state)
{
	static struct nk_code kernels[2];
	struct nemu_elf elf = object_of(true);
	uint64_t base = (uintptr_t)kernels;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uintptr_t inside = base + 64;

		memcpy(&kernels[i].entry, &inside, sizeof inside);
		kernels[i].frame_bytes = NK_FRAME_MAX;
	}
	assert_int_equal(nemu_elf_check_kernels(&elf, base, kernels, 2), 0);
	kernels[1].frame_bytes = NK_FRAME_MAX + 1;
	assert_int_equal(nemu_elf_check_kernels(&elf, base, kernels, 2), -EINVAL);
}

static void entry_outside_the_object_is_refused(void **state)
{
	static const struct nk_code kernels[1] = {{.entry = entry, .frame_bytes = 64}};
	struct nemu_elf elf = object_of(true);

	(void)state;
	assert_int_equal(nemu_elf_check_kernels(&elf, (uintptr_t)kernels, kernels, 1), -EINVAL);
}

static void entry_that_is_not_executable_is_refused(void **state)
{
	static struct nk_code kernels[1] = {{.frame_bytes = 64}};
	struct nemu_elf elf = object_of(false);
	uintptr_t inside = (uintptr_t)kernels;

	(void)state;
	memcpy(&kernels[0].entry, &inside, sizeof inside);
	assert_int_equal(nemu_elf_check_kernels(&elf, inside, kernels, 1), -EINVAL);
}

static void refused_load_leaves_the_device_working(void **state)
{
	struct world *world = world_open("inproc");

	(void)state;
	assert_int_equal(small_host_load(&world->host, 1, 0, 4096, 1), -EINVAL);
	assert_int_equal(small_host_load(&world->host, 1, 0, ~0ull, 1), -EINVAL);
	world_close(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loaded_code_has_its_kernels),
		cmocka_unit_test(loader_without_files_says_so),
		cmocka_unit_test(two_images_of_the_same_code_are_two),
		cmocka_unit_test(garbage_is_refused),
		cmocka_unit_test(code_for_another_machine_is_refused),
		cmocka_unit_test(more_kernels_than_there_are_is_refused),
		cmocka_unit_test(code_cut_inside_a_segment_is_refused),
		cmocka_unit_test(changed_headers_never_lead_outside_the_file),
		cmocka_unit_test(frame_beyond_the_limit_is_refused),
		cmocka_unit_test(entry_outside_the_object_is_refused),
		cmocka_unit_test(entry_that_is_not_executable_is_refused),
		cmocka_unit_test(refused_load_leaves_the_device_working),
	};

	return cmocka_run_group_tests(tests, read_code, free_code);
}
