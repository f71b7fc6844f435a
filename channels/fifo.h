/*
 * fifo.h - a FIFO of 64 lines from one producer to one consumer.
 *
 *     producer                                 consumer
 *     nchan_tx_room()   is there room?
 *     nchan_tx_put()    ---- line ---->        nchan_rx_take()
 *     nchan_tx_reported() <-- cursor line --   nchan_rx_report(), on the opposite FIFO
 *
 * No index is shared (but see port.h). A line says by its phase bit that it is new: the phase of
 * position p is 1 in the first pass over the slots, 0 in the second, and so on. Room comes back
 * when the consumer reports how many lines it has taken, in a CURSOR line of the opposite FIFO:
 * every quarter of the ring, when all is taken and the producer has asked for it, and before the
 * consumer sleeps.
 *
 * The last free slot is for CURSOR lines alone, and lines that were nothing but cursors are
 * reported by the quarter only: else two full FIFOs could each wait for the other's report, or two
 * idle ones report to each other for ever.
 *
 * Positions are free-running 64-bit counts. Freestanding.
 */
#ifndef NEARSIDE_CHANNELS_FIFO_H
#define NEARSIDE_CHANNELS_FIFO_H

#include <stdbool.h>

#include "channels/caches.h"
#include "channels/line.h"
#include "channels/memory.h"
#include "channels/port.h"

enum {
	NCHAN_FIFO_LINES = 64,
	NCHAN_FIFO_QUARTER = NCHAN_FIFO_LINES / 4,
	NCHAN_FIFO_AHEAD = 4, /* lines that are fetched while this one is worked on */
};

/* The shared part: all zero at first. */
struct nchan_fifo {
	struct nchan_line slot[NCHAN_FIFO_LINES];
	struct {
		_Alignas(NCHAN_LINE_BYTES)
			uint64_t asked; /* the tail at which the producer last waited for room */
	} producer;
	struct {
		_Alignas(NCHAN_LINE_BYTES) uint64_t tail; /* lines stored; not with every port */
	} index;
};

/*
 * For tests and simulation: called after each store of a line, so that another side can run in
 * between.
 */
struct nchan_pause {
	void (*call)(void *context);
	void *context;
};

struct nchan_tx {
	struct nchan_fifo *fifo;
	uint64_t tail;                   /* lines stored */
	uint64_t consumed;               /* of them, taken by the consumer as far as it told */
	uint64_t stamp;                  /* generation and phase of the next line, as in its head */
	const struct nchan_pause *pause; /* NULL: none */
	const struct nchan_port *port;   /* NULL: lines tell by themselves */
	const struct nchan_caches *caches; /* NULL: the memory is coherent */
};

struct nchan_rx {
	struct nchan_fifo *fifo;
	uint64_t next;                 /* lines taken */
	uint64_t reported;             /* of them, told to the producer */
	uint32_t ordinary;             /* lines taken since the last report that were no cursors */
	uint32_t stamp;                /* generation and phase of the next line, as in its head */
	const struct nchan_port *port; /* as in nchan_tx */
	uint64_t seen; /* with a port: lines before this one are known to be there */
	const struct nchan_caches *caches; /* as in nchan_tx */
};

/* `start` is where counting begins, the same for both sides: 0, or a large number in tests. */
void nchan_tx_init(
	struct nchan_tx *tx, struct nchan_fifo *fifo, unsigned generation, uint64_t start);
void nchan_rx_init(
	struct nchan_rx *rx, struct nchan_fifo *fifo, unsigned generation, uint64_t start);

/* Lines other than cursors that can be stored now. */
static inline unsigned nchan_tx_room(const struct nchan_tx *tx)
{
	return NCHAN_FIFO_LINES - 1 -
	       (unsigned)nchan_min(tx->tail - tx->consumed, NCHAN_FIFO_LINES - 1);
}

