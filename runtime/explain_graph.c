/* explain_graph.c - who holds what, who waits where, and who can never go on. */
#include <errno.h>
#include <stdlib.h>

#include "runtime/device_int.h"
#include "runtime/explain.h"

bool explain_host_holds(const struct explain *explain, uint64_t end)
{
	uint64_t id = end & ~(uint64_t)NMSG_END_WRITES;
	const struct pipe *pipe;

	/* One that a process made has a number beyond: the host knows nothing of it. */
	if (id > explain->device->host.identity.pipes_max)
		return false;
	pipe = &explain->device->pipes[id];
	return end & NMSG_END_WRITES ? pipe->handles > pipe->reading_handles
				     : pipe->reading_handles;
}

/* ---- sorted ends ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct explain_end *one = a, *other = b;

	if (one->end != other->end)
		return one->end < other->end ? -1 : 1;
	return (one->state > other->state) - (one->state < other->state);
}

const struct explain_end *explain_first(
	const struct explain_end *ends, uint32_t count, uint64_t end)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ends[middle].end < end)
			low = middle + 1;
		else
			high = middle;
	}
	return ends + low;
}

/* Cores answer side by side: by process, and its lines in order. */
static int compare_states(const void *a, const void *b)
{
	const struct explain_state *one = a, *other = b;
	uint32_t id = nreg_self_process(one->line.self);
	uint32_t other_id = nreg_self_process(other->line.self);

	if (id != other_id)
		return id < other_id ? -1 : 1;
	if (one->core != other->core)
		return one->core < other->core ? -1 : 1;
	if (one->line.self != other->line.self)
		return one->line.self < other->line.self ? -1 : 1;
	return (int)one->line.first_end - (int)other->line.first_end;
}

static bool is_same_process(const struct explain_state *one, const struct explain_state *other)
{
	return one->core == other->core && one->line.self == other->line.self;
}

static void add(struct explain_end *ends, uint32_t *count, uint64_t end, uint32_t state)
{
	ends[(*count)++] = (struct explain_end){end, state};
}

/* One line of the process that begins at `first`. */
static void gather_line(struct explain *explain, uint32_t first, uint32_t at)
{
	const struct explain_state *state = &explain->states[at];
	const struct nmsg_state *line = &state->line;

	for (unsigned k = 0; k < line->end_count; k++)
		if (line->ends[k] && explain_is_of_children(line))
			add(explain->waiting, &explain->waiting_count,
				explain_process_key(state->core, line->ends[k]), first);
		else if (line->ends[k])
			add(explain->held, &explain->held_count,
				explain_key(state->core, line->ends[k]), at);
	explain->waiters += line->waits_at != 0;
	if (line->waits_at && line->waits_at < NMSG_WAITS_FOR_COPY)
		add(explain->waiting, &explain->waiting_count,
			explain_key(state->core, line->waits_at), at);
}

static void gather(struct explain *explain)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < explain->count; i++) {
		if (!is_same_process(&explain->states[i], &explain->states[first]))
			first = i;
		gather_line(explain, first, i);
	}
}

int explain_index(struct explain *explain)
{
	size_t count = explain->count + (size_t)1;

	explain->waiting = calloc(count * NMSG_STATE_ENDS, sizeof(*explain->waiting));
	explain->held = calloc(count * NMSG_STATE_ENDS, sizeof(*explain->held));
	explain->can_go_on = calloc(count, sizeof(*explain->can_go_on));
	if (!explain->waiting || !explain->held || !explain->can_go_on)
		return device_fail(explain->device, ENOMEM, "no memory to explain who waits");
	if (explain->count)
		qsort(explain->states, explain->count, sizeof(*explain->states), compare_states);
	gather(explain);
	qsort(explain->waiting, explain->waiting_count, sizeof(*explain->waiting), compare);
	qsort(explain->held, explain->held_count, sizeof(*explain->held), compare);
	return 0;
}

/* ---- who can never go on --------------------------------------------------------------------- */

struct search {
	struct explain *explain;
	uint32_t *reached; /* states that can go on, their ends not yet looked at */
	uint32_t count;
};

static void reach(struct search *search, uint32_t state)
{
	if (search->explain->can_go_on[state])
		return;
	search->explain->can_go_on[state] = true;
	search->reached[search->count++] = state;
}

/* What they wait for may happen: so they can go on. */
static void release(struct search *search, uint64_t end)
{
	const struct explain *explain = search->explain;
	const struct explain_end *last = explain->waiting + explain->waiting_count;
	const struct explain_end *at = explain_first(explain->waiting, explain->waiting_count, end);

	for (; at < last && at->end == end; at++)
		reach(search, at->state);
}

/*
 * The process that begins at this state can go on: so can who waits for it, and at the other ends
 * of what it holds.
 */
static void release_all(struct search *search, uint32_t at)
{
	const struct explain *explain = search->explain;
	const struct explain_state *first = &explain->states[at], *state = first;
	const struct explain_state *last = explain->states + explain->count;

	release(search, explain_process_key(first->core, nreg_self_process(first->line.self)));
	for (; state < last && is_same_process(state, first); state++)
		for (unsigned k = 0; k < state->line.end_count; k++)
			if (state->line.ends[k] && !explain_is_of_children(&state->line))
				release(search, explain_key(state->core, state->line.ends[k]) ^
							NMSG_END_WRITES);
}

/* It waits for nothing, or for what the core does by itself. */
static bool can_run(const struct nmsg_state *line)
{
	return !line->first_end && (!line->waits_at || line->waits_at == NMSG_WAITS_FOR_COPY);
}

/* What a child on another core could do is not looked at. */
static bool has_child_abroad(const struct nmsg_state *line)
{
	for (unsigned k = 0; k < line->end_count; k++)
		if (explain_is_of_children(line) && !line->ends[k])
			return true;
	return false;
}

static void reach_first(struct search *search)
{
	struct explain *explain = search->explain;
	uint32_t first = 0;

	for (uint32_t i = 0; i < explain->count; i++) {
		const struct explain_state *state = &explain->states[i];

		if (!is_same_process(state, &explain->states[first]))
			first = i;
		if (can_run(&state->line) || has_child_abroad(&state->line))
			reach(search, first);
	}
	for (uint32_t i = 0; i < explain->waiting_count; i++)
		if (explain_host_holds(explain, explain->waiting[i].end ^ NMSG_END_WRITES))
			reach(search, explain->waiting[i].state);
}

void explain_find_stuck(struct explain *explain)
{
	struct search search = {.explain = explain};

	if (explain->is_still)
		search.reached = malloc((explain->count + (size_t)1) * sizeof(uint32_t));
	/* Without a proof nobody is called stuck. */
	explain->is_still = search.reached;
	if (!search.reached)
		return;
	reach_first(&search);
	while (search.count)
		release_all(&search, search.reached[--search.count]);
	free(search.reached);
}
