/*
 * blur.c - two buffers beside the core:  nprocc blur.c -o blur && ./blur
 *
 * A row of numbers is smoothed: each becomes the sum of itself and its neighbours. The process
 * works on blocks in scratch memory, which is as near as it gets. While it works on one block, or
 * others run, the core fetches the next one and puts back the one before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/kernel.h>
#include <nearside/nmem.h>

enum {
	BLOCK = 1024, /* numbers */
	COUNT = 100 * BLOCK,
};

/* `from` has a number more at each side than `to`. COUNT is a multiple of BLOCK. */
NPROC_KERNEL int64_t blur(far uint32_t *to, const far uint32_t *from, uint64_t blocks)
{
	NPROC_SCRATCH uint32_t in[2][BLOCK + 2];
	NPROC_SCRATCH uint32_t out[2][BLOCK];
	int get[2], put[2] = {-1, -1};

	get[0] = nmem_get(in[0], from, sizeof in[0]);
	for (uint64_t i = 0; i < blocks; i++) {
		unsigned now = i % 2, next = 1 - now;
		if (i + 1 < blocks)
			get[next] = nmem_get(in[next], from + (i + 1) * BLOCK, sizeof in[next]);
		nmem_wait(get[now]);
		nmem_wait(put[now]); /* of two blocks before; the first two are none */
		for (unsigned j = 0; j < BLOCK; j++)
			out[now][j] = in[now][j] + in[now][j + 1] + in[now][j + 2];
		put[now] = nmem_put(to + i * BLOCK, out[now], sizeof out[now]);
	}
	return 0; /* and the process ends when the last copies are done */
}

static struct nproc_device *device;

/* Ends the program with the library's own words where a call failed. */
static void must(int64_t result)
{
	char detail[256];

	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", strerror((int)-result),
		nproc_detail(device, detail, sizeof detail));
	exit(1);
}

static uint32_t *make_numbers(size_t count)
{
	void *numbers;

	must(nmem_alloc(device, count * sizeof(uint32_t), &numbers));
	return numbers;
}

int main(void)
{
	struct nproc_image *image;
	struct nproc *process;
	struct nproc_status status;
	struct nproc_stats stats;
	uint64_t wrong = 0;
	char text[256];

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	uint32_t *from = make_numbers(COUNT + 2), *to = make_numbers(COUNT);
	for (uint32_t i = 0; i < COUNT + 2; i++)
		from[i] = i * i % 1000;
	must(nmem_publish(device, from, (COUNT + 2) * sizeof *from));

	must(nproc_spawn(device, image, "blur", NULL, &process, to, from, COUNT / BLOCK));
	must(nproc_wait(process, &status, NPROC_FOREVER));
	must(nproc_stats(device, &stats));
	must(nmem_refresh(device, to, COUNT * sizeof *to));
	for (uint32_t i = 0; i < COUNT; i++)
		wrong += to[i] != from[i] + from[i + 1] + from[i + 2];

	printf("the process %s\n", nproc_status_text(&status, text, sizeof text));
	printf("%" PRIu64 " of %d numbers are wrong\n", wrong, COUNT);
	printf("%" PRIu64 " bytes came to the core, %" PRIu64 " went back\n", stats.far_bytes_read,
		stats.far_bytes_written);
	nproc_close(process);
	nproc_device_close(device);
	return wrong != 0;
}
