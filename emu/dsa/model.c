/* model.c - takes descriptors, has them done, stores their records; makes trouble when asked. */
#include "emu/dsa/model.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/wait.h"

enum {
	BUSY_NS = 200 * 1000,  /* without work, until it sleeps */
	NAP_NS = 50 * 1000,    /* between looks at pages */
	SLEEP_NS = 1000 * 1000 /* between looks at the child and what it asks for */
};

/* Counts down; true as long as there was something to count. */
static bool count_down(uint64_t *word)
{
	uint64_t value = ndsa_get(word);

	if (!value)
		return false;
	if (value != NDSA_NEVER)
		ndsa_set(word, value - 1);
	return true;
}

static void count_up(uint64_t *word)
{
	ndsa_set(word, ndsa_get(word) + 1);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The status byte last: who sees it sees the rest. */
static void store_record(struct ndsa_model *model, pid_t client,
	const struct dsa_hw_desc *descriptor, const struct dsa_completion_record *record)
{
	uint64_t address = descriptor->completion_addr;
	unsigned char bytes[sizeof *record];

	if (!(descriptor->flags & IDXD_OP_FLAG_CRAV) || count_down(&model->control->lose))
		return;
	memcpy(bytes, (const void *)record, sizeof bytes);
	ndsa_write(client, address + 1, bytes + 1, sizeof bytes - 1);
	ndsa_write(client, address, bytes, 1);
}

static struct ndsa_fault next_fault(struct ndsa_model *model)
{
	struct ndsa_fault fault = {NDSA_NEVER, false};

	if (count_down(&model->control->faults)) {
		fault.at = ndsa_get(&model->control->fault_at);
		fault.is_write = ndsa_get(&model->control->fault_is_write);
	}
	return fault;
}

static void end_life(struct ndsa_model *model)
{
	if (model->is_over)
		return;
	if (!ndsa_get(&model->control->halt_after))
		ndsa_tree_halt(model);
	else if (!ndsa_get(&model->control->vanish_after))
		ndsa_tree_vanish(model);
	else
		return;
	model->is_over = true;
}

/* Also parts of batches. The status that its record says. */
static unsigned do_one(struct ndsa_model *model, pid_t client, const struct dsa_hw_desc *descriptor)
{
	struct dsa_completion_record record = {0};
	uint64_t status = ndsa_get(&model->control->status);

	if (status)
		record.status = (uint8_t)status;
	else
		ndsa_execute(&model->options, client, descriptor, next_fault(model), &record);
	count_up(&model->control->descriptors);
	if (descriptor->flags & IDXD_OP_FLAG_CC)
		count_up(&model->control->to_cache);
	store_record(model, client, descriptor, &record);
	return record.status;
}

/* ---- batches --------------------------------------------------------------------------------- */

static unsigned refuse_batch(const struct ndsa_model *model, const struct dsa_hw_desc *batch)
{
	if (model->options.max_batch < 2)
		return DSA_COMP_BAD_OPCODE;
	if (batch->desc_count < 2 || batch->desc_count > model->options.max_batch)
		return DSA_COMP_DESC_CNT_ERANGE;
	if (batch->desc_list_addr % sizeof(struct dsa_hw_desc))
		return DSA_COMP_DESCLIST_ALIGN;
	return 0;
}

static void do_batch(struct ndsa_model *model, pid_t client, const struct dsa_hw_desc *batch)
{
	struct dsa_completion_record record = {.status = (uint8_t)refuse_batch(model, batch)};
	bool has_failed = false;

	for (uint32_t i = 0; !record.status && i < batch->desc_count; i++) {
		struct dsa_hw_desc descriptor;
		uint64_t address = batch->desc_list_addr + i * sizeof descriptor;

		if (ndsa_read(client, address, &descriptor, sizeof descriptor) <
			sizeof descriptor) {
			record.status = DSA_COMP_BATCH_PAGE_FAULT;
			record.fault_addr = address;
			break;
		}
		has_failed |= do_one(model, client, &descriptor) != DSA_COMP_SUCCESS;
		record.bytes_completed++;
	}
	if (!record.status)
		record.status = has_failed ? DSA_COMP_BATCH_FAIL : DSA_COMP_SUCCESS;
	count_up(&model->control->batches);
	store_record(model, client, batch, &record);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void do_descriptor(
	struct ndsa_model *model, struct ndsa_queue *queue, const struct dsa_hw_desc *descriptor)
{
	pid_t client = ndsa_client_of(model, queue, descriptor);

	if (model->is_over || !client)
		return;
	if (descriptor->opcode == DSA_OPCODE_BATCH)
		do_batch(model, client, descriptor);
	else
		do_one(model, client, descriptor);
	count_down(&model->control->halt_after);
	count_down(&model->control->vanish_after);
	end_life(model);
}

static void do_held(struct ndsa_model *model, struct ndsa_queue *queue)
{
	while (queue->held_count)
		do_descriptor(model, queue, &queue->held[--queue->held_count]);
}

/* True: there was something. */
static bool serve_queue(struct ndsa_model *model, struct ndsa_queue *queue)
{
	struct dsa_hw_desc *descriptor = &queue->held[queue->held_count];
	uint64_t shuffle = ndsa_get(&model->control->shuffle);

	if (ndsa_get(&model->control->stall) || !ndsa_portal_take(queue, descriptor)) {
		bool had = queue->held_count;

		/* No more come: nothing is held for ever. */
		do_held(model, queue);
		return had;
	}
	if (count_down(&model->control->swallow))
		return true;
	queue->held_count++;
	if (queue->held_count >= NDSA_SLOTS || queue->held_count >= shuffle)
		do_held(model, queue);
	return true;
}

static bool serve_queues(struct ndsa_model *model)
{
	bool had_work = false;

	end_life(model);
	for (unsigned i = 0; i < model->queue_count; i++)
		had_work |= serve_queue(model, &model->queues[i]);
	if (!had_work)
		count_up(&model->control->idle);
	return had_work;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void nap(const struct ndsa_model *model)
{
	struct pollfd files[NDSA_QUEUES_MAX];
	bool stalls = ndsa_get(&model->control->stall);
	struct timespec time = {0, model->options.is_mapped ? NAP_NS : SLEEP_NS};
	unsigned count = 0;

	for (unsigned i = 0; i < model->queue_count && !model->options.is_mapped && !stalls; i++)
		files[count++] = (struct pollfd){.fd = model->queues[i].fd, .events = POLLIN};
	ppoll(files, count, &time, NULL);
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int ndsa_serve(struct ndsa_model *model, pid_t child)
{
	int64_t idle_since_ns = nhost_clock_ns();
	int status;

	for (;;) {
		if (serve_queues(model)) {
			idle_since_ns = nhost_clock_ns();
			continue;
		}
		if (nhost_clock_ns() - idle_since_ns < BUSY_NS) {
			sched_yield();
			continue;
		}
		if (waitpid(child, &status, WNOHANG) == child)
			return exit_code(status);
		nap(model);
	}
}
