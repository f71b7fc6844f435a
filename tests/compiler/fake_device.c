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
	CANARY = 0x5c,
	RESUMES_MAX = 10000000
};

struct fake_image {
	const unsigned char *bytes;
	size_t nbytes;
	int code; /* stays open: the loader takes two files of one path for the same */
	void *library;
	const struct nk_code *kernels;
};

/* ---- images ------------------------------------------------------------------------------------- */

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

/* ---- the operation table ------------------------------------------------------------------------ */

/* Only one process runs at a time. */
static struct fake_process *running;
static struct nk_process *record;
static jmp_buf scheduler;

static void check_caller(const struct nk_process *process)
{
	assert_ptr_equal(process, record);
	assert_int_equal(running->ending, FAKE_RUNNING);
}

static int64_t fake_read(struct nk_process *process, int64_t fd, void *buf, uint64_t nbytes)
{
	check_caller(process);
	return world_read(running->world, fd, buf, nbytes);
}

static int64_t fake_write(struct nk_process *process, int64_t fd, const void *buf, uint64_t nbytes)
{
	check_caller(process);
	return world_write(running->world, fd, buf, nbytes);
}

static int64_t fake_close(struct nk_process *process, int64_t fd)
{
	check_caller(process);
	return world_close_end(running->world, fd);
}

static __attribute__((noreturn)) void leave(struct nk_process *process, enum fake_ending ending)
{
	check_caller(process);
	running->ending = ending;
	longjmp(scheduler, 1);
}

static __attribute__((noreturn)) void fake_fault(
	struct nk_process *process, uint64_t kind, uint64_t address, uint32_t site)
{
	running->fault = kind;
	running->address = address;
	running->site = site;
	leave(process, FAKE_FAULTED);
}

static void *search(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site, bool write)
{
	check_caller(process);
	running->searches++;
	uint64_t kind = write ? NK_FAULT_FAR_WRITE : NK_FAULT_FAR_READ;
	for (unsigned i = 0; i < running->segment_count; i++) {
		const struct nk_segment *segment = &running->segments[i];
		uint64_t offset = va - segment->base;
		if (offset >= segment->len || nbytes > segment->len - offset)
			continue;
		if (!write || segment->writable)
			return (void *)(uintptr_t)(va + segment->delta);
		kind = NK_FAULT_READ_ONLY;
	}
	fake_fault(process, kind, va, site);
}

static void *fake_far_read(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return search(process, va, nbytes, site, false);
}

static void *fake_far_write(struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	return search(process, va, nbytes, site, true);
}

static void fake_log(
	struct nk_process *process, const char *format, const uint64_t *args, uint64_t count)
{
	check_caller(process);
	size_t used = strlen(running->log);
	int more = snprintf(running->log + used, sizeof running->log - used, "%s", format);
	for (uint64_t i = 0; i < count && more > 0; i++) {
		used += (size_t)more;
		more = snprintf(running->log + used, sizeof running->log - used, " %llx",
			(unsigned long long)args[i]);
	}
	strncat(running->log, "\n", sizeof running->log - strlen(running->log) - 1);
}

static void fake_done(struct nk_process *process, int64_t code)
{
	check_caller(process);
	running->code = code;
	running->ending = FAKE_EXITED;
}

static __attribute__((noreturn)) void fake_exit(struct nk_process *process, int64_t code)
{
	running->code = code;
	leave(process, FAKE_EXITED);
}

static __attribute__((noreturn)) void fake_killed(struct nk_process *process)
{
	leave(process, FAKE_KILLED);
}

static uint64_t attention;

static const struct nk_ops ops = {
	.attention = &attention,
	.read = fake_read,
	.write = fake_write,
	.close = fake_close,
	.far_read = fake_far_read,
	.far_write = fake_far_write,
	.log = fake_log,
	.done = fake_done,
	.exit = fake_exit,
	.killed = fake_killed,
	.fault = fake_fault,
};

/* ---- running ------------------------------------------------------------------------------------ */

/* Overwrites the stack below, where a resume left its locals. */
static __attribute__((noinline)) void scribble(void)
{
	unsigned char below[2048];
	memset(below, 0xa5, sizeof below);
	__asm__ volatile("" : : "r"(below) : "memory"); /* somebody might read it */
}

static void resume_until_end(unsigned char *frame)
{
	while (running->ending == FAKE_RUNNING && running->resumes < RESUMES_MAX) {
		void (*resume)(void *);
		memcpy(&resume, frame, sizeof resume);
		running->resumes++;
		resume(frame);
		scribble();
	}
}

/* The record, then the frame, then bytes that nobody may change up to the next line, then the forbidden page. */
struct block {
	unsigned char *mapping;
	size_t mapping_nbytes;
	unsigned char *frame;
	size_t slack;
};

static void make_block(struct block *block, size_t frame_nbytes)
{
	size_t lines = (frame_nbytes + 63) / 64 * 64;
	size_t used = sizeof(struct nk_process) + lines;
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
	record = (struct nk_process *)(void *)block.frame - 1;
	*record = (struct nk_process){.ops = &ops, .segments = process->segments, .self = 0x77};
	struct nk_process before = *record;
	running = process;
	attention = process->killed ? record->self : record->self + 1;
	if (!setjmp(scheduler)) {
		code->entry(record, words);
		scribble();
		resume_until_end(block.frame);
	}
	assert_memory_equal(record, &before, sizeof before);
	check_block(&block, code->frame_bytes);
	assert_int_not_equal(process->ending, FAKE_RUNNING);
}
