/*
 * keycount.c - a server beside the data:  nprocc keycount.c -o keycount && ./keycount
 *
 * A million keys lie in far memory. The host asks how often a key occurs; a process on the device
 * scans them and answers. A question and an answer are 8 bytes each; the 8 MiB of keys never come
 * to the host. `nprocc --report -c keycount.c -o keycount.nk` shows how small the kernel becomes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/kernel.h>
#include <nearside/nmem.h>

NPROC_KERNEL int64_t count(const far uint64_t *keys, uint64_t nkeys)
{
	uint64_t key;

	nmem_refresh(keys, nkeys * sizeof *keys); /* as the host has published them */
	while (npipe_read_full(0, &key, sizeof key) == sizeof key) {
		uint64_t hits = 0;
		for (uint64_t i = 0; i < nkeys; i++)
			hits += keys[i] == key;
		npipe_write(1, &hits, sizeof hits);
	}
	return 0;
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

/* Keys below 1000, small ones more often; the same on every run. */
static void fill(uint64_t *keys, uint64_t nkeys)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < nkeys; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint64_t draw = (state >> 33) % 1000;
		keys[i] = draw * draw / 1000;
	}
}

static uint64_t count_on_host(const uint64_t *keys, uint64_t nkeys, uint64_t key)
{
	uint64_t hits = 0;

	for (uint64_t i = 0; i < nkeys; i++)
		hits += keys[i] == key;
	return hits;
}

int main(void)
{
	const uint64_t nkeys = 1 << 20;
	static const uint64_t questions[] = {0, 7, 490, 998, 12345};
	struct nproc_image *image;
	struct npipe *request[2], *reply[2];
	struct nproc *server;
	struct nproc_status status;
	struct nproc_stats stats;
	void *keys;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	must(nmem_alloc(device, nkeys * sizeof(uint64_t), &keys));
	fill(keys, nkeys);
	must(nmem_publish(device, keys, nkeys * sizeof(uint64_t)));
	must(npipe_create(device, request));
	must(npipe_create(device, reply));
	struct nproc_attr attr = NPROC_ATTR_INIT;
	attr.ends = (struct npipe *[]){request[0], reply[1]};
	attr.end_count = 2;
	must(nproc_spawn(device, image, "count", &attr, &server, (const uint64_t *)keys, nkeys));

	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		uint64_t hits;
		must(npipe_write(request[1], &questions[i], sizeof questions[i]));
		must(npipe_read_full(reply[0], &hits, sizeof hits));
		printf("key %5" PRIu64 " occurs %5" PRIu64 " times\n", questions[i], hits);
		if (hits != count_on_host(keys, nkeys, questions[i]))
			return 1;
	}
	npipe_close(request[1]);
	must(nproc_wait(server, &status, NPROC_FOREVER));
	must(nproc_stats(device, &stats));
	printf("pipes carried %" PRIu64 " bytes down and %" PRIu64 " bytes up\n", stats.bytes_down,
		stats.bytes_up);
	nproc_device_close(device);
	return 0;
}
