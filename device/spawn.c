/* spawn.c - a SPAWN line of the host becomes a process. */
#include "device/core_int.h"

/* The parts of a spawn, found in its joined payload. */
struct spawn {
	struct nmsg_spawn head;
	const uint32_t *ends;
	const uint64_t *words;
};

static uint64_t words_offset(const struct nmsg_spawn *head)
{
	return (sizeof(*head) + head->end_count * sizeof(uint32_t) + 7) & ~7ull;
}

static bool parse(const struct nmsg_joined *input, struct spawn *spawn)
{
	if (input->nbytes < sizeof(spawn->head))
		return false;
	nchan_copy(&spawn->head, input->bytes, sizeof(spawn->head));
	if (spawn->head.end_count > NK_ENDS_MAX || spawn->head.word_count > NK_ARG_WORDS_MAX)
		return false;
	spawn->ends = (const uint32_t *)(const void *)(input->bytes + sizeof(spawn->head));
	spawn->words = (const uint64_t *)(const void *)(input->bytes + words_offset(&spawn->head));
	return input->nbytes == words_offset(&spawn->head) + spawn->head.word_count * 8u;
}

static uint64_t table_offset(const struct nk_code *code)
{
	return sizeof(struct process) + ((code->frame_bytes + 7) & ~7ull);
}

static uint64_t segments_offset(const struct nk_code *code, unsigned end_count)
{
	uint64_t table = end_count > NDEV_INLINE_ENDS ? end_count * sizeof(uint32_t) : 0;

	return (table_offset(code) + table + 7) & ~7ull;
}

struct nk_segment *process_own_segments(struct process *process, const struct nk_code *code)
{
	return (struct nk_segment *)(void *)((char *)process +
					     segments_offset(code, process->end_count));
}

/* A block for the record and what lies around it; NULL: none. */
static struct process *take_block(
	struct ndev_core *core, const struct nk_code *code, uint64_t nbytes)
{
	void *scratch;
	struct near *near;

	if (nchan_likely(!code->scratch_bytes))
		return ndev_frames_take(&core->frames, nbytes);
	scratch = scratch_take(core, code->scratch_bytes);
	near = scratch ? ndev_frames_take(&core->frames, sizeof(*near) + nbytes) : NULL;
	if (near)
		*near = (struct near){.scratch = scratch};
	else if (scratch)
		scratch_put(core, scratch);
	return near ? (struct process *)(void *)(near + 1) : NULL;
}

struct process *process_make(struct ndev_core *core, const struct nk_code *code, unsigned end_count,
	unsigned segment_count)
{
	uint64_t nbytes = segments_offset(code, end_count);
	struct process *process;

	/*
	 * The exit of an ended process is kept in its frame, which any frame's block has room for.
	 */
	_Static_assert(sizeof(struct process) % NDEV_BLOCK_BYTES == 0 &&
			       NDEV_BLOCK_BYTES >= sizeof(struct nmsg_exit),
		"a frame can hold an exit");
	if (!code->frame_bytes || code->frame_bytes > NK_FRAME_MAX)
		return NULL;
	process = take_block(core, code, nbytes + segment_count * sizeof(struct nk_segment));
	if (!process)
		return NULL;
	*process = (struct process){
		.ops = &core->ops,
		.segments = core->no_grants.segment,
		.state = PROCESS_READY,
		.flags = code->scratch_bytes ? PROCESS_HAS_NEAR : 0,
		.end_count = (uint8_t)end_count,
	};
	if (end_count > NDEV_INLINE_ENDS) {
		process->flags |= PROCESS_MANY_ENDS;
		process->ends[0] = (uint32_t)table_offset(code);
	}
	return process;
}

static bool is_free_id(const struct ndev_core *core, uint32_t id)
{
	return id && id <= core->processes_max && !core->processes[id];
}