/* One cursor can be stored now. */
static inline bool nchan_tx_room_for_cursor(const struct nchan_tx *tx)
{
	return tx->tail - tx->consumed < NCHAN_FIFO_LINES;
}

/* A fixed number of words, so that compilers make a row of stores of it, if they are told to. */
static inline void nchan_line_words(uint64_t *to, const char *bytes, unsigned count)
{
	uint64_t word;

#pragma GCC unroll 8
	for (unsigned i = 0; i < count; i++) {
		nchan_copy(&word, bytes + i * sizeof(word), sizeof(word));
		nchan_store(&to[i], word);
	}
}

/* Word by word; the last one may be part of a word. */
static inline void nchan_line_fill(uint64_t *to, const char *bytes, unsigned nbytes)
{
	uint64_t word = 0;

	if (nbytes & 32) {
		nchan_line_words(to, bytes, 4);
		to += 4, bytes += 32;
	}
	if (nbytes & 16) {
		nchan_line_words(to, bytes, 2);
		to += 2, bytes += 16;
	}
	if (nbytes & 8)
		nchan_line_words(to++, bytes, 1), bytes += 8;
	if (nbytes & 7) {
		nchan_copy_few(&word, bytes, nbytes & 7);
		nchan_store(to, word);
	}
}

void nchan_tx_put_slowly(struct nchan_tx *tx, uint64_t head, const void *payload, unsigned nbytes);

/*
 * Stores a line with nbytes of payload, at most NCHAN_PAYLOAD_BYTES; the caller checked for room.
 */
static inline void nchan_tx_put(
	struct nchan_tx *tx, uint64_t head, const void *payload, unsigned nbytes)
{
	struct nchan_line *slot = &tx->fifo->slot[tx->tail % NCHAN_FIFO_LINES];

	head |= tx->stamp;
	if ((tx->tail + 1) % NCHAN_FIFO_LINES == 0)
		tx->stamp ^= NCHAN_PHASE;
	if (nchan_unlikely(tx->pause != NULL)) {
		nchan_tx_put_slowly(tx, head, payload, nbytes);
		return;
	}
	tx->tail++;
	nchan_line_fill(slot->word, payload, nbytes);
	nchan_store_release(&slot->head, head);
	if (nchan_unlikely(tx->port != NULL))
		tx->port->publish(tx);
}

/*
 * Stores `count` lines with the same head, full of payload; the caller checked for room. Of one
 * pass over the slots at a time, so that nothing but the lines changes from one to the next.
 */
static inline void nchan_tx_put_full(
	struct nchan_tx *tx, uint64_t head, const char *bytes, uint64_t count)
{
	while (count) {
		struct nchan_line *slot = &tx->fifo->slot[tx->tail % NCHAN_FIFO_LINES];
		const uint64_t now =
			tx->pause || tx->port
				? 1
				: nchan_min(count, NCHAN_FIFO_LINES - tx->tail % NCHAN_FIFO_LINES);
		const struct nchan_line *last = slot + now - 1;
		const uint64_t stamped = head | tx->stamp;

		for (; slot < last; slot++, bytes += NCHAN_PAYLOAD_BYTES) {
			nchan_line_words(slot->word, bytes, NCHAN_PAYLOAD_WORDS);
			nchan_store_release(&slot->head, stamped);
		}
		tx->tail += now - 1;
		nchan_tx_put(tx, head, bytes, NCHAN_PAYLOAD_BYTES);
		bytes += NCHAN_PAYLOAD_BYTES;
		count -= now;
	}
}

/* A cursor line came: false if it cannot be true, and is then ignored. */
bool nchan_tx_reported(struct nchan_tx *tx, uint64_t consumed);

/* Tells the consumer that the producer waits for room. */
void nchan_tx_ask(struct nchan_tx *tx);

