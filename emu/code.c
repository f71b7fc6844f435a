#include "emu/code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/abi/image.h"
#include "emu/elf64.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3: the file cannot become a program */
#endif

struct nemu_code {
	int fd; /* open as long as the code is loaded: the dynamic loader knows objects by path */
	void *object;
	const struct nk_code *kernels;
};

static int create_file(void)
{
	int fd =
		memfd_create("nearside-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("nearside-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *bytes, uint64_t nbytes)
{
	while (nbytes) {
		ssize_t now = write(fd, bytes, nbytes);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;
		bytes += now;
		nbytes -= (uint64_t)now;
	}
	return 0;
}

static int seal(int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

	return fcntl(fd, F_ADD_SEALS, seals) ? -errno : 0;
}

/* Looks at the copy in the file, which nobody can change any more. */
static int check_file(int fd, uint64_t nbytes, struct nemu_elf *elf)
{
	void *copy = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
	int result;

	if (copy == MAP_FAILED)
		return -errno;
	result = nemu_elf_check(copy, nbytes, NEMU_ELF_X86_64, elf);
	munmap(copy, nbytes);
	return result;
}

static int fill_file(int fd, const void *bytes, uint64_t nbytes, struct nemu_elf *elf)
{
	int result = write_all(fd, bytes, nbytes);

	if (!result)
		result = seal(fd);
	return result ? result : check_file(fd, nbytes, elf);
}

/*
 * What dlopen() failed for. It does not say: what it needs of the system is asked for once more.
 * When that is there the code is at fault.
 */
static int error_of_loader(const char *path, uint64_t span)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map;
	int result;

	if (fd < 0)
		return -errno;
	map = mmap(NULL, span, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	result = map == MAP_FAILED ? -errno : -ENOEXEC;
	if (map != MAP_FAILED)
		munmap(map, span);
	close(fd);
	return result;
}

/* The path names the process by number: a debugger must not look into /proc/self. */
static int open_object(struct nemu_code *code, const struct nemu_elf *elf)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), code->fd);
	code->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return code->object ? 0 : error_of_loader(path, elf->span);
}

static int find_kernels(struct nemu_code *code, const struct nemu_elf *elf, unsigned kernel_count)
{
	struct link_map *map;

	code->kernels = dlsym(code->object, "nk_kernels");
	if (!code->kernels || dlinfo(code->object, RTLD_DI_LINKMAP, &map))
		return -EINVAL;
	return nemu_elf_check_kernels(elf, map->l_addr, code->kernels, kernel_count);
}

static int load(struct nemu_code *code, const void *bytes, uint64_t nbytes, unsigned kernel_count)
{
	struct nemu_elf elf;
	int result;

	code->fd = create_file();
	if (code->fd < 0)
		return code->fd;
	result = fill_file(code->fd, bytes, nbytes, &elf);
	if (!result)
		result = open_object(code, &elf);
	return result ? result : find_kernels(code, &elf, kernel_count);
}

int nemu_code_load(const void *bytes, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, struct nemu_code **code)
{
	struct nemu_code *c;
	int result;

	*code = NULL;
	if (!nbytes || nbytes > NEMU_CODE_BYTES_MAX)
		return -EINVAL;
	c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	result = load(c, bytes, nbytes, kernel_count);
	if (result) {
		nemu_code_unload(c);
		return result;
	}
	*kernels = c->kernels;
	*code = c;
	return 0;
}

void nemu_code_unload(struct nemu_code *code)
{
	if (code->object)
		dlclose(code->object);
	if (code->fd >= 0)
		close(code->fd);
	free(code);
}

unsigned nemu_code_isa(void)
{
	return __builtin_cpu_supports("x86-64-v3") ? NIMG_X86_64_V3 : NIMG_X86_64;
}
