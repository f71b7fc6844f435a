/*
 * kin.c - who started whom.
 *
 * A process that the host started is the head of a family: all that it, its children and so on have
 * started on this core. The host knows the head only. What the family may touch is held by the
 * head's grants and image, so the host is told twice: when the head has ended, and, if others go
 * on, when the last of them has.
 */
#include "device/core_int.h"

#define ANY_CHILD UINT32_MAX

uint32_t kin_ids_max(const struct nreg_identity *identity)
{
	uint64_t both = identity->processes_max * 2ull;

	return (uint32_t)nchan_min(both, NREG_PROCESS_MAX);
}

static struct kin *kin_of(const struct ndev_core *core, const struct process *process)
{
	return &core->kin[nreg_self_process(process->self)];
}

/* ---- ids ------------------------------------------------------------------------------------- */

static uint32_t take_id(struct ndev_core *core)
{
	uint32_t id = core->ids_free;

	if (id)
		core->ids_free = core->kin[id].sibling;
	else if (core->ids_fresh < core->ids_max)
		id = ++core->ids_fresh;
	return id;
}

static void free_id(struct ndev_core *core, uint32_t id)
{
	struct kin *kin = &core->kin[id];

	*kin = (struct kin){.serial = kin->serial, .sibling = core->ids_free};
	core->ids_free = id;
}

static uint64_t self_of(const struct ndev_core *core, uint32_t id)
{
	return nreg_self_born(id, core->kin[id].head, core->kin[id].serial);
}

/* ---- families -------------------------------------------------------------------------------- */

static void join_family(struct ndev_core *core, uint32_t id)
{
	struct kin *kin = &core->kin[id], *first = &core->kin[kin->head];

	if (!first->family.next)
		first->family.next = first->family.previous = kin->head;
	kin->family.next = kin->head;
	kin->family.previous = first->family.previous;
	core->kin[first->family.previous].family.next = id;
	first->family.previous = id;
}

/* All of a family without its head have ended, and so had that. */
static void finish(struct ndev_core *core, uint32_t head)
{
	core->kin[head].state = KIN_FINISHED;
	core->kin[head].sibling = 0;
	if (core->finished_tail)
		core->kin[core->finished_tail].sibling = head;
	else
		core->finished_head = head;
	core->finished_tail = head;
	nchan_tx_ask(&core->links[NCHAN_HOST].tx);
}

static void leave_family(struct ndev_core *core, uint32_t id)
{
	struct kin *kin = &core->kin[id], *head = &core->kin[kin->head];

	core->kin[kin->family.previous].family.next = kin->family.next;
	core->kin[kin->family.next].family.previous = kin->family.previous;
	if (head->family.next != kin->head)
		return;
	head->family.next = head->family.previous = 0;
	if (head->state == KIN_HEADLESS)
		finish(core, kin->head);
}

void kin_flush(struct ndev_core *core)
{
	/* Not before the EXIT of the head itself. */
	while (core->finished_head && !core->exits.head) {
		uint32_t head = core->finished_head;
		struct nmsg_exit how = {.self = core->kin[head].self, .ending = NMSG_FAMILY_ENDED};

		if (!exit_send(core, &how))
			return;
		core->finished_head = core->kin[head].sibling;
		if (!core->finished_head)
			core->finished_tail = 0;
		core->kin[head] = (struct kin){0};
		core->processes[head] = 0;
	}
}

static bool is_of_family(const struct ndev_core *core, const struct process *process, uint32_t head)
{
	uint32_t id = nreg_self_process(process->self);

	return id == head || (process->flags & PROCESS_HAS_KIN && core->kin[id].head == head);
}

static bool is_head(const struct ndev_core *core, uint64_t self)
{
	uint32_t head = nreg_self_process(self);

	if (!head || head > core->processes_max)
		return false;
	return core->processes[head] == HEADLESS_NOTE ? core->kin[head].self == self
						      : process_find(core, self) != NULL;
}

/* Those that are ready in one pass over the ready queue, then those that wait. */
static void family_kill(struct ndev_core *core, uint64_t head_self)
{
	uint32_t head = nreg_self_process(head_self);
	struct process_list ready = core->ready;
	struct process *process;

	if (!is_head(core, head_self))
		return;
	core->ready = (struct process_list){NULL, NULL};
	while ((process = list_take(&ready)))
		if (is_of_family(core, process, head))
			process_end(core, process,
				&(struct nmsg_exit){.self = process->self, .ending = NMSG_KILLED});
		else
			list_add(&core->ready, process);
	process = process_find(core, head_self);
	if (process)
		process_kill(core, process);
	while (core->kin[head].family.next)
		process_kill(core, process_by_id(core, core->kin[head].family.next));
}

/*
 * A process that takes lines while it runs may be one of them: so it first comes back, and takes no
 * other line until then.
 */
void family_doom(struct ndev_core *core, uint64_t head_self)
{
	if (core->running)
		core->doomed = head_self;
	else
		family_kill(core, head_self);
}

void family_end_doomed(struct ndev_core *core)
{
	uint64_t head_self = core->doomed;

	core->doomed = 0;
	family_kill(core, head_self);
}

/* ---- children -------------------------------------------------------------------------------- */

