/*
 * app.c - a program with processes to be looked at: on core 0 a reader and a parent with its child,
 * on core 1 one that does not wait. Says "ready"; ends them all at the end of its input.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

static struct nproc_device *device;

static void check(int result, const char *what)
{
	char detail[512];

	if (result >= 0)
		return;
	fprintf(stderr, "app: %s: %s\n", what, nproc_detail(device, detail, sizeof detail));
	exit(2);
}

/* A process with one end of a pipe, of which *other is the other end. */
static struct nproc *start(struct nproc_image *image, const char *kernel, int core, bool writes,
	struct npipe **other, uint64_t *until)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process;
	struct npipe *end[2];

	check(npipe_create(device, end), "pipe");
	attr.core = core;
	attr.ends = &end[writes];
	attr.end_count = 1;
	if (until)
		check(nproc_spawn(device, image, kernel, &attr, &process, until), kernel);
	else
		check(nproc_spawn(device, image, kernel, &attr, &process), kernel);
	npipe_close(end[writes]);
	*other = end[!writes];
	return process;
}

int main(void)
{
	struct nproc_image *image;
	struct npipe *other[3];
	struct nproc *process[3];
	struct nproc_status status;
	uint64_t *until;
	char byte;

	check(nproc_device_open(NULL, &device), "device");
	check(nproc_image_embedded(device, &image), "image");
	check(nmem_alloc(device, sizeof *until, (void **)&until), "memory");
	*until = 0;
	process[0] = start(image, "reader", 0, false, &other[0], NULL);
	process[1] = start(image, "parent", 0, false, &other[1], NULL);
	process[2] = start(image, "spinner", 1, true, &other[2], until);
	check((int)npipe_read(other[2], &byte, 1), "the spinner");
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	*(volatile uint64_t *)until = 1;
	for (unsigned i = 0; i < 3; i++) {
		npipe_close(other[i]);
		check(nproc_wait(process[i], &status, NPROC_FOREVER), "wait");
	}
	nproc_device_close(device);
	return 0;
}
