#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_device.h"

enum {
	PAGE_BYTES = 4096,
	CANARY = 0x5c
};

struct fake_image {
	const unsigned char *bytes;
	size_t nbytes;
	int code; /* stays open: the loader takes two files of one path for the same */
	void *library;
	const struct nk_code *kernels;
};

/* ---- images ---------------------------------------------------------------------------------- */

static void map_file(struct fake_image *image, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	image->nbytes = (size_t)status.st_size;
	image->bytes = mmap(NULL, image->nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(image->bytes, MAP_FAILED);
	close(fd);
}

static const struct nimg_header *header_of(const struct fake_image *image)
{
	return (const void *)image->bytes;
}

static void load_code(struct fake_image *image, enum nimg_isa isa)
{
	const struct nimg_part *part = &header_of(image)->code[isa];
	int fd = memfd_create("kernels", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes + part->offset, part->bytes), part->bytes);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	image->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!image->library)
		fail_msg("%s", dlerror());
	image->kernels = dlsym(image->library, "nk_kernels");
	assert_non_null(image->kernels);
	image->code = fd;
}

void fake_image_open(struct fake_image **image, const char *path, enum nimg_isa isa)
{
	*image = calloc(1, sizeof **image);
	assert_non_null(*image);
	map_file(*image, path);
	load_code(*image, isa);
}

void fake_image_close(struct fake_image *image)
{
	dlclose(image->library);
	close(image->code);
	munmap((void *)image->bytes, image->nbytes);
	free(image);
}

const char *fake_image_text(const struct fake_image *image, uint32_t string)
{
	return (const char *)image->bytes + header_of(image)->strings.offset + string;
}

static unsigned index_of(const struct fake_image *image, const char *name)
{
	const struct nimg_header *header = header_of(image);
	const struct nimg_kernel *kernels = (const void *)(image->bytes + header->kernels_offset);
	for (unsigned i = 0; i < header->kernel_count; i++) {
		if (!strcmp(fake_image_text(image, kernels[i].name), name))
			return i;
	}
	fail_msg("the image has no kernel %s", name);
	return 0;
}

const struct nimg_kernel *fake_image_kernel(const struct fake_image *image, const char *name)
{
	const struct nimg_kernel *kernels =
		(const void *)(image->bytes + header_of(image)->kernels_offset);
	return &kernels[index_of(image, name)];
}

const struct nimg_param *fake_image_param(
	const struct fake_image *image, const char *kernel, unsigned param)
{
	const struct nimg_param *params =
		(const void *)(image->bytes + header_of(image)->params_offset);
	return &params[fake_image_kernel(image, kernel)->first_param + param];
}

const struct nimg_site *fake_image_site(const struct fake_image *image, uint32_t site)
{
	const struct nimg_header *header = header_of(image);
	assert_true(site < header->site_count);
	return (const struct nimg_site *)(const void *)(image->bytes + header->sites_offset) + site;
}

bool fake_machine_runs(enum nimg_isa isa)
{
	switch (isa) {
	case NIMG_X86_64:
		return true;
	case NIMG_X86_64_V3:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
		       __builtin_cpu_supports("fma");
	default:
		return false;
	}
}

/* ---- running --------------------------------------------------------------------------------- */

/*
 * The record, then the frame, then bytes that nobody may change up to the next line, then the
 * forbidden page.
 */
struct block {
	unsigned char *mapping;
	size_t mapping_nbytes;
	unsigned char *frame;
	size_t slack;
};

static void make_block(struct block *block, size_t frame_nbytes)
{
	size_t lines = (frame_nbytes + 63) / 64 * 64;
	size_t used = sizeof(struct nk_near) + sizeof(struct nk_process) + lines;
	block->mapping_nbytes = (used + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
	block->mapping = mmap(NULL, block->mapping_nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(block->mapping, MAP_FAILED);
	unsigned char *end = block->mapping + block->mapping_nbytes - PAGE_BYTES;
	assert_int_equal(mprotect(end, PAGE_BYTES, PROT_NONE), 0);
	block->frame = end - lines;
	block->slack = lines - frame_nbytes;
	memset(block->mapping, CANARY, block->mapping_nbytes - PAGE_BYTES);
}

static void check_block(const struct block *block, size_t frame_nbytes)
{
	for (size_t i = 0; i < block->slack; i++)
		assert_int_equal(block->frame[frame_nbytes + i], CANARY);
	const unsigned char *before = block->frame - sizeof(struct nk_process);
	for (const unsigned char *at = block->mapping; at < before; at++)
		assert_int_equal(*at, CANARY);
	munmap(block->mapping, block->mapping_nbytes);
}

void fake_run(const struct fake_image *image, const char *kernel, struct fake_process *process,
	const uint64_t *words)
{
	const struct nk_code *code = &image->kernels[index_of(image, kernel)];
	struct block block;
	make_block(&block, code->frame_bytes);
	fake_run_code(code, (struct nk_process *)(void *)block.frame - 1, process, words);
	check_block(&block, code->frame_bytes);
	if (process->broken)
		fail_msg("%s: %s", kernel, process->broken);
}