int kin_begin(struct ndev_core *core, struct process *parent, enum kin_state state, uint64_t *self)
{
	struct kin *ours = kin_of(core, parent), *kin;
	uint32_t id = ~ours->numbers ? take_id(core) : 0;

	if (!id)
		return ~ours->numbers ? -NCHAN_EAGAIN : -NCHAN_EMFILE;
	kin = &core->kin[id];
	kin->parent = nreg_self_process(parent->self);
	kin->head = ours->head ? ours->head : kin->parent;
	kin->number = (uint8_t)__builtin_ctzll(~ours->numbers);
	kin->sibling = ours->first_child;
	kin->state = (uint8_t)state;
	kin->serial++;
	ours->first_child = id;
	ours->numbers |= 1ull << kin->number;
	if (state == KIN_ALIVE)
		join_family(core, id);
	parent->flags |= PROCESS_HAS_KIN;
	*self = self_of(core, id);
	return kin->number;
}

/*
 * The link to the child of this number, or to the first of which something is known; NULL: there is
 * none.
 */
static uint32_t *find_child(struct ndev_core *core, const struct process *parent, int64_t number)
{
	uint32_t *link = &kin_of(core, parent)->first_child;

	if (!(parent->flags & PROCESS_HAS_KIN))
		return NULL;
	for (; *link; link = &core->kin[*link].sibling)
		if (number == core->kin[*link].number ||
			(number < 0 && core->kin[*link].state == KIN_ENDED))
			return link;
	return NULL;
}

int64_t kin_take_ended(
	struct ndev_core *core, struct process *parent, int64_t number, struct nk_outcome *outcome)
{
	uint32_t *link = find_child(core, parent, number);
	uint32_t id = link ? *link : 0;
	struct kin *kin = &core->kin[id];

	if (!id && (number >= 0 || !(parent->flags & PROCESS_HAS_KIN) ||
			   !kin_of(core, parent)->first_child))
		return -NCHAN_ECHILD;
	if (!id || kin->state != KIN_ENDED) {
		parent->end = number < 0 ? ANY_CHILD : (uint32_t)number;
		parent->flags &= (uint8_t)~PROCESS_FENCED; /* that was about another `end` */
		parent->state = PROCESS_WAITING;
		return -NCHAN_EAGAIN;
	}
	*outcome = (struct nk_outcome){.ending = kin->ending, .value = kin->value};
	number = kin->number;
	*link = kin->sibling;
	kin_of(core, parent)->numbers &= ~(1ull << number);
	free_id(core, id);
	return number;
}

int kin_child(struct ndev_core *core, const struct process *parent, int64_t number,
	enum kin_state *state, uint64_t *self)
{
	uint32_t *link = number < 0 ? NULL : find_child(core, parent, number);

	if (!link)
		return -NCHAN_ECHILD;
	*state = core->kin[*link].state;
	*self = self_of(core, *link);
	return 0;
}

unsigned kin_awaited(
	const struct ndev_core *core, const struct process *parent, uint32_t ids[NK_CHILDREN_MAX])
{
	uint32_t id = kin_of(core, parent)->first_child;
	unsigned count = 0;

	for (; id && count < NK_CHILDREN_MAX; id = core->kin[id].sibling)
		if (parent->end == ANY_CHILD || parent->end == core->kin[id].number)
			ids[count++] = core->kin[id].state == KIN_ALIVE ? id : 0;
	return count;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* They go on without a parent; how they end is nobody's business any more. */
static void orphan_children(struct ndev_core *core, struct kin *kin)
{
	uint32_t id = kin->first_child;

	while (id) {
		struct kin *child = &core->kin[id];
		uint32_t next = child->sibling;

		child->parent = 0;
		if (child->state == KIN_ENDED)
			free_id(core, id);
		id = next;
	}
	kin->first_child = 0;
	kin->numbers = 0;
}

static void tell_parent(struct ndev_core *core, struct kin *kin, const struct nmsg_exit *how)
{
	struct process *parent = process_by_id(core, kin->parent);

	kin->state = KIN_ENDED;
	kin->ending = (uint8_t)how->ending;
	kin->value = how->ending == NMSG_FAULTED ? how->fault : how->value;
	if (parent->state == PROCESS_WAITING &&
		(parent->end == kin->number || parent->end == ANY_CHILD))
		process_make_ready(core, parent);
}

/* Of a child, here or abroad. */
static void end_child(struct ndev_core *core, uint32_t id, const struct nmsg_exit *how)
{
	if (core->kin[id].parent)
		tell_parent(core, &core->kin[id], how);
	else
		free_id(core, id);
}

bool kin_end_abroad(struct ndev_core *core, const struct nmsg_exit *how)
{
	uint32_t id = nreg_self_process(how->self);

	if (id <= core->processes_max || id > core->ids_max || core->kin[id].state != KIN_ABROAD ||
		self_of(core, id) != how->self)
		return false;
	end_child(core, id, how);
	return true;
}

bool kin_end(struct ndev_core *core, struct process *process, struct nmsg_exit *how)
{
	uint32_t id = nreg_self_process(process->self);
	struct kin *kin = &core->kin[id];

	orphan_children(core, kin);
	if (!kin->head) {
		if (!kin->family.next)
			return false;
		kin->state = KIN_HEADLESS;
		kin->self = process->self;
		process->flags |= PROCESS_LEAVES_KIN;
		how->ending |= NMSG_LEAVES_FAMILY;
		return false;
	}
	leave_family(core, id);
	end_child(core, id, how);
	return true;
}
