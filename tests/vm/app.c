/*
 * app.c - a program that ends as it is told, whatever machine it runs on.
 *
 *     app sum          sums far memory on the device: prints the sum and the device
 *     app exit CODE    ends with CODE
 *     app fault        its kernel reads too far: prints where, and ends with 1
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/nmem.h>
#include <nearside/nproc.h>

enum {
	NUMBERS = 1000
};

static struct nproc_device *device;

static void check(int result, const char *what)
{
	char detail[512];

	if (result >= 0)
		return;
	fprintf(stderr, "app: %s: %s\n", what, nproc_detail(device, detail, sizeof detail));
	exit(2);
}

/* How the kernel sum ended, told of `more` numbers than there are. */
static struct nproc_status sum(uint64_t more)
{
	struct nproc_image *image;
	struct nproc_status status;
	struct nproc *process;
	uint32_t *numbers;

	check(nproc_device_open(NULL, &device), "device");
	check(nproc_image_embedded(device, &image), "image");
	check(nmem_alloc(device, NUMBERS * sizeof *numbers, (void **)&numbers), "memory");
	for (uint32_t i = 0; i < NUMBERS; i++)
		numbers[i] = i;
	check(nproc_spawn(device, image, "sum", NULL, &process, numbers, NUMBERS + more), "spawn");
	check(nproc_wait(process, &status, NPROC_FOREVER), "wait");
	return status;
}

int main(int argc, char **argv)
{
	struct nproc_status status;
	char text[256];

	if (argc == 3 && !strcmp(argv[1], "exit"))
		return atoi(argv[2]);
	if (argc != 2)
		return 2;
	status = sum(strcmp(argv[1], "fault") ? 0 : 1);
	if (status.state == NPROC_EXITED) {
		printf("%lld\n", (long long)status.exit_code);
		return 0;
	}
	fprintf(stderr, "app: the process %s\n", nproc_status_text(&status, text, sizeof text));
	return 1;
}