/* The head of the next line, or 0 if there is none yet. */
static inline uint64_t nchan_rx_peek(const struct nchan_rx *rx)
{
	uint64_t head;

	if (nchan_unlikely(rx->port != NULL) && rx->seen <= rx->next && !rx->port->look(rx))
		return 0;
	head = nchan_load_acquire(&rx->fifo->slot[rx->next % NCHAN_FIFO_LINES].head);
	return (head & NCHAN_STAMP_MASK) == rx->stamp ? head : 0;
}

/* Likewise for the consumer, who remembers what it saw: to look again at this line is free. */
static inline uint64_t nchan_rx_look(struct nchan_rx *rx)
{
	uint64_t head = nchan_rx_peek(rx);

	if (nchan_unlikely(rx->port != NULL) && head)
		rx->seen = rx->next + 1;
	return head;
}

/*
 * The payload of the line whose head was just peeked at; it stays there until the line was popped
 * and that is reported. The other side may write there all the same if it is broken or evil: read
 * each word once.
 */
static inline const uint64_t *nchan_rx_payload(const struct nchan_rx *rx)
{
	return rx->fifo->slot[rx->next % NCHAN_FIFO_LINES].word;
}

/* Of a line whose head was just peeked at. */
static inline void nchan_rx_copy(const struct nchan_rx *rx, uint64_t head, struct nchan_line *line)
{
	const uint64_t *word = nchan_rx_payload(rx);
	const uint64_t copy[NCHAN_PAYLOAD_WORDS] = {nchan_load(&word[0]), nchan_load(&word[1]),
		nchan_load(&word[2]), nchan_load(&word[3]), nchan_load(&word[4]),
		nchan_load(&word[5]), nchan_load(&word[6])};

	nchan_copy(line->word, copy, sizeof(copy));
	line->head = head;
}

/* The line whose head was peeked at is done with. */
static inline void nchan_rx_pop(struct nchan_rx *rx, uint64_t head)
{
	__builtin_prefetch(&rx->fifo->slot[(rx->next + NCHAN_FIFO_AHEAD) % NCHAN_FIFO_LINES]);
	rx->next++;
	if (rx->next % NCHAN_FIFO_LINES == 0)
		rx->stamp ^= NCHAN_PHASE;
	rx->ordinary += nchan_head_kind(head) != NCHAN_CURSOR;
}

/*
 * Pops lines with this head and copies their payload, which fills them: `most` of them at most, and
 * of one pass over the slots. How many. With a port none: it has to be asked for each.
 */
static inline unsigned nchan_rx_take_full(
	struct nchan_rx *rx, uint64_t head, char *bytes, uint64_t most)
{
	const uint64_t at = rx->next % NCHAN_FIFO_LINES;
	const struct nchan_line *const first = &rx->fifo->slot[at], *slot = first;
	const struct nchan_line *const end = first + nchan_min(most, NCHAN_FIFO_LINES - at);

	if (nchan_unlikely(rx->port != NULL))
		return 0;
	head |= rx->stamp;
	for (; slot < end && nchan_load_acquire(&slot->head) == head; slot++) {
		__builtin_prefetch(slot + NCHAN_FIFO_AHEAD);
#pragma GCC unroll 8
		for (unsigned i = 0; i < NCHAN_PAYLOAD_WORDS; i++, bytes += sizeof(uint64_t)) {
			const uint64_t word = nchan_load(&slot->word[i]);

			nchan_copy(bytes, &word, sizeof(word));
		}
	}
	rx->next += (uint64_t)(slot - first);
	rx->ordinary += (uint32_t)(slot - first);
	if (slot == first + NCHAN_FIFO_LINES - at)
		rx->stamp ^= NCHAN_PHASE;
	return (unsigned)(slot - first);
}

/* Pops the next line and copies it; false if there is none. */
bool nchan_rx_take(struct nchan_rx *rx, struct nchan_line *line);

/* Is a report due? `before_sleep`: the consumer is about to sleep. */
bool nchan_rx_report_due(const struct nchan_rx *rx, bool before_sleep);

/* The count for a cursor line that the caller stores now. */
uint64_t nchan_rx_report(struct nchan_rx *rx);

#endif
