#include "channels/port.h"

#include "channels/fifo.h"

static void publish_index(const struct nchan_tx *tx)
{
	nchan_store_release(&tx->fifo->index.tail, tx->tail);
}

static bool look_at_index(const struct nchan_rx *rx)
{
	return nchan_load_acquire(&rx->fifo->index.tail) != rx->next;
}

static const struct nchan_line *next_slot(const struct nchan_rx *rx)
{
	return &rx->fifo->slot[rx->next % NCHAN_FIFO_LINES];
}

/*
 * The next load of this line comes from where it lies. A machine without such an operation polls as
 * usual.
 */
static void forget_line(const void *line)
{
#if defined(__x86_64__)
	__builtin_ia32_clflush(line);
	__builtin_ia32_mfence();
#else
	(void)line;
#endif
}

static bool look_past_caches(const struct nchan_rx *rx)
{
	forget_line(&rx->fifo->index);
	if (!look_at_index(rx))
		return false;
	forget_line(next_slot(rx));
	return true;
}

/* ---- memory that is not coherent ------------------------------------------------------------- */

static void publish_line(const struct nchan_tx *tx)
{
	const struct nchan_line *slot = &tx->fifo->slot[(tx->tail - 1) % NCHAN_FIFO_LINES];

	nchan_publish(tx->caches, slot, sizeof(*slot));
}

static void publish_line_and_index(const struct nchan_tx *tx)
{
	publish_line(tx);
	nchan_tell(tx->caches, &tx->fifo->index.tail, tx->tail);
}

/* What the producer asks for is looked at only when there is something to report. */
static void refresh_asked(const struct nchan_rx *rx)
{
	if (rx->next != rx->reported)
		nchan_refresh(rx->caches, &rx->fifo->producer, sizeof(rx->fifo->producer));
}

static bool refresh_line(const struct nchan_rx *rx)
{
	refresh_asked(rx);
	nchan_refresh(rx->caches, next_slot(rx), sizeof(struct nchan_line));
	return true;
}

static bool refresh_index(const struct nchan_rx *rx)
{
	refresh_asked(rx);
	if (nchan_hear(rx->caches, &rx->fifo->index.tail) == rx->next)
		return false;
	nchan_refresh(rx->caches, next_slot(rx), sizeof(struct nchan_line));
	return true;
}

const struct nchan_port nchan_ports[NCHAN_PORT_COUNT] = {
	[NCHAN_PORT_LINE] = {.name = "line"},
	[NCHAN_PORT_RING] = {"ring", publish_index, look_at_index, false},
	[NCHAN_PORT_MAILBOX] = {"mailbox", publish_index, look_past_caches, false},
	[NCHAN_PORT_EVENT] = {.name = "event", .interrupts = true},
};

const struct nchan_port nchan_ports_apart[NCHAN_PORT_COUNT] = {
	[NCHAN_PORT_LINE] = {"line", publish_line, refresh_line, false},
	[NCHAN_PORT_RING] = {"ring", publish_line_and_index, refresh_index, false},
	[NCHAN_PORT_MAILBOX] = {"mailbox", publish_line_and_index, refresh_index, false},
};
