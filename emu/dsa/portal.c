/* portal.c - the way of descriptors from a program into the model. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/dsa/model.h"

static int open_queue(
	struct ndsa_queue *queue, int watch, bool is_mapped, struct nhost_error *error)
{
	char path[64];

	snprintf(path, sizeof path, "/dev/dsa/%s", queue->name);
	queue->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (queue->fd < 0)
		return nhost_fail(error, errno, "%s: %s", path, strerror(errno));
	if (is_mapped) {
		void *page = mmap(
			NULL, NDSA_PORTAL_NBYTES, PROT_READ | PROT_WRITE, MAP_SHARED, queue->fd, 0);

		if (page == MAP_FAILED)
			return nhost_fail(error, errno, "%s: %s", path, strerror(errno));
		queue->page = page;
	} else {
		/* So that a queue is full soon; the system rounds it up to a page. */
		fcntl(queue->fd, F_SETPIPE_SZ, NDSA_PORTAL_NBYTES);
	}
	if (inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE) < 0)
		return nhost_fail(error, errno, "a watch on %s: %s", path, strerror(errno));
	return 0;
}

static int open_control(struct ndsa_model *model, struct nhost_error *error)
{
	int fd = open("/dev/dsa/.model", O_RDWR | O_CLOEXEC);
	void *page;

	if (fd < 0)
		return nhost_fail(error, errno, "/dev/dsa/.model: %s", strerror(errno));
	page = mmap(NULL, sizeof *model->control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return nhost_fail(error, errno, "/dev/dsa/.model: %s", strerror(errno));
	model->control = page;
	*model->control = model->options.trouble;
	return 0;
}

int ndsa_portals_open(struct ndsa_model *model, struct nhost_error *error)
{
	int result;

	model->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (model->watch < 0)
		return nhost_fail(error, errno, "inotify: %s", strerror(errno));
	result = open_control(model, error);
	for (unsigned i = 0; i < model->queue_count && !result; i++)
		result = open_queue(
			&model->queues[i], model->watch, model->options.is_mapped, error);
	return result;
}

/* The first 8 bytes are stored last, or all 64 at once; what is taken leaves 0 there. */
static bool take_from_page(unsigned char *page, struct dsa_hw_desc *descriptor)
{
	for (unsigned i = 0; i < NDSA_SLOTS; i++) {
		uint64_t *slot = (uint64_t *)(void *)(page + i * sizeof *descriptor);

		if (!__atomic_load_n(slot, __ATOMIC_ACQUIRE))
			continue;
		memcpy(descriptor, slot, sizeof *descriptor);
		__atomic_store_n(slot, 0, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

bool ndsa_portal_take(struct ndsa_queue *queue, struct dsa_hw_desc *descriptor)
{
	if (queue->page)
		return take_from_page(queue->page, descriptor);
	return read(queue->fd, descriptor, sizeof *descriptor) == sizeof *descriptor;
}
