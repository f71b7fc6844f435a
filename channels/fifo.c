#include "channels/fifo.h"

static uint32_t stamp_of(unsigned generation, uint64_t position)
{
	return generation << 1 | (~(position / NCHAN_FIFO_LINES) & NCHAN_PHASE);
}

void nchan_tx_init(
	struct nchan_tx *tx, struct nchan_fifo *fifo, unsigned generation, uint64_t start)
{
	*tx = (struct nchan_tx){
		.fifo = fifo,
		.tail = start,
		.consumed = start,
		.stamp = stamp_of(generation, start),
	};
	nchan_store(&fifo->producer.asked, start); /* nothing asked */
	nchan_store(&fifo->index.tail, start);
}

void nchan_rx_init(
	struct nchan_rx *rx, struct nchan_fifo *fifo, unsigned generation, uint64_t start)
{
	*rx = (struct nchan_rx){
		.fifo = fifo,
		.next = start,
		.reported = start,
		.stamp = stamp_of(generation, start),
	};
}

void nchan_tx_put_slowly(struct nchan_tx *tx, uint64_t head, const void *payload, unsigned nbytes)
{
	struct nchan_line *slot = &tx->fifo->slot[tx->tail++ % NCHAN_FIFO_LINES];
	const char *bytes = payload;

	for (unsigned i = 0; i < nbytes; i += 8) {
		nchan_line_fill(&slot->word[i / 8], bytes + i, (unsigned)nchan_min(nbytes - i, 8));
		tx->pause->call(tx->pause->context);
	}
	nchan_store_release(&slot->head, head);
	tx->pause->call(tx->pause->context);
	if (!tx->port)
		return;
	tx->port->publish(tx);
	tx->pause->call(tx->pause->context);
}

bool nchan_tx_reported(struct nchan_tx *tx, uint64_t consumed)
{
	if (consumed - tx->consumed > tx->tail - tx->consumed)
		return false;
	tx->consumed = consumed;
	return true;
}

void nchan_tx_ask(struct nchan_tx *tx)
{
	nchan_tell(tx->caches, &tx->fifo->producer.asked, tx->tail);
}

bool nchan_rx_take(struct nchan_rx *rx, struct nchan_line *line)
{
	uint64_t head = nchan_rx_peek(rx);

	if (!head)
		return false;
	nchan_rx_copy(rx, head, line);
	nchan_rx_pop(rx, head);
	return true;
}

/*
 * The producer waits, not all that it had stored by then is reported, and there is nothing more to
 * take first.
 */
static bool producer_waits(const struct nchan_rx *rx)
{
	return (int64_t)(nchan_load(&rx->fifo->producer.asked) - rx->reported) > 0 &&
	       !nchan_rx_peek(rx);
}

bool nchan_rx_report_due(const struct nchan_rx *rx, bool before_sleep)
{
	uint64_t taken = rx->next - rx->reported;

	if (taken >= NCHAN_FIFO_QUARTER)
		return true;
	if (!taken)
		return false;
	return (before_sleep && rx->ordinary) || producer_waits(rx);
}

uint64_t nchan_rx_report(struct nchan_rx *rx)
{
	rx->reported = rx->next;
	rx->ordinary = 0;
	return rx->next;
}
