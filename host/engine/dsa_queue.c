/* dsa_queue.c - one open queue, and how descriptors get into it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/engine/dsa.h"
#include "host/wait.h"

enum {
	TRIES = 3, /* of a queue that is full, before other work goes on */
};

static int refuse_open(struct dsa_facts *facts, int number)
{
	char remedy[256] = "";
	struct dsa_finding *finding = &facts->finding;

	if (number == EACCES || number == EPERM) {
		snprintf(remedy, sizeof remedy, "sudo chmod a+rw %s", facts->path);
		dsa_finding_set(finding, DSA_NO_PERMISSION, remedy,
			"this user may not open %s for reading and writing", facts->path);
	} else if (number == EBUSY || number == EWOULDBLOCK) {
		dsa_finding_set(finding, DSA_BUSY, "",
			"%s is dedicated to one user, and another one has it", facts->path);
	} else if (number == ENOENT) {
		snprintf(remedy, sizeof remedy,
			"in a container: start it with --device %s; else: accel-config enable-wq %s/%s",
			facts->path, facts->device, facts->name);
		dsa_finding_set(finding, DSA_NO_NODE, remedy, "there is no %s", facts->path);
	} else {
		dsa_finding_set(finding, DSA_NO_PERMISSION, "dmesg | grep idxd",
			"%s cannot be opened: %s (%d)", facts->path, strerror(number), number);
	}
	return -1;
}

/*
 * The driver gives a dedicated queue to one user at a time. The lock says the same to other users
 * of this library where somebody else stands in for the driver.
 */
static int open_node(struct dsa_facts *facts)
{
	int flags = O_CLOEXEC | O_NONBLOCK;
	int fd = open(facts->path, O_RDWR | flags);

	if (fd < 0)
		return refuse_open(facts, errno);
	if (!facts->is_shared && flock(fd, LOCK_EX | LOCK_NB)) {
		int number = errno;

		close(fd);
		return refuse_open(facts, number);
	}
	return fd;
}

int dsa_queue_open(struct dsa_queue *queue, struct dsa_facts *facts, unsigned instructions)
{
	unsigned wanted = facts->is_shared ? DSA_ENQCMD : DSA_MOVDIR64B;
	void *portal = MAP_FAILED;
	int fd = open_node(facts);

	if (fd < 0)
		return -1;
	if (instructions & wanted)
		portal =
			mmap(NULL, DSA_PORTAL_NBYTES, PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (portal != MAP_FAILED)
		madvise(portal, DSA_PORTAL_NBYTES, MADV_DONTFORK);
	*queue = (struct dsa_queue){
		.fd = fd,
		.portal = portal == MAP_FAILED ? NULL : portal,
		.is_shared = facts->is_shared,
	};
	return 0;
}

void dsa_queue_close(struct dsa_queue *queue)
{
	int cancel = nhost_cancel_hold();

	if (queue->portal)
		munmap(queue->portal, DSA_PORTAL_NBYTES);
	if (queue->fd >= 0)
		close(queue->fd);
	nhost_cancel_release(cancel);
	queue->portal = NULL;
	queue->fd = -1;
}

/* Any offset in the page is the same to hardware. */
static void *next_place(struct dsa_queue *queue)
{
	void *place = queue->portal + queue->offset;

	queue->offset = (queue->offset + sizeof(struct dsa_hw_desc)) % DSA_PORTAL_NBYTES;
	return place;
}

static int put_by_enqcmd(struct dsa_queue *queue, const struct dsa_hw_desc *descriptor)
{
	void *place = next_place(queue);

	for (int i = 0; i < TRIES; i++) {
		if (dsa_enqcmd(place, descriptor))
			return 0;
		nhost_pause();
	}
	return -EAGAIN;
}

static int put_by_write(struct dsa_queue *queue, const struct dsa_hw_desc *descriptor)
{
	int cancel = nhost_cancel_hold();
	ssize_t written;

	do
		written = write(queue->fd, descriptor, sizeof *descriptor);
	while (written < 0 && errno == EINTR);
	nhost_cancel_release(cancel);
	if (written < 0)
		return errno == EBUSY ? -EAGAIN : -errno;
	return written == sizeof *descriptor ? 0 : -EIO;
}

int dsa_queue_put(struct dsa_queue *queue, const struct dsa_hw_desc *descriptor)
{
	if (queue->fd < 0)
		return -ENODEV;
	if (!queue->portal)
		return put_by_write(queue, descriptor);
	if (queue->is_shared)
		return put_by_enqcmd(queue, descriptor);
	dsa_movdir64b(next_place(queue), descriptor);
	return 0;
}
