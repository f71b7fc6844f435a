/*
 * port.h - how the consumer of a FIFO learns that a line is new. All FIFOs of a device are of one
 * kind, chosen when it is opened; both sides must know it (nreg_identity.port).
 *
 *     line      the line itself tells, by its phase bit: one line crosses for a message
 *     ring      an index behind the lines tells, as in a shared ring: the index crosses, too
 *     mailbox   as ring, but index and lines are polled where they lie, past the poller's caches
 *     event     the line tells, and for each line, or row of lines of one write, its sender also
 *               interrupts the receiver, which does not poll at all
 *
 * Only `line` is fast; the others are here so that the same programs run on each and the difference
 * can be measured. On memory that is not coherent each kind publishes what it stores and refreshes
 * what it looks at (channels/caches.h). Freestanding.
 */
#ifndef NEARSIDE_CHANNELS_PORT_H
#define NEARSIDE_CHANNELS_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct nchan_tx;
struct nchan_rx;

struct nchan_port {
	const char *name;
	/* After a line was stored. NULL: it tells by itself. */
	void (*publish)(const struct nchan_tx *tx);
	/* Before the next line is looked at: false, there is none yet. NULL with publish. */
	bool (*look)(const struct nchan_rx *rx);
	bool interrupts; /* the receiver is woken for lines whether it sleeps or not */
};

/* In the order in which nreg_identity.port numbers them. */
enum nchan_port_kind {
	NCHAN_PORT_LINE,
	NCHAN_PORT_RING,
	NCHAN_PORT_MAILBOX,
	NCHAN_PORT_EVENT,
	NCHAN_PORT_COUNT
};

extern const struct nchan_port nchan_ports[NCHAN_PORT_COUNT];
/* Likewise on memory that is not coherent; an event does not reach that far. */
extern const struct nchan_port nchan_ports_apart[NCHAN_PORT_COUNT];

#endif
