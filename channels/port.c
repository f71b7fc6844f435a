#include "channels/port.h"

#include "channels/fifo.h"

static void publish_index(struct nchan_fifo *fifo, uint64_t tail)
{
	nchan_store_release(&fifo->index.tail, tail);
}

static bool look_at_index(struct nchan_fifo *fifo, uint64_t next)
{
	return nchan_load_acquire(&fifo->index.tail) != next;
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

static bool look_past_caches(struct nchan_fifo *fifo, uint64_t next)
{
	forget_line(&fifo->index);
	if (nchan_load_acquire(&fifo->index.tail) == next)
		return false;
	forget_line(&fifo->slot[next % NCHAN_FIFO_LINES]);
	return true;
}

const struct nchan_port nchan_ports[NCHAN_PORT_COUNT] = {
	[NCHAN_PORT_LINE] = {.name = "line"},
	[NCHAN_PORT_RING] = {"ring", publish_index, look_at_index, false},
	[NCHAN_PORT_MAILBOX] = {"mailbox", publish_index, look_past_caches, false},
	[NCHAN_PORT_EVENT] = {.name = "event", .interrupts = true},
};
