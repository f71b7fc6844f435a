#include "channels/fifo.h"

static uint64_t phase_of(uint64_t position)
{
	return ~(position / NCHAN_FIFO_LINES) & 1;
}

void nchan_tx_init(
	struct nchan_tx *tx, struct nchan_fifo *fifo, unsigned generation, uint64_t start)
{
	*tx = (struct nchan_tx){
		.fifo = fifo,
		.tail = start,
		.consumed = start,
		.generation = generation,
	};
	nchan_store(&fifo->producer.asked, start); /* nothing asked */
}

void nchan_rx_init(
	struct nchan_rx *rx, struct nchan_fifo *fifo, unsigned generation, uint64_t start)
{
	*rx = (struct nchan_rx){
		.fifo = fifo,
		.next = start,
		.reported = start,
		.generation = generation,
	};
}

/* As nchan_tx_put(), with a chance for the other side to run after each store. */
static void put_slowly(struct nchan_tx *tx, struct nchan_line *slot, uint64_t head,
	const uint64_t *payload, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		nchan_store(&slot->word[i], payload[i]);
		tx->pause->call(tx->pause->context);
	}
	nchan_store_release(&slot->head, head);
	tx->pause->call(tx->pause->context);
}

void nchan_tx_put(struct nchan_tx *tx, uint64_t head, const uint64_t *payload, unsigned words)
{
	struct nchan_line *slot = &tx->fifo->slot[tx->tail % NCHAN_FIFO_LINES];

	head |= phase_of(tx->tail) | tx->generation << 1;
	tx->tail++;
	if (nchan_unlikely(tx->pause != NULL)) {
		put_slowly(tx, slot, head, payload, words);
		return;
	}
	for (unsigned i = 0; i < words; i++)
		nchan_store(&slot->word[i], payload[i]);
	nchan_store_release(&slot->head, head);
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
	nchan_store_release(&tx->fifo->producer.asked, tx->tail);
}

bool nchan_rx_take(struct nchan_rx *rx, struct nchan_line *line)
{
	const struct nchan_line *slot = &rx->fifo->slot[rx->next % NCHAN_FIFO_LINES];
	uint64_t head = nchan_rx_peek(rx);

	if (!head)
		return false;
	for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++)
		line->word[i] = nchan_load(&slot->word[i]);
	line->head = head;
	rx->next++;
	rx->ordinary += nchan_head_kind(head) != NCHAN_CURSOR;
	return true;
}

/* The producer waits, and not all that it had stored by then is reported. */
static bool producer_waits(const struct nchan_rx *rx)
{
	return (int64_t)(nchan_load(&rx->fifo->producer.asked) - rx->reported) > 0;
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
