/*
 * place.h - a place: the host or one core, with its FIFOs to every other place and its ends of
 * pipes.
 *
 *     nchan_place_receive()   takes lines, moves bytes into pipes, answers other places
 *     nchan_write() _read()   one attempt each; -EAGAIN, and an event says when to try again
 *     nchan_place_flush()     sends what had to wait for room
 *     nchan_place_report()    tells the others how much was taken
 *
 * A pipe lives at its home, the place of its reading ends; there its lines wait. Every other place
 * with writing ends has an account at the home, and sends a line only against a credit of it. Where
 * several places read, the home lends lines to the others (lend.c). Place 0, the host, makes pipes,
 * or gives those that a core made their ids (name.c), knows every place that was given ends, and is
 * where a writer turns that does not know the home yet:
 *
 *     home        queue of lines, one account per writing place
 *     writer      credits; its home is where the last credit came from, the host at first
 *     host        when the reading ends are given away: recalls all credits, then forwards its
 *                 queue, then tells the new home about the other writers (move.c)
 *
 * A core never waits for room in a FIFO: what cannot be sent now stays owed in the end or account
 * that it concerns (owe.c). docs/protocol.md follows one message and one close step by step.
 *
 * Everything that comes in a line is checked here; what is wrong is counted in `faults` and
 * ignored. Not thread-safe: one thread at a time per place. Freestanding.
 */
#ifndef NEARSIDE_CHANNELS_PLACE_H
#define NEARSIDE_CHANNELS_PLACE_H

#include "channels/call.h"
#include "channels/fifo.h"
#include "channels/pool.h"
#include "channels/wake.h"

enum {
	NCHAN_HOST = 0,
	NCHAN_PLACES_MAX = 65,
	/* Lines a new writer may send, while the pool is rather empty; else 1. */
	NCHAN_WINDOW_FIRST = 16,
	NCHAN_WINDOW_MAX = 64, /* lines that a busy writer's window grows to */
};

/*
 * How a pipe works: NCHAN_PACKETS, and its capacity: the lines that each writing place may have
 * unread, all promised at once; 0: as many as its use earns it. Or NCHAN_CALLS, with the number of
 * its line in place of a capacity. Told together with the id, by the host that makes the pipe to
 * each place that is given an end of it.
 */
enum {
	NCHAN_CAPACITY_MAX = 63,
	NCHAN_PACKETS = 64, /* a write is one message of at most a line, a read gives one whole */
	NCHAN_CALLS = 128,  /* the host asks, the reader answers, by a line of their own: call.c */
	NCHAN_MODE_SHIFT = 22,
};

/* In `arg` of CLOSE and CLOSED: of the reading ends of that place. */
enum {
	NCHAN_READS = 128
};
_Static_assert((int)NCHAN_PLACES_MAX <= (int)NCHAN_READS, "a bit above the number of a place");
_Static_assert(NCHAN_PIPE_MAX < 1 << NCHAN_MODE_SHIFT, "a mode stands above the id");
_Static_assert(NCHAN_CALL_LINES <= NCHAN_CAPACITY_MAX + 1, "a mode can name every line of calls");

struct nchan_place;
struct nchan_end;

/* What a place's owner does for it. All are required. */
struct nchan_events {
	/*
	 * Hands bytes to a reader that waits at this end: how many it took; 0: nobody waits. Of a
	 * pipe of packets all of them, to one reader, or none.
	 */
	uint64_t (*deliver)(
		void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes);
	/* There is something to read, or end of file. */
	void (*readable)(void *context, struct nchan_end *end);
	/* A write may succeed now, or will fail for good. */
	void (*writable)(void *context, struct nchan_end *end);
	/* Host only: no place knows this pipe any more; its id may be used again. */
	void (*forgotten)(void *context, uint32_t pipe);
	/* A line that is about no pipe. False: it makes no sense. */
	bool (*message)(void *context, unsigned from, const struct nchan_line *line);
	/* The place sleeps and has a line now. */
	void (*wake)(void *context, unsigned place);
};