/* 0, or why this spawn is refused. */
static int check(
	const struct ndev_core *core, const struct nmsg_spawn *head, const struct nk_code *code)
{
	if (!code)
		return -NCHAN_EINVAL;
	if (head->grant_set && !grants_find(core, head->grant_set))
		return -NCHAN_EINVAL;
	return 0;
}

/*
 * Ends are taken even if the process is refused: they are closed again then, and nobody waits for
 * them.
 */
static bool adopt_ends(struct ndev_core *core, const struct spawn *spawn, uint32_t *ids)
{
	bool all = true;

	for (unsigned i = 0; i < spawn->head.end_count; i++) {
		uint32_t writes = spawn->ends[i] & NMSG_END_WRITES;
		uint32_t name = spawn->ends[i] & ~(NMSG_END_WRITES | NMSG_END_BORROWS);
		bool borrows = spawn->ends[i] & NMSG_END_BORROWS && !writes;
		struct nchan_end *end = borrows ? nchan_borrow(&core->place, name)
						: nchan_adopt(&core->place, name, writes != 0);

		ids[i] = end ? nchan_end_id(&core->place, end) | writes : 0;
		all &= end != NULL;
	}
	return all;
}

static void drop_ends(struct ndev_core *core, const uint32_t *ids, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		end_drop(core, ids[i]);
}

static void give_birth(struct ndev_core *core, struct process *process, const struct spawn *spawn,
	const struct nk_code *code, const uint32_t *ends)
{
	const struct grant_set *grants = grants_find(core, spawn->head.grant_set);
	struct nreg_core_status *status = &core->shared->status;

	nchan_copy(process_ends(process), ends, spawn->head.end_count * sizeof(uint32_t));
	process->self = spawn->head.self;
	process->extra_turns = spawn->head.extra_turns;
	if (grants) {
		process->segments = grants->segment;
		process->segment_count = grants->count & 31;
	}
	core->processes[nreg_self_process(process->self)] = (uintptr_t)process;
	code->entry((struct nk_process *)(void *)process, spawn->words);
	list_add(&core->ready, process);
	nchan_store(&status->alive, status->alive + 1);
	nchan_store(&status->spawns, status->spawns + 1);
}

static void spawn_process(
	struct ndev_core *core, const struct spawn *spawn, const uint32_t *ends, bool has_ends)
{
	const struct nk_code *code =
		image_kernel(core->device, spawn->head.image, spawn->head.kernel);
	int error = has_ends ? check(core, &spawn->head, code) : -NCHAN_ENOMEM;
	struct process *process = error ? NULL : process_make(core, code, spawn->head.end_count, 0);
	bool is_killed = nchan_load(core->ops.attention) == spawn->head.self;

	if (process && !is_killed) {
		give_birth(core, process, spawn, code, ends);
		return;
	}
	drop_ends(core, ends, spawn->head.end_count);
	if (process)
		process_free(core, process);
	if (is_killed)
		process_refuse(core, spawn->head.self, NMSG_KILLED, 0);
	else
		process_refuse(core, spawn->head.self, NMSG_REFUSED, error ? error : -NCHAN_ENOMEM);
}

/*
 * All of it has come. The answer to a spawn whose id is in use or out of range could concern
 * another: there is none.
 */
static bool take_spawn(struct ndev_core *core)
{
	uint32_t ends[NK_ENDS_MAX];
	struct spawn spawn;
	bool has_ends;

	if (!parse(&core->input, &spawn))
		return false;
	has_ends = adopt_ends(core, &spawn, ends);
	if (!is_free_id(core, nreg_self_process(spawn.head.self))) {
		drop_ends(core, ends, spawn.head.end_count);
		return false;
	}
	spawn_process(core, &spawn, ends, has_ends);
	return true;
}

bool receive_spawn(struct ndev_core *core, const struct nchan_line *line)
{
	return nmsg_join(&core->input, line) && (core->input.lines_left || take_spawn(core));
}
