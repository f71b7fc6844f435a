/*
 * waiters.c - processes that wait at an end, in the order in which they came.
 *
 * An end keeps the id of the last waiter; the waiters form a circle. An event wakes one; a woken
 * process tries its call again, and unless the answer is "wait" it wakes the next (ops.c): so each
 * event costs one process, however many wait.
 */
#include "device/core_int.h"

static void circle_add(struct ndev_core *core, uint32_t *tail_id, struct process *process)
{
	struct process *tail = process_by_id(core, *tail_id);

	if (tail) {
		process->next = tail->next;
		tail->next = process;
	} else {
		process->next = process;
	}
	*tail_id = nreg_self_process(process->self);
}

static struct process *circle_take(struct ndev_core *core, uint32_t *tail_id)
{
	struct process *tail = process_by_id(core, *tail_id);
	struct process *first;

	if (!tail)
		return NULL;
	first = tail->next;
	if (first == tail)
		*tail_id = 0;
	else
		tail->next = first->next;
	return first;
}

static void circle_remove(struct ndev_core *core, uint32_t *tail_id, struct process *process)
{
	struct process *before = process;

	while (before->next != process)
		before = before->next;
	before->next = process->next;
	if (process_by_id(core, *tail_id) == process)
		*tail_id = before == process ? 0 : nreg_self_process(before->self);
}

static uint32_t *waiters_of(struct ndev_core *core, const struct process *process)
{
	struct nchan_end *end = nchan_end_by_id(&core->place, process->end & ~NMSG_END_WRITES);

	return process->state == PROCESS_WRITING ? nchan_write_waiter(end) : nchan_read_waiter(end);
}

void wait_at(
	struct ndev_core *core, struct process *process, uint32_t end, enum process_state state)
{
	process->end = end;
	process->state = (uint8_t)state;
	circle_add(core, waiters_of(core, process), process);
}

void wait_cancel(struct ndev_core *core, struct process *process)
{
	circle_remove(core, waiters_of(core, process), process);
}

static void wake(struct ndev_core *core, uint32_t *waiters)
{
	struct process *process = *waiters ? circle_take(core, waiters) : NULL;

	if (!process)
		return;
	process->flags |= PROCESS_WOKEN;
	process_make_ready(core, process);
}

void wake_reader(struct ndev_core *core, struct nchan_end *end)
{
	wake(core, nchan_read_waiter(end));
}

void wake_writer(struct ndev_core *core, struct nchan_end *end)
{
	wake(core, nchan_write_waiter(end));
}

/* A message that finds too small a buffer stays, for its reader to be told so. */
static bool has_room_for_packet(struct ndev_core *core, struct nchan_end *end, uint64_t nbytes)
{
	const struct process *tail = process_by_id(core, *nchan_read_waiter(end));

	return tail && tail->next->nbytes >= nbytes;
}

/*
 * As long as there is room for a whole line, the read of a stream goes on. Then its process is to
 * run before more lines of it are taken: it reads them where they are, and they need not wait in
 * cells for it.
 */
static uint64_t serve(struct ndev_core *core, const void *bytes, uint64_t nbytes)
{
	struct served_read *read = &core->served;
	uint64_t now = nchan_min(nbytes, read->nbytes - read->done);

	if (nchan_likely(now <= NCHAN_PAYLOAD_BYTES))
		nchan_copy_few(read->buffer + read->done, bytes, now);
	else
		nchan_copy(read->buffer + read->done, bytes, now);
	read->done += now;
	read->process->nbytes = (uint16_t)read->done;
	if (read->nbytes - read->done < NCHAN_PAYLOAD_BYTES || nchan_is_of_packets(read->end)) {
		core->place.left_to_reader =
			*nchan_read_waiter(read->end) ? 0 : nchan_pipe_of(read->end);
		read->end = NULL;
	}
	return now;
}

uint64_t deliver_to_reader(
	struct ndev_core *core, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	struct process *process;

	if (nchan_unlikely(nchan_is_of_packets(end)) && !has_room_for_packet(core, end, nbytes))
		return 0;
	if (core->served.end == end)
		return serve(core, bytes, nbytes);
	process = circle_take(core, nchan_read_waiter(end));
	if (!process)
		return 0;
	core->served = (struct served_read){end, process, process->buffer, process->nbytes, 0};
	process->flags |= PROCESS_DELIVERED;
	process_make_ready(core, process);
	return serve(core, bytes, nbytes);
}
