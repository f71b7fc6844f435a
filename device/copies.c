/*
 * copies.c - copies between far and scratch memory that go on while their process, and others, run.
 *
 * The core does them itself, in pieces between the runs of its processes. Processes with copies
 * stand in a queue, and each gets one piece in turn, so that a large copy holds up nobody. Copies
 * of one process are done in the order in which they were started; their numbers count up.
 */
#include "device/core_int.h"

enum {
	PIECE_BYTES = 4096,
	PIECES_PER_ROUND = 4,
};

static struct near *near_of(struct process *process)
{
	return (struct near *)(void *)process - 1;
}

static uint32_t in_flight(const struct near *near)
{
	return near->started - near->finished;
}

static bool is_in_flight(const struct near *near, uint32_t number)
{
	return ((number - near->finished) & INT32_MAX) < in_flight(near);
}

/* ---- the queue ------------------------------------------------------------------------------- */

static void queue_add(struct ndev_core *core, struct process *process)
{
	near_of(process)->next = NULL;
	if (core->copying_tail)
		near_of(core->copying_tail)->next = process;
	else
		core->copying_head = process;
	core->copying_tail = process;
}

static struct process *queue_take(struct ndev_core *core)
{
	struct process *process = core->copying_head;

	core->copying_head = near_of(process)->next;
	if (!core->copying_head)
		core->copying_tail = NULL;
	return process;
}

static void queue_remove(struct ndev_core *core, struct process *process)
{
	struct process *rest = core->copying_head;

	core->copying_head = core->copying_tail = NULL;
	while (rest) {
		struct process *next = near_of(rest)->next;

		if (rest != process)
			queue_add(core, rest);
		rest = next;
	}
}

/* ---- the engine ------------------------------------------------------------------------------ */

static void count(struct ndev_core *core, const struct copy *copy, uint64_t nbytes)
{
	struct nk_far_bytes *far = &core->shared->status.far;

	if (copy->is_put)
		nchan_store(&far->written, far->written + nbytes);
	else
		nchan_store(&far->read, far->read + nbytes);
}

/* True: that was all of it. */
static bool copy_piece(struct ndev_core *core, struct copy *copy)
{
	const struct nchan_caches *caches = core->device->platform.caches;
	uint64_t nbytes = nchan_min(copy->left, PIECE_BYTES);

	nchan_refresh(caches, copy->is_put ? copy->to : copy->from, nbytes);
	nchan_copy(copy->to, copy->from, nbytes);
	if (copy->is_put)
		nchan_publish(caches, copy->to, nbytes);
	count(core, copy, nbytes);
	copy->to += nbytes;
	copy->from += nbytes;
	copy->left -= nbytes;
	return !copy->left;
}

static void tell(struct ndev_core *core, struct process *process)
{
	struct near *near = near_of(process);

	if (process->state == PROCESS_COPYING && !is_in_flight(near, process->end)) {
		process_make_ready(core, process);
	} else if (process->state == PROCESS_LEAVING && !in_flight(near)) {
		struct nmsg_exit how;

		nchan_copy(&how, process + 1, sizeof(how));
		process_end(core, process, &how);
	}
}

bool copies_step(struct ndev_core *core)
{
	bool any = core->copying_head != NULL;

	for (unsigned i = 0; i < PIECES_PER_ROUND && core->copying_head; i++) {
		struct process *process = queue_take(core);
		struct near *near = near_of(process);
		bool is_done = copy_piece(core, &near->copy[near->finished % NK_COPIES_MAX]);

		near->finished += is_done;
		if (in_flight(near))
			queue_add(core, process);
		if (is_done)
			tell(core, process);
	}
	return any;
}

bool copies_end(struct ndev_core *core, struct process *process, const struct nmsg_exit *how)
{
	struct near *near = near_of(process);

	if (!in_flight(near))
		return false;
	if (how->ending == NMSG_EXITED) {
		nchan_copy(process + 1, how, sizeof(*how));
		process->state = PROCESS_LEAVING;
		return true;
	}
	queue_remove(core, process);
	near->finished = near->started;
	return false;
}

/* ---- what kernel code calls ------------------------------------------------------------------ */

static int64_t start(
	struct process *process, void *to, const void *from, uint64_t nbytes, bool is_put)
{
	struct near *near = near_of(process);
	uint32_t number = near->started;

	near->copy[number % NK_COPIES_MAX] =
		(struct copy){.to = to, .from = from, .left = nbytes, .is_put = is_put};
	if (!in_flight(near))
		queue_add(core_of(process), process);
	near->started++;
	return number & INT32_MAX;
}

static bool is_full(struct process *process)
{
	return in_flight(near_of(process)) == NK_COPIES_MAX;
}

int64_t op_get(struct nk_process *process, void *to, uint64_t from, uint64_t nbytes, uint32_t site)
{
	const void *address = nbytes ? process->ops->far_read(process, from, nbytes, site) : NULL;

	return is_full(process_of(process))
		       ? -NCHAN_EAGAIN
		       : start(process_of(process), to, address, nbytes, false);
}

int64_t op_put(
	struct nk_process *process, uint64_t to, const void *from, uint64_t nbytes, uint32_t site)
{
	void *address = nbytes ? process->ops->far_write(process, to, nbytes, site) : NULL;

	return is_full(process_of(process))
		       ? -NCHAN_EAGAIN
		       : start(process_of(process), address, from, nbytes, true);
}

int64_t op_copied(struct nk_process *kernel_process, int64_t number, uint32_t site)
{
	struct process *process = process_of(kernel_process);

	if (number < 0)
		return number;
	if (!(process->flags & PROCESS_HAS_NEAR) || number > INT32_MAX ||
		!is_in_flight(near_of(process), (uint32_t)number))
		return 0;
	process->site = site <= UINT16_MAX ? (uint16_t)site : 0;
	process->flags &= (uint8_t)~PROCESS_FENCED; /* which looks at `end`, too */
	process->end = (uint32_t)number;
	process->state = PROCESS_COPYING;
	return -NCHAN_EAGAIN;
}
