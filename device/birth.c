/*
 * birth.c - a process starts another, here on its core. The child has what the starter gives it and
 * nothing else: ends that the starter had, and of far memory what the starter's own segments hold.
 */
#include "device/core_int.h"

/* ---- far memory ------------------------------------------------------------------------------ */

/* The starter's segment that holds this address, a writable one if need be. */
static int find_segment(
	const struct process *parent, uint64_t address, bool writes, struct nk_segment *found)
{
	int error = -NCHAN_EFAULT;

	for (unsigned i = 0; i < parent->segment_count; i++) {
		const struct nk_segment *segment = &parent->segments[i];

		if (address - segment->base >= segment->len)
			continue;
		*found = *segment;
		if (!writes)
			found->writable = 0;
		if (!writes || segment->writable)
			return 0;
		error = -NCHAN_EACCES;
	}
	return error;
}

static bool is_same(const struct nk_segment *a, const struct nk_segment *b)
{
	return a->base == b->base && a->len == b->len && a->writable == b->writable;
}

/*
 * May the child's segments point to what the starter's do? Only sets of the host stay when the
 * starter ends.
 */
static bool can_share(const struct birth *birth)
{
	const struct process *parent = birth->parent;
	const struct nk_segment *sets = birth->core->grants[0].segment;
	const struct nk_segment *end =
		birth->core->grants[birth->core->grant_sets_max].segment + NK_PARAMS_MAX;

	if (birth->segment_count != parent->segment_count ||
		(uintptr_t)parent->segments < (uintptr_t)sets ||
		(uintptr_t)parent->segments >= (uintptr_t)end)
		return false;
	for (unsigned i = 0; i < birth->segment_count; i++)
		if (!is_same(&birth->segments[i], &parent->segments[i]))
			return false;
	return true;
}

static int narrow_segments(struct birth *birth)
{
	uint64_t far = birth->code->far_words;

	for (; far && birth->segment_count < NK_PARAMS_MAX; far &= far - 1) {
		unsigned word = (unsigned)__builtin_ctzll(far);
		struct nk_segment *segment = &birth->segments[birth->segment_count++];
		bool writes = birth->code->writable_words >> word & 1;
		int error;

		*segment = (struct nk_segment){0};
		if (!birth->words[word])
			continue;
		error = find_segment(birth->parent, birth->words[word], writes, segment);
		if (error)
			return error;
	}
	birth->shares_segments = !birth->segment_count || can_share(birth);
	return 0;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static int check_ends(const struct birth *birth)
{
	const struct nk_start *start = birth->start;

	if (start->end_count > NK_ENDS_MAX)
		return -NCHAN_EINVAL;
	for (unsigned i = 0; i < start->end_count; i++) {
		if (!fd_end(birth->parent, start->ends[i]))
			return -NCHAN_EBADF;
		for (unsigned j = 0; j < i; j++)
			if (start->ends[i] == start->ends[j])
				return -NCHAN_EBADF;
	}
	return 0;
}

/* Both are of this core: what the channels know of the ends does not change. */
static void move_ends(const struct birth *birth, struct process *child)
{
	uint32_t *from = process_ends(birth->parent), *to = process_ends(child);

	for (unsigned i = 0; i < birth->start->end_count; i++) {
		to[i] = from[birth->start->ends[i]];
		from[birth->start->ends[i]] = 0;
	}
}

/* ---- the child ------------------------------------------------------------------------------- */

static void grant_segments(const struct birth *birth, struct process *child)
{
	struct nk_segment *own;

	child->segment_count = birth->segment_count & 31;
	if (birth->shares_segments) {
		if (birth->segment_count)
			child->segments = birth->parent->segments;
		return;
	}
	own = process_own_segments(child, birth->code);
	nchan_copy(own, birth->segments, birth->segment_count * sizeof(*own));
	child->segments = own;
}

static int64_t give_birth(struct birth *birth)
{
	struct ndev_core *core = birth->core;
	struct nreg_core *shared = core->shared;
	struct process *child = process_make(core, birth->code, birth->start->end_count,
		birth->shares_segments ? 0 : birth->segment_count);
	uint64_t self;
	int number = child ? kin_begin(core, birth->parent, KIN_ALIVE, &self) : -NCHAN_ENOMEM;

	if (number < 0) {
		if (child)
			process_free(core, child);
		return number;
	}
	child->self = self;
	child->flags |= PROCESS_HAS_KIN;
	child->extra_turns = (birth->start->weight ? birth->start->weight - 1 : 0) & 7;
	move_ends(birth, child);
	grant_segments(birth, child);
	core->processes[nreg_self_process(self)] = (uintptr_t)child;
	birth->code->entry((struct nk_process *)(void *)child, birth->words);
	list_add(&core->ready, child);
	nchan_store(&shared->status.alive, shared->status.alive + 1);
	nchan_store(&shared->wake.births, shared->wake.births + 1);
	return number;
}

int64_t op_spawn(struct nk_process *process, const struct nk_code *code, const uint64_t *words,
	const struct nk_start *start)
{
	struct birth birth = {
		.core = core_of(process_of(process)),
		.parent = process_of(process),
		.code = code,
		.words = words,
		.start = start,
	};
	bool is_here = start->core == NK_SAME_CORE || start->core == (int32_t)birth.core->index;
	int error;

	if (start->core < NK_SAME_CORE ||
		start->core >= (int32_t)birth.core->device->identity.core_count)
		return -NCHAN_EINVAL;
	if (start->weight > NK_WEIGHT_MAX)
		return -NCHAN_EINVAL;
	error = check_ends(&birth);
	if (!error)
		error = narrow_segments(&birth);
	if (error)
		return error;
	return is_here ? give_birth(&birth) : spawn_abroad(&birth);
}