struct nchan_link {
	struct nchan_tx tx;
	struct nchan_rx rx;
	uint64_t *asleep;                                  /* wake word of the other side */
	bool interrupts;                                   /* wake the other side for each line */
	uint32_t owing_head, owing_tail;                   /* ends that wait for room in tx */
	uint64_t lines_out, lines_in, bytes_out, bytes_in; /* since the start; bytes of DATA */
};

struct nchan_place {
	unsigned self;
	unsigned count;           /* of places */
	struct nchan_link *links; /* [count]; that of self is not used */
	struct nchan_pool pool;
	uint32_t *ends; /* [pipes_max + 1]: cell of a pipe's end; 0: none here */
	uint32_t pipes_max;
	uint32_t owing_accounts_head, owing_accounts_tail;
	bool got_room;        /* in some FIFO, since the accounts that owe were tried */
	uint32_t owing_count; /* over all lists */
	uint64_t faults;      /* lines that made no sense */
	/*
	 * Set by the owner: a pipe whose reader is about to go on, and to take its lines by itself:
	 * nchan_place_receive() stops at them. 0: none.
	 */
	uint32_t left_to_reader;
	const struct nchan_events *events;
	void *context;
	/* Lines of calls that are looked at for something new, a bit each by its number. */
	uint64_t calls_awaited;
	struct nchan_call calls[NCHAN_CALL_LINES];
	uint32_t naming; /* cell of the end for which the host was asked for an id; 0: none */
};

/* links, cells and ends are the caller's, zeroed; the caller then opens each link's tx and rx. */
void nchan_place_init(struct nchan_place *place, unsigned self, unsigned count,
	struct nchan_link *links, const struct nchan_events *events, void *context);

/* After a link's tx and rx were opened. `caches`: of the memory that their FIFOs lie in. */
void nchan_link_choose_port(
	struct nchan_link *link, enum nchan_port_kind kind, const struct nchan_caches *caches);

/* Without this a place knows no calls. Likewise after its links were opened. */
void nchan_place_open_calls(
	struct nchan_place *place, struct nchan_call_line *lines, unsigned generation);

/*
 * Takes at most `budget` lines from one place, none behind a line that is left to its reader, and
 * reports them where that is due; returns how many.
 */
unsigned nchan_place_receive(struct nchan_place *place, unsigned from, unsigned budget);

/* Sends the cursor to this place if it is due. */
void nchan_place_report_to(struct nchan_place *place, unsigned to, bool before_sleep);

/* Sends what was owed and has room now; true when something was sent. */
bool nchan_place_flush(struct nchan_place *place);

/* Sends the cursors that are due: for who has taken nothing for a while. */
void nchan_place_report(struct nchan_place *place, bool before_sleep);

/*
 * Requests or answers that have come and that nobody has heard of: an event for each. True when
 * there were any.
 */
bool nchan_place_receive_calls(struct nchan_place *place);

/* May be asked by a thread that does not own the place. */
bool nchan_place_has_calls(const struct nchan_place *place);

/* The first place from which there is a line to take; as many as there are places: none. */
static inline unsigned nchan_place_next(struct nchan_place *place)
{
	unsigned from = 0;

	while (from < place->count &&
		(from == place->self || !nchan_rx_look(&place->links[from].rx)))
		from++;
	return from;
}

/* Is there a line to take, from anybody, or a call? May be asked as nchan_place_has_calls(). */
static inline bool nchan_place_has_lines(const struct nchan_place *place)
{
	if (nchan_unlikely(nchan_load(&place->calls_awaited) != 0) && nchan_place_has_calls(place))
		return true;
	for (unsigned i = 0; i < place->count; i++)
		if (i != place->self && nchan_rx_peek(&place->links[i].rx))
			return true;
	return false;
}

/* Behind a line that was stored for this place. */
static inline void nchan_place_wake(struct nchan_place *place, unsigned to)
{
	struct nchan_link *link = &place->links[to];

	if (link->asleep && (nchan_wake_needed(link->asleep) || link->interrupts))
		place->events->wake(place->context, to);
}

/*
 * Sends a line; the caller has checked nchan_place_room(), and sends none about pipes outside
 * channels/.
 */
static inline void nchan_place_send(
	struct nchan_place *place, unsigned to, uint64_t head, const void *payload, unsigned nbytes)
{
	struct nchan_link *link = &place->links[to];

