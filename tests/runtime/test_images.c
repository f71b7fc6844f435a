/* Loading code onto a device. */
#include <sys/resource.h>

#include "device/abi/image.h"
#include "tests/runtime/fake.h"

static struct small_image small;
static struct nmsg_load seen;
static unsigned char seen_code[SMALL_CODE_BYTES];

static uint64_t free_nbytes(void)
{
	struct nproc_device_info info;

	assert_int_equal(nproc_device_info(fake.device, &info), 0);
	return info.far_free_nbytes;
}

static int open_small(struct nproc_image **image)
{
	return nproc_image_open_memory(fake.device, &small, sizeof small, image);
}

static int make_small(void **state)
{
	fake_open(state);
	small_image_make(&small);
	return 0;
}

/* Looks at what the host staged before it answers. */
static bool look_and_answer(void)
{
	struct nmsg_loaded loaded = {0};
	struct nchan_line line;

	if (!fake_try_take(0, &line))
		return false;
	assert_int_equal(nchan_head_kind(line.head), NCHAN_LOAD);
	memcpy(&seen, line.word, sizeof seen);
	memcpy(seen_code, (char *)fake.region + fake.identity.far_offset + seen.offset,
		sizeof seen_code);
	loaded.image = seen.image;
	fake_send(0, NCHAN_LOADED, 0, 0, &loaded, sizeof loaded);
	return true;
}

static void code_is_staged_in_far_memory_and_freed(void **state)
{
	uint64_t before = free_nbytes();
	struct nproc_image *image;
	(void)state;
	fake.answers_loads = false;
	fake.on_wait = look_and_answer;

	assert_int_equal(open_small(&image), 0);

	assert_int_equal(seen.bytes, SMALL_CODE_BYTES);
	assert_int_equal(seen.kernel_count, SMALL_KERNELS);
	assert_memory_equal(seen_code, small.code, SMALL_CODE_BYTES);
	assert_int_equal(free_nbytes(), before);
}

static void a_load_that_fails_leaves_nothing(void **state)
{
	uint64_t before = free_nbytes();
	struct nproc_image *image;
	(void)state;
	fake.load_status = -ENOEXEC;

	for (int i = 0; i < 300; i++) {
		assert_int_equal(open_small(&image), -ENOEXEC);
		assert_null(image);
	}

	assert_detail("the device cannot load the image's code: Exec format error");
	assert_int_equal(free_nbytes(), before);
	fake.load_status = 0;
	assert_int_equal(open_small(&image), 0);
}

static void code_that_the_device_cannot_read_gives_enoexec(void **state)
{
	struct nproc_image *image;
	(void)state;
	fake.load_status = -EINVAL;

	assert_int_equal(open_small(&image), -ENOEXEC);
	assert_detail("the device cannot load the image's code");
}

static void whatever_the_device_says_is_the_detail(void **state)
{
	static const int errors[] = {EMFILE, ENOMEM, EACCES, 4000};
	struct nproc_image *image;
	char text[256];
	(void)state;

	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
		assert_int_equal(nproc_image_open_memory(fake.device, NULL, 1, &image), -EINVAL);
		fake.load_status = -errors[i];
		assert_int_equal(open_small(&image), -errors[i]);
		snprintf(text, sizeof text, "the device cannot load the image's code: %s",
			errors[i] == 4000 ? "an error without a name" : strerror(errors[i]));
		assert_detail(text);
	}
}

/* Case 79: descriptors run out at the host, or at a device that is part of the program. */
static void case_79_no_descriptors_for_an_image_names_the_limit(void **state)
{
	struct rlimit usual, none = {0, 0};
	struct nproc_image *image;
	int result;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none.rlim_max = usual.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);

	result = nproc_image_open(fake.device, "/dev/null", &image);

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(result, -EMFILE);
	assert_detail("/dev/null: Too many open files (ulimit -n)");
	fake.load_status = -EMFILE;
	assert_int_equal(open_small(&image), -EMFILE);
	assert_detail("code: Too many open files (ulimit -n)");
}

