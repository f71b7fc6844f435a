#include "channels/place.h"

#include "channels/end_int.h"

void nchan_place_init(struct nchan_place *place, unsigned self, unsigned count,
	struct nchan_link *links, const struct nchan_events *events, void *context)
{
	*place = (struct nchan_place){
		.self = self, .count = count, .links = links, .events = events, .context = context};
}

void nchan_link_choose_port(
	struct nchan_link *link, enum nchan_port_kind kind, const struct nchan_caches *caches)
{
	const struct nchan_port *port = caches ? &nchan_ports_apart[kind] : &nchan_ports[kind];
	struct nchan_fifo *out = link->tx.fifo;

	link->tx.port = port->publish ? port : NULL;
	link->rx.port = port->publish ? port : NULL;
	link->tx.caches = link->rx.caches = caches;
	link->interrupts = port->interrupts;
	if (!caches)
		return;
	nchan_publish(caches, &out->producer, sizeof(out->producer));
	nchan_publish(caches, &out->index, sizeof(out->index));
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

/* Data goes from its slot to where it is wanted; of other lines a copy is looked at. */
static bool take(struct nchan_place *place, unsigned from, uint64_t head)
{
	struct nchan_link *link = &place->links[from];
	const uint64_t *payload = nchan_rx_payload(&link->rx);
	struct nchan_line line;

	if (nchan_likely(nchan_head_kind(head) == NCHAN_DATA)) {
		nchan_rx_pop(&link->rx, head);
		link->bytes_in += nchan_head_length(head);
		return receive_data(place, from, head, payload);
	}
	nchan_rx_copy(&link->rx, head, &line);
	nchan_rx_pop(&link->rx, head);
	return dispatch(place, from, &line);
}

void nchan_place_report_to(struct nchan_place *place, unsigned to, bool before_sleep)
{
	struct nchan_link *link = &place->links[to];
	uint64_t consumed;

	if (nchan_likely(!nchan_rx_report_due(&link->rx, before_sleep)) ||
		!nchan_tx_room_for_cursor(&link->tx))
		return;
	consumed = nchan_rx_report(&link->rx);
	nchan_place_send(place, to, nchan_head(NCHAN_CURSOR, 0, 0, 0), &consumed, sizeof(consumed));
}

unsigned nchan_place_receive(struct nchan_place *place, unsigned from, unsigned budget)
{
	struct nchan_link *link = &place->links[from];
	unsigned taken = 0;
	uint64_t head;

	while (taken < budget && (head = nchan_rx_look(&link->rx))) {
		if (nchan_unlikely(place->left_to_reader != 0) &&
			nchan_is_data_of(head, place->left_to_reader))
			break;
		taken++;
		if (nchan_unlikely(!take(place, from, head)))
			place->faults++;
	}
	if (!taken)
		return 0;
	link->lines_in += taken;
	nchan_place_report_to(place, from, false);
	return taken;
}

void nchan_place_report(struct nchan_place *place, bool before_sleep)
{
	for (unsigned i = 0; i < place->count; i++)
		if (i != place->self)
			nchan_place_report_to(place, i, before_sleep);
}