	nchan_tx_put(&link->tx, head, payload, nbytes);
	link->lines_out++;
	if (nchan_head_kind(head) == NCHAN_DATA)
		link->bytes_out += nbytes;
	nchan_place_wake(place, to);
}

static inline unsigned nchan_place_room(const struct nchan_place *place, unsigned to)
{
	return nchan_tx_room(&place->links[to].tx);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Of the end of a pipe at this place; NULL: there is none. */
struct nchan_end *nchan_find(const struct nchan_place *place, uint32_t pipe);

/*
 * Host: a new pipe with one reading and one writing end here; `name` is its id and, above it, its
 * mode. NULL: no memory.
 */
struct nchan_end *nchan_create(struct nchan_place *place, uint32_t name);

/*
 * Core: a pipe without an id, of which no other place hears: its ends stay here until it has one.
 * NULL: no memory; half of the pool is kept for pipes of the host.
 */
struct nchan_end *nchan_create_here(struct nchan_place *place);

/*
 * Core: asks the host for the id of such a pipe, if need be. -EBUSY: it will come; -ENOMEM: the
 * host had none.
 */
int nchan_ask_name(struct nchan_place *place, struct nchan_end *end);
/* The answer. False: it makes no sense. */
bool nchan_take_name(struct nchan_place *place, const struct nchan_line *line);
/* Host, before it answers: this is the id of a pipe that was made at `home`. False: no memory. */
bool nchan_create_away(struct nchan_place *place, uint32_t pipe, unsigned home);

/* One more reading or writing handle of an end that has one here. */
void nchan_dup(struct nchan_end *end, bool writes);

/*
 * Host: one end goes to a process on core `to`; called after the SPAWN line was sent. A writing end
 * is copied (drop it afterwards where the handle is moved), a reading end is moved. Where all
 * `count` reading ends that there are go to one core at once, the pipe gets its home there by
 * nchan_pass_reader() for each; else it stays where it is: nchan_lend_reader().
 */
void nchan_pass_writer(struct nchan_place *place, struct nchan_end *end, unsigned to);
void nchan_pass_reader(struct nchan_place *place, struct nchan_end *end, unsigned to);
void nchan_lend_reader(struct nchan_place *place, struct nchan_end *end, unsigned to);
bool nchan_has_all_readers(const struct nchan_end *end, uint32_t count);

/*
 * Core: a process was born with such an end; `name` as in nchan_create(). NULL: no memory, which
 * the host's count of cells prevents.
 */
struct nchan_end *nchan_adopt(struct nchan_place *place, uint32_t name, bool writes);
/* Likewise a reading end of a pipe whose home stays where it is. */
struct nchan_end *nchan_borrow(struct nchan_place *place, uint32_t name);

/*
 * Core: an end goes back to the host, by a line of the core's owner that names it (hand.c). May
 * `count` of them, now? Before the line nchan_hand_back(), after it nchan_drop_writer() or
 * nchan_drop_reader(), for each.
 * -EXDEV: the pipe has no id, or is of calls; -EPIPE: nobody reads it; -EBUSY: there is no credit
 * or no room, or the home has not spoken yet: try again
 */
int nchan_may_hand_back(
	const struct nchan_place *place, const struct nchan_end *end, unsigned count, bool writes);
/*
 * A writing one not before the home has taken all that was written there: lines stored so far, and
 * of these how many it has reported. If these are not the same, the home is asked to report.
 */
void nchan_home_positions(const struct nchan_place *place, const struct nchan_end *end,
	uint64_t *written, uint64_t *taken);
void nchan_hand_back(struct nchan_place *place, struct nchan_end *end, bool writes);

/*
 * Host: core `from` hands back an end of this pipe, which is open here now. NULL: it has none. A
 * reading one can only be dropped, or passed on by nchan_lend_reader().
 */
struct nchan_end *nchan_take_back(
	struct nchan_place *place, uint32_t pipe, unsigned from, bool writes);

/* Closes one reading or writing end. The end may be gone afterwards. */
void nchan_drop_reader(struct nchan_place *place, struct nchan_end *end);
void nchan_drop_writer(struct nchan_place *place, struct nchan_end *end);

/*
 * One attempt: bytes taken (fewer than nbytes when full in between), -EAGAIN, -EPIPE. Packets:
 * -EINVAL without bytes, -EMSGSIZE with more than a line has.
 */
int64_t nchan_write(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes);

/*
 * One attempt: bytes read, 0 at end of file, -EAGAIN. Packets: -EMSGSIZE when the next one is
 * larger; it stays.
 */
int64_t nchan_read(struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes);

/* ---- calls: call.c --------------------------------------------------------------------------- */

/*
 * Host, before the SPAWN line that gives the reading end to a core: from now on the pipe's calls
 * use the line of this number, which is no other's until the pipe is forgotten.
 */
void nchan_call_assign(struct nchan_place *place, struct nchan_end *end, unsigned number);

/*
 * Host, one attempt to store a request of 1 to NCHAN_PAYLOAD_BYTES bytes: nbytes. -EAGAIN while
 * another is out, or nobody was given the reading end; -EPIPE, -EINVAL, -EMSGSIZE as in
 * nchan_write().
 */
int64_t nchan_call_ask(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes);

/*
 * Host, behind it: the bytes of the answer. -EAGAIN: it has not come; -EPIPE: nor will it;
 * -EMSGSIZE: it has more bytes, and is thrown away. All but -EAGAIN end the call.
 */
int64_t nchan_call_take(
	struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes);

/* Host: has the answer come? May be asked again and again, and costs next to nothing. */
bool nchan_call_is_answered(const struct nchan_place *place, const struct nchan_end *end);

/* Host: from now on the place listens for the answer. */
void nchan_call_await(struct nchan_place *place, struct nchan_end *end);

/* Host: nobody wants the answer any more; when it has come, it makes way for the next request. */
void nchan_call_abandon(struct nchan_place *place, struct nchan_end *end);

/*
 * Core: answers the request that was last read by nchan_read(), with 1 to NCHAN_PAYLOAD_BYTES
 * bytes. -EINVAL: nothing is to be answered, or by no bytes; -EMSGSIZE; -EPIPE: nobody asks any
 * more. nchan_read() gives -EINVAL before the last request was answered.
 */
int64_t nchan_answer(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes);

/* ---- both ------------------------------------------------------------------------------------ */

/*
 * What the next attempt would find. READY: bytes, room, or an end for good; else an event says when
 * to look again. HUNG_UP: no writing end, or no reading end, is left anywhere.
 */
enum {
	NCHAN_READY = 1 << 0,
	NCHAN_HUNG_UP = 1 << 1
};
unsigned nchan_reader_state(struct nchan_place *place, struct nchan_end *end);
unsigned nchan_writer_state(struct nchan_place *place, struct nchan_end *end);

/* Who waits at an end is the owner's to know: two numbers that it keeps there. 0: nobody does. */
uint32_t *nchan_read_waiter(struct nchan_end *end);
uint32_t *nchan_write_waiter(struct nchan_end *end);
uint32_t nchan_pipe_of(const struct nchan_end *end);
/* As far as this place knows. */
unsigned nchan_home_of(const struct nchan_end *end);
/* Its id and mode, as other places must be told. */
uint32_t nchan_name_of(const struct nchan_end *end);
/* Of calls, too: a read gives one request, whole. */
bool nchan_is_of_packets(const struct nchan_end *end);
/* Read here, while its home is elsewhere. */
bool nchan_is_borrowed(const struct nchan_end *end);
bool nchan_is_of_calls(const struct nchan_end *end);

/* A short name of an end at this place, while it is open: never 0. */
uint32_t nchan_end_id(const struct nchan_place *place, const struct nchan_end *end);
struct nchan_end *nchan_end_by_id(const struct nchan_place *place, uint32_t id);

/*
 * How many cells an owner must count for: at the home for the end, each other reading place and, on
 * top of its capacity (without one: 1), each writing place; elsewhere for the end.
 */
enum {
	NCHAN_CELLS_PER_END = 1,
	NCHAN_CELLS_PER_ACCOUNT = 1,
};

#endif
