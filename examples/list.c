/*
 * list.c - a linked list walked on the device:  nprocc list.c -o list && ./list
 *
 * Following pointers over an interconnect costs a round trip a node; beside the memory it does not.
 * The nodes lie in one arena, so that the one pointer passed at spawn grants the process all of
 * them. Pointers in far memory are plain host pointers: host and kernel read the same list.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/kernel.h>
#include <nearside/nmem.h>

struct node {
	const far struct node *next;
	int64_t value;
};

/* The exit code is the answer: how many values are above the limit. */
NPROC_KERNEL int64_t count_above(const far struct node *list, int64_t limit)
{
	int64_t found = 0;

	for (const far struct node *n = list; n; n = n->next) {
		nmem_refresh(n, sizeof *n); /* as the host has published it */
		found += n->value > limit;
	}
	return found;
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

/* `count` nodes with the values 0, 1, 2..., linked from the last to the first. */
static const struct node *build(struct nmem_arena *arena, int64_t count)
{
	const struct node *first = NULL;

	for (int64_t i = 0; i < count; i++) {
		void *memory;
		must(nmem_arena_alloc(arena, sizeof(struct node), 0, &memory));
		struct node *node = memory;
		node->next = first;
		node->value = i;
		must(nmem_publish(device, node, sizeof *node));
		first = node;
	}
	return first;
}

int main(void)
{
	const int64_t count = 100000, limit = 99957;
	struct nproc_image *image;
	struct nmem_arena *arena;
	struct nproc *process;
	struct nproc_status status;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	must(nmem_arena_create(device, (size_t)count * sizeof(struct node), &arena));
	const struct node *list = build(arena, count);
	must(nproc_spawn(device, image, "count_above", NULL, &process, list, limit));
	must(nproc_wait(process, &status, NPROC_FOREVER));
	if (status.state != NPROC_EXITED) {
		char text[256];
		fprintf(stderr, "%s\n", nproc_status_text(&status, text, sizeof text));
		return 1;
	}
	printf("%" PRId64 " of %" PRId64 " values are above %" PRId64 "\n", status.exit_code, count,
		limit);
	nproc_device_close(device);
	return 0;
}
