/*
 * model.h - a DSA that is a process: for programs that want one on machines that have none.
 *
 *     nearside dsa-model -- ./app
 *       tree.c      a mount namespace with the files that libaccel-config reads
 *       portal.c    takes descriptors out of /dev/dsa/wq0.0
 *       execute.c   does what they say, in the memory of the program
 *       client.c    which process that is, and its memory
 *       model.c     the loop, and trouble on request (control.h)
 *
 * It shows what hardware does to the bytes and when it says so. It does not show how fast: each
 * byte is copied twice by this process.
 *
 * A portal is a page that is polled, or a pipe where the page cannot be mapped. A polled page is
 * not a device: a second descriptor at the same place, stored before the first one is taken,
 * overwrites it. So whoever uses the model lets no more be under way than the queue has room for,
 * of which there are at most NDSA_SLOTS, and takes one place after the other; and one process uses
 * a queue.
 *
 * When a program closes a queue, the driver waits for what hardware has of it. The model cannot: it
 * may still do what was left there, as late as it comes to it.
 */
#ifndef NEARSIDE_EMU_DSA_MODEL_H
#define NEARSIDE_EMU_DSA_MODEL_H

#include <linux/idxd.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "emu/dsa/control.h"
#include "host/device.h"

enum {
	NDSA_DEVICES_MAX = 2,
	NDSA_QUEUES_MAX = 8, /* of all devices */
	NDSA_SLOTS = 64,
	NDSA_PORTAL_NBYTES = 4096,
};

/* What a machine without a usable queue can look like. */
enum ndsa_show {
	NDSA_USABLE,
	NDSA_NO_MODULE,
	NDSA_NO_DEVICE,
	NDSA_DEVICE_OFF,
	NDSA_HALTED,
	NDSA_NO_SVM,
	NDSA_NO_QUEUE,
	NDSA_QUEUE_OFF,
	NDSA_KERNEL_QUEUE,
	NDSA_NO_NODE,
	NDSA_SHARED_REFUSED, /* shared queues alone: the others are usable */
	NDSA_SHOWS
};

extern const char *const ndsa_show_names[NDSA_SHOWS];

struct ndsa_options {
	unsigned devices;           /* the last one is at `node`, those before it are farther */
	unsigned dedicated, shared; /* queues of each mode, of each device */
	unsigned size;              /* of each queue, in descriptors */
	unsigned max_batch;         /* 1: no batches */
	unsigned long long max_transfer;
	int node;
	unsigned version;
	bool is_mapped; /* portals are pages; false: mmap() is refused, write() works */
	bool has_overlap, has_cache_control;
	enum ndsa_show show;
	struct ndsa_control trouble;
};

struct ndsa_queue {
	char name[16];
	unsigned device;
	bool is_shared;
	int fd;                              /* of the file, or the pipe */
	unsigned char *page;                 /* NULL: a pipe */
	pid_t client;                        /* 0: to be looked for */
	struct dsa_hw_desc held[NDSA_SLOTS]; /* taken, not done: see shuffle */
	unsigned held_count;
};

struct ndsa_model {
	struct ndsa_options options;
	struct ndsa_control *control;
	unsigned queue_count;
	struct ndsa_queue queues[NDSA_QUEUES_MAX];
	int watch;    /* an inotify: who opens and closes portals */
	bool is_over; /* halted or vanished */
};

/* ---- tree.c ---------------------------------------------------------------------------------- */

/*
 * Gives this process, which has one thread, and its children to come a mount namespace where the
 * device exists. 0, or a negative errno with words and a way out.
 */
int ndsa_tree_create(struct ndsa_model *model, struct nhost_error *error);

void ndsa_tree_halt(const struct ndsa_model *model);
void ndsa_tree_vanish(const struct ndsa_model *model);

/* ---- portal.c -------------------------------------------------------------------------------- */

/* Opens every queue of the tree, and the control page. */
int ndsa_portals_open(struct ndsa_model *model, struct nhost_error *error);

/* The next descriptor of this queue. */
bool ndsa_portal_take(struct ndsa_queue *queue, struct dsa_hw_desc *descriptor);

/* ---- client.c -------------------------------------------------------------------------------- */

/* Who uses this queue; 0: nobody that is known. */
pid_t ndsa_client_of(
	struct ndsa_model *model, struct ndsa_queue *queue, const struct dsa_hw_desc *descriptor);

/* How many bytes could be read or written, from the first one on. */
size_t ndsa_read(pid_t client, uint64_t address, void *to, size_t nbytes);
size_t ndsa_write(pid_t client, uint64_t address, const void *from, size_t nbytes);

/* ---- execute.c ------------------------------------------------------------------------------- */

/* What happens to one descriptor, but for the storing of its record. */
struct ndsa_fault {
	uint64_t at; /* NDSA_NEVER */
	bool is_write;
};

void ndsa_execute(const struct ndsa_options *options, pid_t client,
	const struct dsa_hw_desc *descriptor, struct ndsa_fault fault,
	struct dsa_completion_record *record);

/* ---- model.c --------------------------------------------------------------------------------- */

/* Serves until the child ends; its exit code, or 128 and the signal. */
int ndsa_serve(struct ndsa_model *model, pid_t child);

#endif
