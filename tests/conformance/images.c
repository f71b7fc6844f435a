/* Images: opening, refusing, many at once, closing. */
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "device/abi/image.h"
#include "tests/conformance/suite.h"

struct bytes {
	unsigned char *data;
	size_t nbytes;
};

static struct bytes read_image(void)
{
	FILE *file = fopen(TEST_KERNELS_PATH, "rb");
	struct bytes bytes = {malloc(1 << 22), 0};

	assert_non_null(file);
	assert_non_null(bytes.data);
	bytes.nbytes = fread(bytes.data, 1, 1 << 22, file);
	fclose(file);
	return bytes;
}

/* As somebody would who makes images by hand. */
static void seal(struct bytes bytes)
{
	struct nimg_header *header = (void *)bytes.data;

	header->checksum = 0;
	header->checksum = (uint32_t)crc32(0, bytes.data, (uInt)bytes.nbytes);
}

static int open_bytes(struct bytes bytes)
{
	struct nproc_image *image;
	int result = nproc_image_open_memory(suite.device, bytes.data, bytes.nbytes, &image);

	assert_true((image != NULL) == (result == 0));
	if (image)
		must(nproc_image_close(image));
	return result;
}

static void an_image_from_memory_may_be_freed(void **state)
{
	struct bytes bytes = read_image();
	struct nproc_image *image;
	struct nproc *process;
	(void)state;
	must(nproc_image_open_memory(suite.device, bytes.data, bytes.nbytes, &image));
	memset(bytes.data, 0xee, bytes.nbytes);
	free(bytes.data);

	must(nproc_spawn(suite.device, image, "exit_with", NULL, &process, 6));

	assert_int_equal(exit_code_of(process), 6);
	must(nproc_image_close(image));
}

static void kernels_are_listed(void **state)
{
	unsigned count = 0;
	(void)state;

	assert_string_equal(nproc_image_kernel(suite.image, 0), "exit_with");
	while (nproc_image_kernel(suite.image, count))
		count++;
	assert_true(count > 20);
	assert_null(nproc_image_kernel(suite.image, UINT32_MAX));
}

static void a_missing_file_gives_enoent(void **state)
{
	struct nproc_image *image;
	(void)state;

	assert_int_equal(nproc_image_open(suite.device, "/no/such/file.nk", &image), -ENOENT);
	assert_null(image);
	assert_detail("/no/such/file.nk: No such file");
}

static void a_folder_is_no_image(void **state)
{
	struct nproc_image *image;
	(void)state;

	assert_int_equal(nproc_image_open(suite.device, "/", &image), -ENOEXEC);
}

/* Nobody ever writes to it: who opens it as usual waits for ever. */
static void a_fifo_is_no_image(void **state)
{
	char path[] = "nearside-fifo-XXXXXX", detail[256];
	struct nproc_image *image;
	int result;
	(void)state;
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);

	result = nproc_image_open(suite.device, path, &image);
	nproc_detail(suite.device, detail, sizeof detail);
	unlink(path);
	assert_int_equal(result, -ENOEXEC);
	assert_non_null(strstr(detail, "is not a file with a kernel image"));
}

static void something_else_is_no_image(void **state)
{
	struct bytes bytes = read_image();
	(void)state;
	memcpy(bytes.data, "ELF", 3);

	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	assert_detail("not a kernel image");
	bytes.nbytes = 0;
	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	free(bytes.data);
}

static void an_image_of_another_version_is_refused(void **state)
{
	struct bytes bytes = read_image();
	struct nimg_header *header = (void *)bytes.data;
	(void)state;
	header->version++;
	seal(bytes);

	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	assert_detail("version 2");
	assert_detail("compile it again");
	free(bytes.data);
}

static void a_truncated_image_is_refused(void **state)
{
	struct bytes bytes = read_image();
	(void)state;

	bytes.nbytes--;
	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	assert_detail("truncated");
	bytes.nbytes = 100;
	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	free(bytes.data);
}

static void a_corrupted_image_is_refused(void **state)
{
	struct bytes bytes = read_image();
	(void)state;

	for (size_t i = 0; i < bytes.nbytes; i += bytes.nbytes / 61) {
		bytes.data[i] ^= 0x10;
		assert_int_equal(open_bytes(bytes), -ENOEXEC);
		bytes.data[i] ^= 0x10;
	}
	assert_int_equal(open_bytes(bytes), 0);
	free(bytes.data);
}

