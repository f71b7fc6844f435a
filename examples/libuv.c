/*
 * libuv.c - Nearside in a libuv loop:  nprocc libuv.c -luv -o libuv && ./libuv
 *
 * Two uv_poll_t: one for the device, whose callback dispatches; one for the end that answers. The
 * loop asks a process on the device for the squares of 1 to 5, a question at a time, and ends when
 * the process has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include <nearside/kernel.h>

NPROC_KERNEL int64_t square(void)
{
	uint64_t number;

	while (npipe_read_full(0, &number, sizeof number) == sizeof number) {
		number *= number;
		npipe_write(1, &number, sizeof number);
	}
	return 0;
}

enum {
	LAST = 5
};

static struct nproc_device *device;
static struct npipe *questions, *answers;
static uv_poll_t device_poll, answer_poll;
static uint64_t asked;

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

static void ask(void)
{
	asked++;
	must(npipe_write(questions, &asked, sizeof asked));
	if (asked < LAST)
		return;
	npipe_close(questions); /* then the process ends, and so does the answers' pipe */
}

static void on_device(uv_poll_t *poll, int status, int events)
{
	(void)poll;
	(void)status;
	(void)events;
	must(nproc_device_dispatch(device));
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
	uint64_t number;
	int64_t nbytes = npipe_read_full(answers, &number, sizeof number);
	(void)status;
	(void)events;

	if (nbytes == -EAGAIN)
		return;
	must(nbytes);
	if (!nbytes) { /* end of file */
		uv_poll_stop(poll);
		uv_poll_stop(&device_poll);
		return;
	}
	printf("%" PRIu64 "\n", number);
	if (asked < LAST)
		ask();
}

static void start(uv_poll_t *poll, int fd, uv_poll_cb callback)
{
	if (!uv_poll_init(uv_default_loop(), poll, fd) &&
		!uv_poll_start(poll, UV_READABLE, callback))
		return;
	fprintf(stderr, "libuv cannot watch descriptor %d\n", fd);
	exit(1);
}

int main(void)
{
	struct nproc_attr attr = NPROC_ATTR_INIT;
	struct npipe *question[2], *answer[2];
	struct nproc_image *image;
	struct nproc *process;

	must(nproc_device_open(NULL, &device));
	must(nproc_image_embedded(device, &image));
	must(npipe_create(device, question));
	must(npipe_create(device, answer));
	attr.ends = (struct npipe *[]){question[0], answer[1]};
	attr.end_count = 2;
	must(nproc_spawn(device, image, "square", &attr, &process));
	questions = question[1];
	answers = answer[0];
	must(npipe_set_timeout(answers, 0));

	start(&device_poll, must(nproc_device_fd(device)), on_device);
	start(&answer_poll, must(npipe_fd(answers)), on_answer);
	ask();
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	uv_loop_close(uv_default_loop());
	nproc_device_close(device);
	return 0;
}
