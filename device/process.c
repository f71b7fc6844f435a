/* process.c - the record of a process: ready, running, ended. */
#include "device/core_int.h"

enum {
	LINES_PER_RUN = 64, /* that a process may take itself before others have their turn */
};

void list_add(struct process_list *list, struct process *process)
{
	process->next = NULL;
	if (list->tail)
		list->tail->next = process;
	else
		list->head = process;
	list->tail = process;
}

struct process *list_take(struct process_list *list)
{
	struct process *process = list->head;

	if (!process)
		return NULL;
	list->head = process->next;
	if (!list->head)
		list->tail = NULL;
	return process;
}

static void list_add_first(struct process_list *list, struct process *process)
{
	process->next = list->head;
	list->head = process;
	if (!list->tail)
		list->tail = process;
}

static void list_remove(struct process_list *list, struct process *process)
{
	struct process_list rest = {NULL, NULL};
	struct process *other;

	while ((other = list_take(list)))
		if (other != process)
			list_add(&rest, other);
	*list = rest;
}

void process_make_ready(struct ndev_core *core, struct process *process)
{
	process->state = PROCESS_READY;
	list_add(&core->ready, process);
}

/*
 * An entry of the process table is the address of a record, or the note that a spawn was refused:
 * odd, with the serial, the error and the ending. So even a refusal has a place to wait in that
 * existed before.
 */
static uint64_t refusal_note(uint64_t self, enum nmsg_ending ending, int error)
{
	return self >> 24 << 24 | (uint64_t)(uint8_t)-error << 8 | (uint64_t)ending << 1 | 1;
}

static struct nmsg_exit refusal_exit(uint64_t note, uint32_t id)
{
	return (struct nmsg_exit){
		.self = (note >> 24 << 24) | id,
		.value = -(int64_t)(note >> 8 & 0xff),
		.ending = note >> 1 & 0x7f,
	};
}

struct process *process_by_id(const struct ndev_core *core, uint32_t id)
{
	uint64_t entry = id <= core->ids_max ? core->processes[id] : 0;

	return entry & (1 | HEADLESS_NOTE) ? NULL : (struct process *)(uintptr_t)entry;
}

struct process *process_find(const struct ndev_core *core, uint64_t self)
{
	struct process *process = process_by_id(core, nreg_self_process(self));

	return process && process->self == self ? process : NULL;
}

bool exit_send(struct ndev_core *core, const struct nmsg_exit *how)
{
	if (core->letters || !nchan_place_room(&core->place, NCHAN_HOST))
		return false;
	core_tell_counts(core);
	nchan_place_send(&core->place, NCHAN_HOST, nchan_head(NCHAN_EXIT, sizeof(*how), 0, 0), how,
		sizeof(*how));
	return true;
}

void process_free(struct ndev_core *core, struct process *process)
{
	struct near *near = (struct near *)(void *)process - 1;

	fds_free(core, process);
	if (nchan_likely(!(process->flags & PROCESS_HAS_NEAR))) {
		ndev_frames_put(&core->frames, process);
	} else {
		scratch_put(core, near->scratch);
		ndev_frames_put(&core->frames, near);
	}
}

uint64_t process_block_bytes(const struct ndev_core *core, const struct process *process)
{
	bool has_near = process->flags & PROCESS_HAS_NEAR;
	const void *block =
		has_near ? (const void *)((const struct near *)(const void *)process - 1) : process;

	return ndev_frames_block_bytes(&core->frames, block);
}

static void forget(struct ndev_core *core, struct process *process)
{
	bool leaves_kin = process->flags & PROCESS_LEAVES_KIN;

	core->processes[nreg_self_process(process->self)] = leaves_kin ? HEADLESS_NOTE : 0;
	nchan_store(&core->shared->status.alive, core->shared->status.alive - 1);
	process_free(core, process);
}

static void close_ends(struct ndev_core *core, struct process *process)
{
	uint32_t *ends = process_ends(process);

	for (unsigned i = 0; i < process->end_count; i++) {
		uint32_t end = ends[i];

		ends[i] = 0;
		end_drop(core, end);
	}
	process->end_count = 0;
}

/* It was woken and has not tried again: whoever waits behind it must not wait for ever. */
static void pass_on_wakeup(struct ndev_core *core, const struct process *process)
{
	struct nchan_end *end = nchan_end_by_id(&core->place, process->end & ~NMSG_END_WRITES);

	if (!(process->flags & PROCESS_WOKEN))
		return;
	if (process->end & NMSG_END_WRITES)
		wake_writer(core, end);
	else
		wake_reader(core, end);
}

/*
 * It cannot publish what it has stored any more; left in a cache, that might go over what somebody
 * else stores there later.
 */
static void give_up_stores(const struct ndev_core *core, const struct process *process)
{
	for (unsigned i = 0; i < process->segment_count; i++) {
		const struct nk_segment *segment = &process->segments[i];

		nchan_refresh(core->device->platform.caches,
			(const void *)(uintptr_t)(segment->base + segment->delta),
			segment->writable);
	}
}

