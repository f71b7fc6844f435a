#include "channels/call.h"

#include "channels/end_int.h"

void nchan_place_open_calls(
	struct nchan_place *place, struct nchan_call_line *lines, unsigned generation)
{
	for (unsigned i = 0; i < NCHAN_CALL_LINES; i++)
		place->calls[i] = (struct nchan_call){
			.line = &lines[i].line, .expected = (uint64_t)generation << 1};
}

static unsigned number_of(const struct nchan_end *end)
{
	return end->mode & NCHAN_CAPACITY_MAX;
}

/* Of a pipe of calls whose line this place knows; else another's, or nobody's. */
static struct nchan_call *call_of(struct nchan_place *place, const struct nchan_end *end)
{
	return &place->calls[number_of(end)];
}

static bool is_of(
	const struct nchan_place *place, const struct nchan_call *call, const struct nchan_end *end)
{
	return call->end == end_cell(place, end);
}

static unsigned generation_of(const struct nchan_call *call)
{
	return nchan_head_generation(call->expected);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* The head of what is expected, with its length; 0: it has not come. */
static uint64_t peek(const struct nchan_call *call)
{
	uint64_t head = nchan_load_acquire(&call->line->head);

	return (head & ~NCHAN_LENGTH_MASK) == nchan_load(&call->expected) ? head : 0;
}

static uint64_t bit_of(const struct nchan_place *place, const struct nchan_call *call)
{
	return 1ull << (call - place->calls);
}

static void await(struct nchan_place *place, const struct nchan_call *call)
{
	nchan_store(&place->calls_awaited, place->calls_awaited | bit_of(place, call));
}

static void ignore(struct nchan_place *place, const struct nchan_call *call)
{
	nchan_store(&place->calls_awaited, place->calls_awaited & ~bit_of(place, call));
}

bool nchan_place_has_calls(const struct nchan_place *place)
{
	uint64_t awaited = nchan_load(&place->calls_awaited);

	for (; awaited; awaited &= awaited - 1)
		if (peek(&place->calls[__builtin_ctzll(awaited)]))
			return true;
	return false;
}

static bool is_length(unsigned nbytes)
{
	return nbytes - 1 < NCHAN_PAYLOAD_BYTES;
}

/* A reader that waits gets it at once; else it stays in the line until it is read. */
static void announce_request(struct nchan_place *place, struct nchan_call *call, uint64_t head)
{
	struct nchan_end *end = end_at(place, call->end);
	unsigned length = nchan_head_length(head);

	ignore(place, call);
	place->faults += !is_length(length);
	if (nchan_unlikely(!is_length(length)) ||
		!place->events->deliver(place->context, end, call->line->word, length)) {
		place->events->readable(place->context, end);
		return;
	}
	call->state = NCHAN_CALL_OUT;
	place->links[NCHAN_HOST].lines_in++;
}

/* Nobody wants a late answer: whatever came, the line is the host's again. */
static void announce_answer(struct nchan_place *place, struct nchan_call *call)
{
	ignore(place, call);
	if (call->state == NCHAN_CALL_LATE)
		call->state = NCHAN_CALL_IDLE;
	place->events->writable(place->context, end_at(place, call->end));
}

bool nchan_place_receive_calls(struct nchan_place *place)
{
	uint64_t awaited = place->calls_awaited;
	bool found = false;

	for (; awaited; awaited &= awaited - 1) {
		struct nchan_call *call = &place->calls[__builtin_ctzll(awaited)];
		uint64_t head = peek(call);

		if (!head)
			continue;
		if (place->self == NCHAN_HOST)
			announce_answer(place, call);
		else
			announce_request(place, call, head);
		found = true;
	}
	return found;
}

/* ---- storing and taking ---------------------------------------------------------------------- */

/* The simulation lets others run behind each store. */
static void put_slowly(const struct nchan_pause *pause, struct nchan_line *line, uint64_t head,
	const char *bytes, unsigned nbytes)
{
	for (unsigned i = 0; i < nbytes; i += 8) {
		nchan_line_fill(&line->word[i / 8], bytes + i, (unsigned)nchan_min(nbytes - i, 8));
		pause->call(pause->context);
	}
	nchan_store_release(&line->head, head);
	pause->call(pause->context);
}

static void put(struct nchan_place *place, unsigned to, struct nchan_call *call, uint64_t head,
	const void *bytes, unsigned nbytes)
{
	const struct nchan_pause *pause = place->links[to].tx.pause;

	head |= (uint64_t)nbytes << 21;
	if (nchan_unlikely(pause != NULL)) {
		put_slowly(pause, call->line, head, bytes, nbytes);
	} else {
		nchan_line_fill(call->line->word, bytes, nbytes);
		nchan_store_release(&call->line->head, head);
	}
	place->links[to].lines_out++;
	nchan_place_wake(place, to);
}

/* Each word is loaded once: the other side may be broken or evil. */
static void get(const struct nchan_call *call, char *bytes, unsigned nbytes)
{
	for (unsigned i = 0; i < nbytes; i += 8) {
		uint64_t word = nchan_load(&call->line->word[i / 8]);

		if (nchan_likely(nbytes - i >= sizeof(word)))
			nchan_copy(bytes + i, &word, sizeof(word));
		else
			nchan_copy(bytes + i, &word, nbytes - i);
	}
}

/* The head of a request and that of its answer differ in kind and phase. */
static uint64_t request_head(const struct nchan_call *call, uint32_t pipe, uint32_t serial)
{
	return nchan_head(NCHAN_REQUEST, 0, pipe, serial & NCHAN_ARG_MAX) |
	       (uint64_t)generation_of(call) << 1 | NCHAN_PHASE;
}

static uint64_t answer_head(const struct nchan_call *call, uint32_t pipe, uint32_t serial)
{
	return nchan_head(NCHAN_ANSWER, 0, pipe, serial & NCHAN_ARG_MAX) |
	       (uint64_t)generation_of(call) << 1;
}

static uint32_t serial_of(const struct nchan_call *call)
{
	return nchan_head_arg(call->expected);
}

/* ---- the host -------------------------------------------------------------------------------- */

void nchan_call_assign(struct nchan_place *place, struct nchan_end *end, unsigned number)
{
	struct nchan_call *call = &place->calls[number];

	end->mode = (uint8_t)(NCHAN_CALLS | number);
	call->end = end_cell(place, end);
	call->state = NCHAN_CALL_IDLE;
	nchan_store(&call->expected, answer_head(call, end->pipe, 0));
	/* A request of an earlier pipe may never have been answered. */
	nchan_store_release(&call->line->head, call->expected);
}

int64_t nchan_call_ask(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	struct nchan_call *call = call_of(place, end);
	uint32_t serial = serial_of(call) + 1;

	if (nchan_unlikely(nbytes - 1 >= NCHAN_PAYLOAD_BYTES))
		return nbytes ? -NCHAN_EMSGSIZE : -NCHAN_EINVAL;
	if (nchan_unlikely(end->flags & END_BROKEN))
		return -NCHAN_EPIPE;
	if (nchan_unlikely(!call_may_ask(place, end)))
		return -NCHAN_EAGAIN;
	call->state = NCHAN_CALL_OUT;
	nchan_store(&call->expected, answer_head(call, end->pipe, serial));
	put(place, end->home, call, request_head(call, end->pipe, serial), bytes, (unsigned)nbytes);
	return (int64_t)nbytes;
}

bool nchan_call_is_answered(const struct nchan_place *place, const struct nchan_end *end)
{
	return peek(&place->calls[number_of(end)]);
}

void nchan_call_await(struct nchan_place *place, struct nchan_end *end)
{
	await(place, call_of(place, end));
}

static void end_call(struct nchan_place *place, struct nchan_end *end, struct nchan_call *call)
{
	call->state = NCHAN_CALL_IDLE;
	ignore(place, call);
	if (nchan_likely(!call->is_wanted))
		return;
	call->is_wanted = false;
	place->events->writable(place->context, end);
}

/* An answer that was stored before the reader closed is in the line once that is known. */
int64_t nchan_call_take(
	struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes)
{
	struct nchan_call *call = call_of(place, end);
	uint64_t head = peek(call);
	unsigned length = nchan_head_length(head);

	if (!head && !(end->flags & END_BROKEN))
		return -NCHAN_EAGAIN;
	end_call(place, end, call);
	if (nchan_unlikely(!head))
		return -NCHAN_EPIPE;
	place->links[end->home].lines_in++;
	if (nchan_unlikely(!is_length(length))) {
		place->faults++;
		return -NCHAN_EPIPE;
	}
	if (nchan_unlikely(length > nbytes))
		return -NCHAN_EMSGSIZE;
	get(call, bytes, length);
	return length;
}

void nchan_call_abandon(struct nchan_place *place, struct nchan_end *end)
{
	struct nchan_call *call = call_of(place, end);

	call->state = NCHAN_CALL_LATE;
	await(place, call);
}

bool call_may_ask(struct nchan_place *place, struct nchan_end *end)
{
	struct nchan_call *call = call_of(place, end);

	if (!is_of(place, call, end))
		return false;
	call->is_wanted |= call->state == NCHAN_CALL_OUT;
	return call->state == NCHAN_CALL_IDLE;
}

/* ---- a core ---------------------------------------------------------------------------------- */

bool call_open(struct nchan_place *place, struct nchan_end *end)
{
	struct nchan_call *call = call_of(place, end);

	if (!call->line || call->end)
		return false;
	call->end = end_cell(place, end);
	call->state = NCHAN_CALL_IDLE;
	nchan_store(&call->expected, request_head(call, end->pipe, 1));
	await(place, call);
	return true;
}

void call_close(struct nchan_place *place, struct nchan_end *end)
{
	struct nchan_call *call = call_of(place, end);

	if (!is_of(place, call, end))
		return;
	ignore(place, call);
	call->end = 0;
}

bool call_may_read(const struct nchan_place *place, const struct nchan_end *end)
{
	const struct nchan_call *call = &place->calls[number_of(end)];

	return call->state == NCHAN_CALL_OUT || peek(call);
}

/* What is asked before the last caller closes is read before that is told. */
int64_t call_read(struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes)
{
	struct nchan_call *call = call_of(place, end);
	uint64_t head = peek(call);
	unsigned length = nchan_head_length(head);

	if (nchan_unlikely(!nbytes))
		return 0;
	if (nchan_unlikely(call->state == NCHAN_CALL_OUT))
		return -NCHAN_EINVAL;
	if (!head) {
		if (nchan_unlikely(end_has_no_writer(place, end)))
			return 0;
		await(place, call);
		return -NCHAN_EAGAIN;
	}
	if (nchan_unlikely(!is_length(length))) {
		/* It stays: nobody can answer it, and it is counted once. */
		place->faults += (place->calls_awaited & bit_of(place, call)) != 0;
		ignore(place, call);
		return -NCHAN_EAGAIN;
	}
	if (nchan_unlikely(length > nbytes))
		return -NCHAN_EMSGSIZE;
	ignore(place, call);
	call->state = NCHAN_CALL_OUT;
	place->links[NCHAN_HOST].lines_in++;
	get(call, bytes, length);
	return length;
}

int64_t nchan_answer(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	struct nchan_call *call = call_of(place, end);
	uint32_t serial = serial_of(call);

	if (nchan_unlikely(call->state != NCHAN_CALL_OUT || !nbytes))
		return -NCHAN_EINVAL;
	if (nchan_unlikely(nbytes > NCHAN_PAYLOAD_BYTES))
		return -NCHAN_EMSGSIZE;
	call->state = NCHAN_CALL_IDLE;
	nchan_store(&call->expected, request_head(call, end->pipe, serial + 1));
	await(place, call);
	if (nchan_unlikely(end_has_no_writer(place, end)))
		return -NCHAN_EPIPE;
	put(place, NCHAN_HOST, call, answer_head(call, end->pipe, serial), bytes, (unsigned)nbytes);
	return (int64_t)nbytes;
}