static void an_image_without_code_for_the_device_is_refused(void **state)
{
	struct bytes bytes = read_image();
	struct nimg_header *header = (void *)bytes.data;
	(void)state;
	for (unsigned isa = 0; isa < NIMG_ISA_COUNT; isa++)
		header->code[isa].bytes = 0;
	seal(bytes);

	assert_int_equal(open_bytes(bytes), -ENOEXEC);
	assert_detail("no code for");
	free(bytes.data);
}

static void an_image_whose_code_is_no_program_is_refused(void **state)
{
	struct bytes bytes = read_image();
	struct nimg_header *header = (void *)bytes.data;
	(void)state;
	for (unsigned isa = 0; isa < NIMG_ISA_COUNT; isa++)
		memset(bytes.data + header->code[isa].offset, 0x5a, header->code[isa].bytes);
	seal(bytes);

	assert_true(open_bytes(bytes) < 0);
	assert_detail("cannot load");
	free(bytes.data);
}

static void many_images_at_once(void **state)
{
	enum {
		COUNT = 20
	};
	struct nproc_image *image[COUNT];
	struct nproc *process;
	(void)state;
	for (int i = 0; i < COUNT; i++)
		must(nproc_image_open(suite.device, TEST_KERNELS_PATH, &image[i]));

	for (int i = 0; i < COUNT; i++) {
		must(nproc_spawn(suite.device, image[i], "exit_with", NULL, &process, i));
		assert_int_equal(exit_code_of(process), i);
	}
	for (int i = 0; i < COUNT; i++)
		must(nproc_image_close(image[i]));
}

static void an_image_can_be_opened_and_closed_for_ever(void **state)
{
	struct nproc_image *image;
	(void)state;

	for (int i = 0; i < 300; i++) {
		must(nproc_image_open(suite.device, TEST_KERNELS_PATH, &image));
		must(nproc_image_close(image));
	}
}

static void an_image_of_living_processes_is_busy(void **state)
{
	struct ends pipe = make_pipe();
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "wait_for_end", ENDS(pipe.read), &process));

	assert_int_equal(nproc_image_close(suite.image), -EBUSY);
	assert_detail("1 processes of the image are alive");
	npipe_close(pipe.write);
	must(nproc_wait(process, NULL, NPROC_FOREVER));
	must(nproc_image_close(suite.image));
	nproc_close(process);
}

static void a_fault_has_its_place_after_the_image_is_closed(void **state)
{
	struct nproc *process;
	(void)state;
	must(nproc_spawn(HERE, "divide", NULL, &process, 1, 0));
	must(nproc_wait(process, NULL, NPROC_FOREVER));

	must(nproc_image_close(suite.image));

	assert_fault(process, "in divide: division by zero");
}

static void an_image_of_another_device_gives_ebadf(void **state)
{
	struct nproc_device *other;
	struct nproc *process;
	(void)state;
	open_another("cores=1", &other);

	assert_int_equal(nproc_spawn(other, suite.image, "exit_with", NULL, &process, 0), -EBADF);
	assert_int_equal(nproc_spawn(suite.device, NULL, "exit_with", NULL, &process, 0), -EBADF);
	nproc_device_close(other);
}

static void a_program_without_kernels_gives_enoent(void **state)
{
	struct nproc_image *image;
	(void)state;

	assert_int_equal(nproc_image_open_embedded(suite.device, NULL, NULL, &image), -ENOENT);
	assert_null(image);
	assert_detail("link it with nprocc");
}

int run_images(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(an_image_from_memory_may_be_freed),
		CLAIM(kernels_are_listed),
		CLAIM(a_missing_file_gives_enoent),
		CLAIM(a_folder_is_no_image),
		CLAIM(a_fifo_is_no_image),
		CLAIM(something_else_is_no_image),
		CLAIM(an_image_of_another_version_is_refused),
		CLAIM(a_truncated_image_is_refused),
		CLAIM(a_corrupted_image_is_refused),
		CLAIM(an_image_without_code_for_the_device_is_refused),
		CLAIM(an_image_whose_code_is_no_program_is_refused),
		CLAIM(many_images_at_once),
		CLAIM(an_image_can_be_opened_and_closed_for_ever),
		CLAIM(an_image_of_living_processes_is_busy),
		CLAIM(a_fault_has_its_place_after_the_image_is_closed),
		CLAIM(an_image_of_another_device_gives_ebadf),
		CLAIM(a_program_without_kernels_gives_enoent),
	};

	return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
