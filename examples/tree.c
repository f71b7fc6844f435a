/*
 * tree.c - a tree of processes finds the largest value:  nprocc tree.c -o tree && ./tree
 *
 * Each process halves its range and starts a process for each half, until little is left; the exit
 * codes come up the tree. Who finds a value above the limit says so over a pipe: every process gets
 * a writing end of it, and the host reads. The host spawns one process and sees one exit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/kernel.h>
#include <nearside/nmem.h>

enum {
	LEAF = 1000 /* values that a process looks at itself */
};

static int64_t look(const far int64_t *values, int64_t from, int64_t count, int64_t limit)
{
	int64_t largest = INT64_MIN;

	nmem_refresh(
		values + from, (size_t)count * sizeof *values); /* as the host published them */
	for (int64_t i = from; i < from + count; i++) {
		int64_t value = values[i];
		if (value > largest)
			largest = value;
		if (value > limit)
			npipe_write(0, &i, sizeof i);
	}
	return largest;
}

/* End 0 writes. The exit code is the largest of values[from..from + count - 1]. */
NPROC_KERNEL int64_t largest_of(
	const far int64_t *values, int64_t from, int64_t count, int64_t limit)
{
	struct nproc_start start = NPROC_START_INIT;
	int64_t largest = INT64_MIN, half = count / 2;

	if (count <= LEAF)
		return look(values, from, count, limit);
	start.end_count = 1;
	start.ends[0] = npipe_dup(0); /* what is given is gone */
	int left = nproc_spawn(start, largest_of(values, from, half, limit));
	start.ends[0] = 0;
	int right = nproc_spawn(start, largest_of(values, from + half, count - half, limit));
	nproc_assert(left >= 0 && right >= 0);
	for (int i = 0; i < 2; i++) {
		struct nproc_outcome outcome = {0};
		nproc_wait(NPROC_ANY_CHILD, &outcome);
		nproc_assert(outcome.state == NPROC_EXITED);
		if (outcome.exit_code > largest)
			largest = outcome.exit_code;
	}
	return largest;
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

/* A value for each index that looks random and is the same everywhere. */
static int64_t value_of(int64_t index)
{
	return (int64_t)((uint64_t)index * 0x9e3779b97f4a7c15ull >> 40);
}

int main(void)
{
	const int64_t count = 1000000, limit = 16777190;
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc_image *image;
	struct nproc *process;
	struct nproc_status status;
	struct nproc_stats stats;
	struct npipe *found[2];
	void *memory;
	int64_t index, above = 0;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	must(nmem_alloc(device, (size_t)count * sizeof(int64_t), &memory));
	for (index = 0; index < count; index++)
		((int64_t *)memory)[index] = value_of(index);
	must(nmem_publish(device, memory, (size_t)count * sizeof(int64_t)));
	must(npipe_create(device, found));
	attr.end_count = 1;
	attr.ends = &found[1];
	must(nproc_spawn(device, image, "largest_of", &attr, &process, memory, 0, count, limit));
	/* The pipe ends when the last process has closed it. */
	while (npipe_read_full(found[0], &index, sizeof index) == sizeof index)
		above += value_of(index) > limit;
	must(nproc_wait(process, &status, NPROC_FOREVER));
	if (status.state != NPROC_EXITED) {
		char text[256];
		fprintf(stderr, "%s\n", nproc_status_text(&status, text, sizeof text));
		return 1;
	}
	must(nproc_stats(device, &stats));
	printf("the largest of %" PRId64 " values is %" PRId64 "; %" PRId64 " are above %" PRId64
	       "; %" PRIu64 " processes were started by processes\n",
		count, status.exit_code, above, limit, stats.births);
	nproc_device_close(device);
	return 0;
}
