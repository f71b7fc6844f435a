/* explain.c - asking the cores what their processes do; nproc_explain_blocked(). */
#include "runtime/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/cancel.h"
#include "runtime/device_int.h"

enum {
	STATES_FIRST = 64
};

/* ---- answers come ---------------------------------------------------------------------------- */

static bool make_room(struct explain *explain)
{
	uint32_t capacity = explain->capacity ? explain->capacity * 2 : STATES_FIRST;
	struct explain_state *states;

	if (explain->count < explain->capacity)
		return true;
	states = realloc(explain->states, capacity * sizeof(*states));
	if (!states)
		return false;
	explain->states = states;
	explain->capacity = capacity;
	return true;
}

/* More than a device can have to say. */
static bool is_too_much(const struct explain *explain)
{
	uint64_t lines_per_process = NMSG_STATE_LINES_MAX;
	uint64_t processes = explain->device->host.identity.processes_max * UINT64_C(2);

	return explain->count >= processes * device_core_count(explain->device) * lines_per_process;
}

static bool is_possible(const struct nmsg_state *state)
{
	return state->end_count <= NMSG_STATE_ENDS &&
	       (explain_is_of_children(state) ||
		       state->first_end + state->end_count <= NK_ENDS_MAX);
}

bool explain_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct explain *explain = device->explain;
	struct nmsg_state state;

	memcpy(&state, line->word, sizeof(state));
	if (!is_possible(&state))
		return false;
	/* An answer to what nobody asks any more. */
	if (!explain || nchan_head_arg(line->head) != explain->number)
		return true;
	if (explain->answered >> core & 1 || (state.self && is_too_much(explain)))
		return false;
	if (!state.self) {
		explain->answered |= UINT64_C(1) << core;
		port_call_all(device, &explain->asking);
	} else if (make_room(explain)) {
		explain->states[explain->count++] = (struct explain_state){state, core};
	} else {
		explain->has_no_memory = true;
	}
	return true;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static uint64_t all_cores(const struct nproc_device *device)
{
	return ~UINT64_C(0) >> (64 - device_core_count(device));
}

static uint64_t switches(const struct nproc_device *device)
{
	uint64_t sum = 0;

	for (unsigned core = 0; core < device_core_count(device); core++)
		sum += nchan_load(&device_core(device, core)->status.switches);
	return sum;
}

/* Asks each core that has room now: a core that takes no lines would not answer. */
static uint64_t send_questions(struct explain *explain, uint64_t cores)
{
	struct nchan_place *place = &explain->device->port.place;
	uint64_t sent = 0;

	for (unsigned core = 0; core < device_core_count(explain->device); core++) {
		if (!(cores >> core & 1))
			continue;
		if (!nchan_place_room(place, core + 1)) {
			nchan_tx_ask(&place->links[core + 1].tx);
			continue;
		}
		nchan_place_send(
			place, core + 1, nchan_head(NCHAN_ASK, 0, 0, explain->number), NULL, 0);
		sent |= UINT64_C(1) << core;
	}
	return sent;
}

static int ask_once(struct explain *explain, struct port_patience *patience)
{
	struct nproc_device *device = explain->device;
	struct port_waiter waiter = {.state = 0};
	uint64_t to_ask = all_cores(device);
	int result = 0;

	explain->number = ++device->explain_number & NCHAN_ARG_MAX;
	explain->answered = 0;
	explain->count = 0;
	while (!result && explain->answered != all_cores(device)) {
		to_ask &= ~send_questions(explain, to_ask);
		result = port_wait(device, &explain->asking, &waiter, patience);
	}
	return explain->answered == all_cores(device) ? 0 : result;
}

int explain_ask(struct explain *explain, struct port_patience *patience)
{
	struct nproc_device *device = explain->device;
	uint64_t before;
	int result;

	TAILQ_INIT(&explain->asking);
	device->explain = explain;
	result = ask_once(explain, patience);
	before = switches(device);
	if (!result)
		result = ask_once(explain, patience);
	explain->is_still = !result && switches(device) == before;
	device->explain = NULL;
	if (explain->has_no_memory)
		return device_fail(device, ENOMEM, "no memory for what the processes do");
	/* What has come in time is worth telling. */
	return result == -ETIMEDOUT || result == -EAGAIN || result == -EDEADLK ? 0 : result;
}

void explain_free(struct explain *explain)
{
	free(explain->states);
	free(explain->held);
	free(explain->waiting);
	free(explain->can_go_on);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int fail_text(struct nproc_device *device)
{
	return device_fail(device, ENOMEM, "no memory to explain who waits");
}

/* A text that the caller frees, or NULL. With the lock. */
static char *make_text(struct explain *explain)
{
	char *text = NULL;
	size_t nbytes;
	FILE *out = open_memstream(&text, &nbytes);

	if (!out)
		return NULL;
	explain_find_stuck(explain);
	explain_text(explain, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int explain_to(struct explain *explain, int64_t timeout_ns, char **text)
{
	struct nproc_device *device = explain->device;
	struct port_patience patience = port_patience(timeout_ns);
	int result;

	port_enter(device);
	if (device->explain)
		result = device_fail(device, EBUSY, "another thread is asking: wait for it");
	else
		result = explain_ask(explain, &patience);
	port_leave(device);
	if (!result)
		result = explain_index(explain);
	if (result)
		return result;
	port_enter(device);
	*text = make_text(explain);
	port_leave(device);
	return *text ? 0 : fail_text(device);
}

int nproc_explain_blocked(struct nproc_device *device, FILE *out, int64_t timeout_ns)
{
	struct explain explain = {.device = device};
	char *text = NULL;
	int result, cancel;

	if (!device_is_usable(device))
		return -EBADF;
	result = explain_to(&explain, timeout_ns, &text);
	explain_free(&explain);
	cancel = nhost_cancel_hold();
	if (!result && fputs(text, out) == EOF)
		result = device_fail(device, EIO, "the explanation could not be written");
	nhost_cancel_release(cancel);
	free(text);
	return result;
}

int explain_deadlock(struct nproc_device *device)
{
	struct explain explain = {.device = device};
	struct port_patience patience = port_patience(NPROC_FOREVER);
	char *text = NULL;

	if (!device->explain && !explain_ask(&explain, &patience) && !explain_index(&explain))
		text = make_text(&explain);
	explain_free(&explain);
	device_fail(device, EDEADLK,
		"nothing can happen any more: every process waits, and so does the host%s%s",
		text ? "; " : "", text ? text : "");
	free(text);
	return -EDEADLK;
}
