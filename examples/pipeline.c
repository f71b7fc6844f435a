/*
 * pipeline.c - three processes, joined by pipes:  nprocc pipeline.c -o pipeline && ./pipeline
 *
 *     numbers ---> primes ---> sum ---> host
 *
 * on the device, as in a shell. Only the last pipe leaves the device: the host receives one sum,
 * not a hundred thousand numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/kernel.h>

NPROC_KERNEL int64_t numbers(uint32_t last)
{
	for (uint32_t n = 2; n <= last; n++)
		if (npipe_write(0, &n, sizeof n) < 0)
			return 1; /* nobody reads any more */
	return 0;
}

static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

NPROC_KERNEL int64_t primes(void)
{
	uint32_t n;

	while (npipe_read_full(0, &n, sizeof n) == sizeof n)
		if (is_prime(n) && npipe_write(1, &n, sizeof n) < 0)
			return 1;
	return 0;
}

NPROC_KERNEL int64_t sum(void)
{
	uint64_t total = 0;
	uint32_t n;

	while (npipe_read_full(0, &n, sizeof n) == sizeof n)
		total += n;
	return npipe_write(1, &total, sizeof total) < 0;
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

static void must_exit_with_0(struct nproc *process)
{
	struct nproc_status status;
	char text[256];

	must(nproc_wait(process, &status, NPROC_FOREVER));
	if (status.state == NPROC_EXITED && status.exit_code == 0)
		return;
	fprintf(stderr, "%s\n", nproc_status_text(&status, text, sizeof text));
	exit(1);
}

int main(void)
{
	const uint32_t last = 100000;
	struct nproc_image *image;
	struct npipe *to_primes[2], *to_sum[2], *to_host[2];
	struct nproc *process[3];
	struct nproc_attr attr = NPROC_ATTR_INIT;
	uint64_t total;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	must(npipe_create(device, to_primes));
	must(npipe_create(device, to_sum));
	must(npipe_create(device, to_host));

	/*
	 * The reader of each pipe first: so the pipe lies within the device from its first byte on.
	 */
	attr.end_count = 2;
	attr.ends = (struct npipe *[]){to_sum[0], to_host[1]};
	must(nproc_spawn(device, image, "sum", &attr, &process[0]));
	attr.ends = (struct npipe *[]){to_primes[0], to_sum[1]};
	must(nproc_spawn(device, image, "primes", &attr, &process[1]));
	attr.ends = (struct npipe *[]){to_primes[1]};
	attr.end_count = 1;
	must(nproc_spawn(device, image, "numbers", &attr, &process[2], last));

	must(npipe_read_full(to_host[0], &total, sizeof total));
	for (int i = 0; i < 3; i++)
		must_exit_with_0(process[i]);
	printf("the primes up to %" PRIu32 " add up to %" PRIu64 "\n", last, total);
	nproc_device_close(device);
	return 0;
}
