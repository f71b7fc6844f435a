#include "channels/place.h"

#include "channels/end_int.h"
#include "channels/wake.h"

void nchan_place_init(struct nchan_place *place, unsigned self, unsigned count,
	struct nchan_link *links, const struct nchan_events *events, void *context)
{
	*place = (struct nchan_place){
		.self = self, .count = count, .links = links, .events = events, .context = context};
}

static void put(struct nchan_place *place, unsigned to, uint64_t head, const uint64_t *words,
	unsigned count)
{
	struct nchan_link *link = &place->links[to];

	nchan_tx_put(&link->tx, head, words, count);
	link->lines_out++;
	if (link->asleep && nchan_wake_needed(link->asleep))
		place->events->wake(place->context, to);
}

void nchan_place_send(
	struct nchan_place *place, unsigned to, uint64_t head, const void *payload, unsigned nbytes)
{
	uint64_t words[NCHAN_PAYLOAD_WORDS];

	if (nbytes)
		nchan_copy(words, payload, nbytes);
	if (nchan_head_kind(head) == NCHAN_DATA)
		place->links[to].bytes_out += nbytes;
	put(place, to, head, words, (nbytes + 7) / 8);
}

static bool receive_cursor(struct nchan_place *place, unsigned from, uint64_t consumed)
{
	place->got_room = true;
	return nchan_tx_reported(&place->links[from].tx, consumed);
}

/* Kinds that concern one pipe stand together in NCHAN_KINDS. */
static bool is_about_a_pipe(unsigned kind)
{
	return kind >= NCHAN_DATA && kind <= NCHAN_RELEASE;
}

static bool dispatch(struct nchan_place *place, unsigned from, const struct nchan_line *line)
{
	unsigned kind = nchan_head_kind(line->head);

	if (nchan_head_length(line->head) > NCHAN_PAYLOAD_BYTES)
		return false;
	if (is_about_a_pipe(kind))
		return receive_pipe_line(place, from, line);
	if (kind == NCHAN_CURSOR)
		return receive_cursor(place, from, line->word[0]);
	if (kind == NCHAN_NOP)
		return true;
	return kind < NCHAN_KIND_COUNT && place->events->message(place->context, from, line);
}

unsigned nchan_place_receive(struct nchan_place *place, unsigned from, unsigned budget)
{
	struct nchan_link *link = &place->links[from];
	struct nchan_line line;
	unsigned taken = 0;

	while (taken < budget && nchan_rx_take(&link->rx, &line)) {
		taken++;
		if (nchan_head_kind(line.head) == NCHAN_DATA)
			link->bytes_in += nchan_head_length(line.head);
		if (nchan_unlikely(!dispatch(place, from, &line)))
			place->faults++;
	}
	link->lines_in += taken;
	return taken;
}

void nchan_place_report(struct nchan_place *place, bool before_sleep)
{
	for (unsigned i = 0; i < place->count; i++) {
		struct nchan_link *link = &place->links[i];
		uint64_t consumed;

		if (i == place->self || !nchan_rx_report_due(&link->rx, before_sleep) ||
			!nchan_tx_room_for_cursor(&link->tx))
			continue;
		consumed = nchan_rx_report(&link->rx);
		put(place, i, nchan_head(NCHAN_CURSOR, 0, 0, 0), &consumed, 1);
	}
}

bool nchan_place_has_lines(const struct nchan_place *place)
{
	for (unsigned i = 0; i < place->count; i++)
		if (i != place->self && nchan_rx_peek(&place->links[i].rx))
			return true;
	return false;
}
