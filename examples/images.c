/*
 * images.c - images for another process, not copied:  nprocc images.c -o images && ./images
 *
 *     decoder                           consumer (a child, by fork)
 *     nipc_reserve()                    nipc_borrow_part()
 *     decode an image into it           average what has come of the batch
 *     nipc_commit_part(), and so on     nipc_release()
 *     nipc_recv()  <------------------  nipc_send(): what it found
 *
 * The batch lies in memory that both have mapped; it is read while the rest of it is made.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nearside/nipc.h>

enum {
	IMAGES = 64,
	PIXELS = 3 * 224 * 224,
	BATCHES = 3
};

struct found {
	uint64_t images;
	double average;
};

/* Ends the process with the library's own words where a call failed. */
static int64_t must(struct nipc *channel, int64_t result)
{
	char detail[512];

	if (result >= 0)
		return result;
	fprintf(stderr, "%s: %s\n", strerror((int)-result),
		nipc_detail(channel, detail, sizeof detail));
	exit(1);
}

/* Room for one batch: the next one is made when this one was read. */
static struct nipc *open_end(int socket)
{
	struct nipc_attr attr = NIPC_ATTR_INIT;
	struct nipc *channel;
	int result;

	attr.capacity = IMAGES * PIXELS * sizeof(float);
	result = nipc_adopt(socket, &attr, -1, &channel);
	must(channel, result);
	return channel;
}

/* ---- the consumer ---------------------------------------------------------------------------- */

static double sum_of(const struct nipc_view *view)
{
	const float *pixels = view->bytes;
	double sum = 0;

	for (size_t i = 0; i < view->nbytes / sizeof(float); i++)
		sum += pixels[i];
	return sum;
}

static int consume(int socket)
{
	struct nipc *channel = open_end(socket);
	struct nipc_view view;
	struct found found = {0};
	double sum = 0;

	while (must(channel, nipc_borrow_part(channel, &view)) > 0) {
		const uint64_t end = view.offset + view.nbytes, total = view.total;

		sum += sum_of(&view);
		must(channel, nipc_release(channel, &view));
		if (end < total)
			continue; /* more of this batch will come */
		found.images = total / sizeof(float) / PIXELS;
		found.average = sum / (double)(total / sizeof(float));
		sum = 0;
		must(channel, nipc_send(channel, &found, sizeof found));
	}
	nipc_close(channel);
	return 0;
}

/* ---- the decoder ----------------------------------------------------------------------------- */

/* As if from a file: bytes become numbers from 0 to 1; later batches are brighter. */
static void decode(float *image, unsigned batch, unsigned number)
{
	for (unsigned i = 0; i < PIXELS; i++)
		image[i] = (float)((i * 31 + number * 7) % (batch * 64)) / 255;
}

static void make_batch(struct nipc *channel, unsigned batch)
{
	const size_t nbytes = IMAGES * PIXELS * sizeof(float);
	struct found found;
	void *room;
	float *images;

	must(channel, nipc_reserve(channel, nbytes, &room));
	images = room;
	for (unsigned i = 0; i < IMAGES; i++) {
		decode(images + (size_t)i * PIXELS, batch, i);
		must(channel, nipc_commit_part(channel, (i + (size_t)1) * PIXELS * sizeof(float)));
	}
	must(channel, nipc_commit(channel, nbytes));
	must(channel, nipc_recv(channel, &found, sizeof found));
	printf("batch %u: %u images, average %.3f\n", batch, (unsigned)found.images, found.average);
}

int main(void)
{
	struct nipc *channel;
	int sockets[2], status = 1;
	pid_t child;

	if (nipc_pair(sockets))
		return 1;
	child = fork();
	if (child < 0)
		return 1;
	if (!child) {
		close(sockets[0]);
		_exit(consume(sockets[1]));
	}
	close(sockets[1]);
	channel = open_end(sockets[0]);
	for (unsigned batch = 1; batch <= BATCHES; batch++)
		make_batch(channel, batch);
	nipc_close(channel); /* the child receives end of file and ends */
	waitpid(child, &status, 0);
	return status != 0;
}
