/*
 * epoll.c - an event loop that never blocks in Nearside:  nprocc epoll.c -o epoll && ./epoll
 *
 *     epoll_wait() --- descriptor of the device  -> nproc_device_dispatch()
 *                 \--- descriptor of each answer -> npipe_read()
 *
 * Four processes search ranges of numbers for primes, and answer when they are done. A real server
 * would have its sockets in the same loop.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <nearside/kernel.h>

static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n >= 2;
}

NPROC_KERNEL int64_t count_primes(uint32_t first, uint32_t last)
{
	uint32_t count = 0;

	for (uint32_t n = first; n <= last; n++) {
		count += is_prime(n);
		if (n % 64 == 0)
			nproc_yield(); /* the core has other processes, too */
	}
	return npipe_write(0, &count, sizeof count) < 0;
}

enum {
	SEARCHES = 4,
	NUMBERS = 100000
};

static struct nproc_device *device;

/* Ends the program with the library's own words where a call failed. */
static int must(int64_t result)
{
	char detail[256];

	if (result >= 0)
		return (int)result;
	fprintf(stderr, "%s: %s\n", strerror((int)-result),
		nproc_detail(device, detail, sizeof detail));
	exit(1);
}

/* Starts a search; its answer is to be read from the end. */
static struct npipe *start(struct nproc_image *image, uint32_t number)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct nproc *process;
	struct npipe *end[2];
	uint32_t size = NUMBERS / SEARCHES;

	must(npipe_create(device, end));
	attr.ends = &end[1];
	attr.end_count = 1;
	must(nproc_spawn(device, image, "count_primes", &attr, &process, number * size + 1,
		(number + 1) * size));
	npipe_close(end[1]);
	nproc_close(process);
	must(npipe_set_timeout(end[0], 0)); /* no call waits: the loop does */
	return end[0];
}

static void watch(int loop, int fd, struct npipe *end)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = end};

	if (!epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event))
		return;
	perror("epoll_ctl");
	exit(1);
}

int main(void)
{
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct nproc_image *image;
	uint32_t total = 0, count;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	watch(loop, must(nproc_device_fd(device)), NULL);
	for (uint32_t i = 0; i < SEARCHES; i++) {
		struct npipe *end = start(image, i);

		watch(loop, must(npipe_fd(end)), end);
	}
	for (int answers = 0; answers < SEARCHES;) {
		struct epoll_event event;

		if (epoll_wait(loop, &event, 1, -1) != 1)
			continue; /* a signal */
		if (!event.data.ptr) {
			must(nproc_device_dispatch(device));
			continue;
		}
		must(npipe_read_full(event.data.ptr, &count, sizeof count));
		npipe_close(event.data.ptr); /* takes its descriptor out of the loop */
		total += count;
		answers++;
	}
	printf("%" PRIu32 " primes up to %d\n", total, NUMBERS);
	nproc_device_close(device);
	close(loop);
	return 0;
}