static void a_status_that_is_no_error_breaks_the_protocol(void **state)
{
	struct nproc_image *image;
	(void)state;
	fake.load_status = INT32_MIN;

	assert_int_equal(open_small(&image), -EPROTO);
}

static void images_at_null_are_refused(void **state)
{
	struct nproc_image *image;
	(void)state;

	assert_int_equal(nproc_image_open_memory(fake.device, NULL, 1000, &image), -EINVAL);
	assert_null(image);
	assert_detail("NULL");
	assert_int_equal(nproc_image_open(fake.device, NULL, &image), -EINVAL);
	assert_null(image);
}

/* An answer that comes later is not held against the device, which is given up. */
static void a_load_that_cannot_wait_gives_the_device_up(void **state)
{
	struct nproc_image *image;
	(void)state;
	fake.wait_result = -EPERM;
	assert_int_equal(open_small(&image), -EPERM);

	fake.wait_result = 0;
	assert_int_equal(open_small(&image), -ENODEV);
}

static void code_of_the_best_isa_is_chosen(void **state)
{
	struct nproc_image *image;
	(void)state;
	fake_close(state);
	fake_reset();
	fake.identity.isa = NIMG_X86_64_V3;
	fake_start();
	small.header.code[NIMG_X86_64].bytes = 64;
	small_image_seal(&small);
	fake.answers_loads = false;
	fake.on_wait = look_and_answer;

	assert_int_equal(open_small(&image), 0);
	assert_int_equal(seen.bytes, SMALL_CODE_BYTES);
	small.header.code[NIMG_X86_64_V3].bytes = 0;
	small_image_seal(&small);
	assert_int_equal(open_small(&image), 0);
	assert_int_equal(seen.bytes, 64);
}

static void code_of_another_isa_is_refused(void **state)
{
	struct nproc_image *image;
	(void)state;
	small.header.code[NIMG_X86_64].bytes = 0;
	small_image_seal(&small);

	assert_int_equal(open_small(&image), -ENOEXEC);
	assert_detail("the image has no code for x86-64");
}

static void more_images_than_the_device_holds_give_enomem(void **state)
{
	struct nproc_image *image, *last = NULL;
	int opened = 1; /* fake_start()'s */
	(void)state;

	while (opened < 256 && !open_small(&image)) {
		last = image;
		opened++;
	}

	assert_int_equal(opened, 256);
	assert_int_equal(open_small(&image), -ENOMEM);
	assert_detail("holds 256 images");
	assert_int_equal(nproc_image_close(last), 0);
	assert_int_equal(open_small(&image), 0);
}

static void full_far_memory_gives_enomem(void **state)
{
	struct nproc_image *image;
	void *memory;
	(void)state;
	assert_int_equal(nmem_alloc(fake.device, free_nbytes(), &memory), 0);

	assert_int_equal(open_small(&image), -ENOMEM);

	assert_int_equal(nmem_free(fake.device, memory), 0);
	assert_int_equal(open_small(&image), 0);
}

static void closing_forgets_the_code(void **state)
{
	struct nproc_image *image;
	(void)state;
	assert_int_equal(open_small(&image), 0);
	fake.answers_loads = false;
	fake.on_wait = look_and_answer;

	assert_int_equal(nproc_image_close(image), 0);

	assert_int_equal(seen.bytes, 0);
}

#undef CLAIM
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, make_small, fake_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(code_is_staged_in_far_memory_and_freed),
		CLAIM(a_load_that_fails_leaves_nothing),
		CLAIM(code_that_the_device_cannot_read_gives_enoexec),
		CLAIM(whatever_the_device_says_is_the_detail),
		CLAIM(case_79_no_descriptors_for_an_image_names_the_limit),
		CLAIM(a_status_that_is_no_error_breaks_the_protocol),
		CLAIM(images_at_null_are_refused),
		CLAIM(a_load_that_cannot_wait_gives_the_device_up),
		CLAIM(code_of_the_best_isa_is_chosen),
		CLAIM(code_of_another_isa_is_refused),
		CLAIM(more_images_than_the_device_holds_give_enomem),
		CLAIM(full_far_memory_gives_enomem),
		CLAIM(closing_forgets_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
