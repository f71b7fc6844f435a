/*
 * trap.c - trap IMAGE: a kernel whose code is no instruction. Its process alone must end, at a line
 * of the kernel, and the device must go on.
 */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/nmem.h>
#include <nearside/nproc.h>
#include <zlib.h>

#include "device/abi/image.h"

static struct nproc_device *device;

static void fail(const char *what)
{
	char detail[512];

	fprintf(stderr, "trap: %s: %s\n", what,
		device ? nproc_detail(device, detail, sizeof detail) : "");
	exit(1);
}

/* ---- an image with a mistake ----------------------------------------------------------------- */

static unsigned char *read_file(const char *path, size_t *nbytes)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;

	if (!file || fseek(file, 0, SEEK_END))
		fail(path);
	*nbytes = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*nbytes);
	if (!bytes || fread(bytes, 1, *nbytes, file) != *nbytes)
		fail(path);
	fclose(file);
	return bytes;
}

static const Elf64_Shdr *section(const unsigned char *object, uint32_t type)
{
	const Elf64_Ehdr *header = (const void *)object;
	const Elf64_Shdr *sections = (const void *)(object + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == type)
			return &sections[i];
	fail("no such section");
	return NULL;
}

/* Where in the file the code at this address lies. */
static uint64_t offset_of(const unsigned char *object, uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)object;
	const Elf64_Phdr *part = (const void *)(object + header->e_phoff);

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (part[i].p_type == PT_LOAD && address - part[i].p_vaddr < part[i].p_filesz)
			return address - part[i].p_vaddr + part[i].p_offset;
	fail("no such address");
	return 0;
}

static void break_function(unsigned char *object, const char *name)
{
	const Elf64_Ehdr *header = (const void *)object;
	const Elf64_Shdr *table = section(object, SHT_SYMTAB);
	const Elf64_Shdr *names =
		(const Elf64_Shdr *)(const void *)(object + header->e_shoff) + table->sh_link;
	const Elf64_Sym *symbol = (const void *)(object + table->sh_offset);

	for (uint64_t i = 0; i < table->sh_size / sizeof *symbol; i++)
		if (!strcmp((char *)object + names->sh_offset + symbol[i].st_name, name)) {
			memset(object + offset_of(object, symbol[i].st_value), 0, 4);
			return;
		}
	fail("no such function");
}

static void break_image(unsigned char *image, size_t nbytes)
{
	struct nimg_header *header = (struct nimg_header *)(void *)image;

	break_function(image + header->code[NIMG_RISCV64].offset, "broken.resume");
	header->checksum = 0;
	header->checksum = (uint32_t)crc32_z(0, image, nbytes);
}

/* ---- on the device --------------------------------------------------------------------------- */

static struct nproc_status run_broken(struct nproc_image *image)
{
	struct nproc_status status = {.state = NPROC_RUNNING};
	struct nproc *process;

	if (nproc_spawn(device, image, "broken", NULL, &process, 1) ||
		nproc_wait(process, &status, NPROC_FOREVER))
		fail("broken");
	return status;
}

static int64_t run_sum(struct nproc_image *image)
{
	struct nproc_status status = {.state = NPROC_RUNNING};
	struct nproc *process;
	uint32_t *numbers;

	if (nmem_alloc(device, 4 * sizeof *numbers, (void **)&numbers))
		fail("memory");
	for (uint32_t i = 0; i < 4; i++)
		numbers[i] = i;
	if (nproc_spawn(device, image, "sum", NULL, &process, numbers, 4) ||
		nproc_wait(process, &status, NPROC_FOREVER))
		fail("sum");
	return status.state == NPROC_EXITED ? status.exit_code : -1;
}

int main(int argc, char **argv)
{
	unsigned char *bytes;
	struct nproc_image *image;
	size_t nbytes;
	char text[256];
	struct nproc_status status;

	if (argc != 2)
		return 2;
	bytes = read_file(argv[1], &nbytes);
	break_image(bytes, nbytes);
	if (nproc_device_open(NULL, &device))
		fail("device");
	if (nproc_image_open_memory(device, bytes, nbytes, &image))
		fail("image");
	status = run_broken(image);
	printf("the process %s\n", nproc_status_text(&status, text, sizeof text));
	printf("then the sum is %lld\n", (long long)run_sum(image));
	nproc_device_close(device);
	free(bytes);
	return 0;
}
