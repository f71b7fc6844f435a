/*
 * report.c - the host asks what the processes do and which ends they hold. The answer goes out as
 * there is room that nobody else needs, a few processes a round.
 */
#include "device/core_int.h"

enum {
	IDS_PER_ROUND = 256,
	/* Lines of the FIFO that are left to what the core has to say by itself. */
	ROOM_FOR_OTHERS = 16,
};

bool receive_ask(struct ndev_core *core, const struct nchan_line *line)
{
	core->owes_report = true;
	core->report_number = (uint16_t)nchan_head_arg(line->head);
	core->report_next = 1;
	return true;
}

static void send(struct ndev_core *core, const struct nmsg_state *state)
{
	nchan_place_send(&core->place, NCHAN_HOST,
		nchan_head(NCHAN_STATE, sizeof(*state), 0, core->report_number), state,
		sizeof(*state));
}

uint32_t report_end(const struct ndev_core *core, uint32_t end)
{
	uint32_t id = end & ~NMSG_END_WRITES;
	uint32_t pipe = id ? nchan_pipe_of(nchan_end_by_id(&core->place, id)) : 0;

	if (!id)
		return 0;
	return (pipe ? pipe : NMSG_END_LOCAL | id) | (end & NMSG_END_WRITES);
}

static uint32_t what_it_waits_for(const struct ndev_core *core, const struct process *process)
{
	switch (process->state) {
	case PROCESS_READING:
	case PROCESS_WRITING:
		return report_end(core, process->end);
	case PROCESS_WAITING:
		return NMSG_WAITS_FOR_CHILD;
	case PROCESS_COPYING:
	case PROCESS_LEAVING:
		return NMSG_WAITS_FOR_COPY;
	default:
		return 0;
	}
}

static void tell_children(struct ndev_core *core, const struct process *process)
{
	uint32_t ids[NK_CHILDREN_MAX];
	unsigned count = kin_awaited(core, process, ids);

	for (unsigned i = 0; i < count; i += NMSG_STATE_ENDS) {
		struct nmsg_state state = {.self = process->self, .first_end = NMSG_STATE_CHILDREN};

		state.end_count = (uint8_t)nchan_min(count - i, NMSG_STATE_ENDS);
		nchan_copy(state.ends, ids + i, state.end_count * sizeof(*ids));
		send(core, &state);
	}
}

static void tell(struct ndev_core *core, struct process *process)
{
	struct nmsg_state state = {
		.self = process->self, .waits_at = what_it_waits_for(core, process)};
	const uint32_t *ends = process_ends(process);

	if (state.waits_at && process->state != PROCESS_LEAVING)
		state.site = process->site;
	for (unsigned i = 0; i < process->end_count; i++) {
		if (state.end_count == NMSG_STATE_ENDS) {
			send(core, &state);
			state = (struct nmsg_state){.self = process->self, .first_end = (uint8_t)i};
		}
		state.ends[state.end_count++] = report_end(core, ends[i]);
	}
	send(core, &state);
	if (process->state == PROCESS_WAITING)
		tell_children(core, process);
}

bool report_step(struct ndev_core *core)
{
	const struct nmsg_state last = {.self = 0};

	for (unsigned i = 0; i < IDS_PER_ROUND; i++) {
		struct process *process;

		if (nchan_place_room(&core->place, NCHAN_HOST) <
			ROOM_FOR_OTHERS + NMSG_STATE_LINES_MAX) {
			nchan_tx_ask(&core->links[NCHAN_HOST].tx);
			return false;
		}
		if (core->report_next > core->ids_fresh) {
			send(core, &last);
			core->owes_report = false;
			return true;
		}
		process = process_by_id(core, core->report_next++);
		if (process && process->state != PROCESS_ENDED)
			tell(core, process);
	}
	return true;
}