/* Nobody resumes the process any more: its frame keeps the exit until that is sent. */
void process_end(struct ndev_core *core, struct process *process, const struct nmsg_exit *ending)
{
	struct nmsg_exit how = *ending;

	if (core->served.process == process)
		core->served.end = NULL;
	if (nchan_unlikely(process->flags & PROCESS_HAS_NEAR) && copies_end(core, process, &how))
		return;
	if (nchan_unlikely(how.ending != NMSG_EXITED))
		give_up_stores(core, process);
	pass_on_wakeup(core, process);
	close_ends(core, process);
	process->state = PROCESS_ENDED;
	if (nchan_unlikely(process->flags & PROCESS_HAS_KIN) && kin_end(core, process, &how)) {
		forget(core, process);
		return;
	}
	if (!core->exits.head && exit_send(core, &how)) {
		forget(core, process);
		return;
	}
	nchan_copy(process + 1, &how, sizeof(how));
	list_add(&core->exits, process);
	nchan_tx_ask(&core->links[NCHAN_HOST].tx);
}

void process_refuse(struct ndev_core *core, uint64_t self, enum nmsg_ending ending, int error)
{
	uint64_t note = refusal_note(self, ending, error);
	struct nmsg_exit how = refusal_exit(note, nreg_self_process(self));

	if (!core->refusals && exit_send(core, &how))
		return;
	core->processes[nreg_self_process(self)] = note;
	core->refusals++;
	nchan_tx_ask(&core->links[NCHAN_HOST].tx);
}

static void refusals_flush(struct ndev_core *core)
{
	while (core->refusals) {
		uint32_t id = core->refusals_next++ % (core->processes_max + 1);
		struct nmsg_exit how = refusal_exit(core->processes[id], id);

		if (!(core->processes[id] & 1))
			continue;
		if (!exit_send(core, &how)) {
			core->refusals_next = id;
			return;
		}
		core->processes[id] = 0;
		core->refusals--;
	}
}

void exits_flush(struct ndev_core *core)
{
	while (core->exits.head &&
		exit_send(core, (const struct nmsg_exit *)(core->exits.head + 1)))
		forget(core, list_take(&core->exits));
	refusals_flush(core);
	kin_flush(core);
}

void process_kill(struct ndev_core *core, struct process *process)
{
	struct nmsg_exit how = {.self = process->self, .ending = NMSG_KILLED};

	if (process->state == PROCESS_ENDED)
		return;
	if (process->state == PROCESS_READY)
		list_remove(&core->ready, process);
	else if (process->state == PROCESS_READING || process->state == PROCESS_WRITING)
		wait_cancel(core, process);
	process_end(core, process, &how);
}

/*
 * A process of weight w goes on before all others until it has had w turns in a row; then they have
 * theirs. One that waited in between begins anew.
 */
static void yield_with_weight(struct ndev_core *core, struct process *process)
{
	uint64_t now = core->shared->status.switches;

	if (core->turns_of != process->self || core->turns_at + 1 != now)
		core->turns_left = process->extra_turns;
	core->turns_of = process->self;
	core->turns_at = now;
	if (core->turns_left) {
		core->turns_left--;
		list_add_first(&core->ready, process);
	} else {
		core->turns_of = 0;
		list_add(&core->ready, process);
	}
}

/* It has suspended, returned or left. */
static void after_run(struct ndev_core *core, struct process *process)
{
	core->running = NULL;
	if (!(process->brief & BRIEF_STATE_AND_WEIGHT))
		list_add(&core->ready, process); /* it yielded */
	else if (process->state == PROCESS_ENDED)
		process_end(core, process, &core->ending);
	else if (process->state == PROCESS_READY)
		yield_with_weight(core, process);
	if (nchan_unlikely(core->doomed))
		family_end_doomed(core);
}

static void run(struct ndev_core *core, struct process *process)
{
	struct nreg_core_status *status = &core->shared->status;
	void *frame = process + 1;
	void (*resume)(void *frame) = *(void (**)(void *))frame;

	core->running = process;
	core->lines_left = LINES_PER_RUN;
	nchan_store(&status->running, process->self);
	nchan_store(&status->switches, status->switches + 1);
	resume(frame);
	after_run(core, process);
}

/* Apart from who saves the context: what returns twice has no use of registers. */
static __attribute__((noinline)) void run_ready(struct ndev_core *core)
{
	struct process *process;

	while (core->runs_left && (process = list_take(&core->ready))) {
		core->runs_left--;
		run(core, process);
	}
	nchan_store(&core->shared->status.running, 0);
}

bool processes_run(struct ndev_core *core, unsigned count)
{
	if (!core->ready.head)
		return false;
	core->runs_left = count;
	/* A process that exits, faults or is killed in the middle of its code jumps here. */
	if (ndev_context_save(&core->context))
		after_run(core, core->running);
	run_ready(core);
	return true;
}
