/*
 * end_int.h - pipe ends and accounts, inside channels/ only.
 *
 * One cell holds all that a place knows of a pipe:
 *
 *   as home      queue of lines (circular, by its tail), accounts of the writing places and of
 *                other reading places, the first one inline
 *   as writer    credit, home
 *   as reader elsewhere   `first`, the other side of its account at the home, and `known`
 *                (borrow.c)
 *   as host      `given`: ends handed to cores that have not been released; the queue of a pipe
 *                whose home is elsewhere holds lines to forward there
 */
#ifndef NEARSIDE_CHANNELS_END_INT_H
#define NEARSIDE_CHANNELS_END_INT_H

#include "channels/place.h"

enum end_flag {
	END_HOME = 1 << 0,    /* lines of this pipe come here */
	END_MOVING = 1 << 1,  /* host: the home is about to be `home`; credits are being recalled */
	END_BROKEN = 1 << 2,  /* no reading end is left */
	END_CLOSING = 1 << 3, /* CLOSE is sent or owed, CLOSED has not come */
	END_RECALLED = 1 << 4, /* the credit must be returned, not used */
	END_LISTED = 1 << 5,   /* is in a link's owing list */
	END_ACCOUNTS_LISTED = 1 << 6,
	/*
	 * A core: the home has spoken to a writer whose SPAWN is still on its way, so the end must
	 * stay.
	 */
	END_EXPECTED = 1 << 7,
	END_BORROWS = 1 << 8,   /* read here, and its home is elsewhere: borrow.c */
	END_LENDS = 1 << 9,     /* home, of which others borrow: lend.c */
	END_LENT = 1 << 10,     /* its first lines are lent to the place `lent_to` */
	END_NAMING = 1 << 11,   /* the host was asked for an id: name.c */
	END_NAMELESS = 1 << 12, /* and had none; nobody was told so yet */
};

/* What the end itself owes: all to one link at a time. */
enum end_due {
	DUE_ROOM = 1 << 0, /* tell the writers that the FIFO has room */
	DUE_CLOSE = 1 << 1,
	DUE_RETURN = 1 << 2,
	DUE_FORWARD = 1 << 3,
	DUE_RELEASE = 1 << 4,
	DUE_TAKEN = 1 << 5,
	DUE_READ = 1 << 6,
	DUE_CLOSE_READER = 1 << 7,
};

/* What an account owes to its place, sent in this order, and what it is owed. */
enum account_due {
	DUE_RECALL = 1 << 0,
	DUE_CLOSED = 1 << 1, /* the next two are for writers that came after the CLOSE */
	DUE_BROKEN = 1 << 2,
	DUE_CREDIT = 1 << 3,
	AWAITS_RETURN = 1 << 4, /* RECALL was sent; RETURN or CLOSE has not come */
	DUE_LOAN = 1 << 5,      /* this and the next to a reading place */
	DUE_END = 1 << 6,
	DUE_ATTACHED = 1 << 7,
};

/*
 * Of one writing place. A window of `window` lines is promised to it: out (credits it holds, and
 * lines on the way) + owed (read, not yet given back as credit) + its lines in the queue. balance:
 * writing ends attached (ATTACH, by the host) minus closed (CLOSE, by the place); these may
 * overtake each other, so it may be below 0 for a while. The place is a writer while it is not 0.
 *
 * Of a reading place that is not the home, at both of them (lend.c, borrow.c): `lent` lines are
 * lent, or of these were read whole here; `wanted` is what was asked for. balance: reading ends
 * there, or received here since the last CLOSE. At the home the host's counts ends that are on
 * their way from one core to another; it may be below 0, too.
 */
struct account {
	uint32_t next; /* cell of the next account */
	int32_t balance;
	union {
		uint16_t out;
		uint16_t lent;
	};
	union {
		uint16_t owed;
		uint16_t wanted;
	};
	union {
		uint16_t window;
		uint16_t part;     /* borrow.c */
		uint16_t attached; /* lend.c: ends there that it is to be told of */
	};
	uint8_t place; /* or place | NCHAN_READS */
	uint8_t dues;  /* enum account_due; 0 in both balance and dues: unused */
};

struct nchan_end {
	uint32_t pipe;
	uint32_t queue_tail;
	uint32_t next_owing;
	union {
		uint32_t next_owing_accounts;
		uint32_t known; /* borrow.c: reading ends here that the home knows of */
	};
	uint32_t read_waiter;
	uint32_t write_waiter;
	uint32_t readers; /* open here */
	uint32_t writers;
	uint32_t given;  /* core: ends ever received; host: ends handed out and not released */
	uint32_t opened; /* writing ends received since the last CLOSE */
	uint16_t credit;
	uint16_t flags;
	uint8_t home;
	uint8_t dues;
	uint8_t mode; /* as in place.h; known once an end is open here */
	uint8_t lent_to;
	struct account first;
};

/* The writer of a waiting line has closed. */
enum {
	LINE_OF_NOBODY = 255
};

/* A line that waits. */
struct waiting_line {
	uint64_t word[NCHAN_PAYLOAD_WORDS];
	uint32_t next;
	uint8_t kind;
	uint8_t length;
	uint8_t offset; /* bytes already read */
	uint8_t place;  /* whom it concerns: of data the writer, or LINE_OF_NOBODY */
};

_Static_assert(sizeof(struct nchan_end) == NCHAN_CELL_BYTES, "an end is one cell");
_Static_assert(sizeof(struct waiting_line) == NCHAN_CELL_BYTES, "a line is one cell");

/* ---- end.c ----------------------------------------------------------------------------------- */

uint32_t end_cell(const struct nchan_place *place, const struct nchan_end *end);
struct nchan_end *end_at(const struct nchan_place *place, uint32_t cell);
struct nchan_end *end_open(struct nchan_place *place, uint32_t pipe);
bool end_is_needed(const struct nchan_place *place, struct nchan_end *end);
/* No writing end is left here: tells the home. The end may be gone afterwards. */
void end_close_writers(struct nchan_place *place, struct nchan_end *end);
/*
 * The pipe's home lost its last reading end: what waits is dropped, every writer is told, the end
 * may be gone.
 */
void end_break(struct nchan_place *place, struct nchan_end *end);
/* Frees the end if nothing keeps it; a core tells the host first. */
void end_retire(struct nchan_place *place, struct nchan_end *end);
void end_free(struct nchan_place *place, struct nchan_end *end);
/* May the end be open under this name? */
bool end_has_mode(const struct nchan_end *end, uint32_t name);
/* 0: not given. */
static inline unsigned end_capacity(const struct nchan_end *end)
{
	return end->mode & NCHAN_CALLS ? 1 : end->mode & NCHAN_CAPACITY_MAX;
}
/* No place can write any more. */
bool end_has_no_writer(const struct nchan_place *place, const struct nchan_end *end);

/* ---- account.c ------------------------------------------------------------------------------- */

struct account *account_next(const struct nchan_place *place, const struct account *account);
/* The first account in use, or NULL; then account_next(). */
struct account *account_first(const struct nchan_place *place, struct nchan_end *end);
/* Only the inline one may be there and not in use. */
static inline struct account *account_find(
	const struct nchan_place *place, struct nchan_end *end, unsigned writer)
{
	struct account *account = &end->first;

	if (account->place == writer && (account->balance || account->dues))
		return account;
	do
		account = account->next ? nchan_pool_at(&place->pool, account->next) : NULL;
	while (account && account->place != writer);
	return account;
}
struct account *account_open(struct nchan_place *place, struct nchan_end *end, unsigned writer);
/* Takes all credits back: the writer has closed. Its lines still wait to be read. */
void account_void(struct nchan_place *place, struct nchan_end *end, struct account *account);
void account_close(struct nchan_place *place, struct nchan_end *end, struct account *account);
/* Gives an account without window its first one; owes the credit, also where it finds no cells. */
void account_lend(struct nchan_place *place, struct nchan_end *end, struct account *account);
/* The place has become a writer: lends, or tells that the pipe is broken. */
void account_welcome(struct nchan_place *place, struct nchan_end *end, struct account *account);
/* At the home: this place has one more writing end. */
void account_add_end(struct nchan_place *place, struct nchan_end *end, unsigned writer);
/* Lines of the account were read, and are noted as owed: gives credit back. */
void account_give_back(struct nchan_place *place, struct nchan_end *end, struct account *account);
/*
 * `count` lines of the account were read. Half a window is given back at once: a writer that is out
 * of credits has had them all read by then.
 */
static inline void account_consumed(
	struct nchan_place *place, struct nchan_end *end, struct account *account, unsigned count)
{
	account->owed = (uint16_t)(account->owed + count);
	if (account->place == place->self || account->owed * 2u >= account->window)
		account_give_back(place, end, account);
}
bool account_may_grow(const struct nchan_place *place, const struct nchan_end *end,
	const struct account *account);
/* Doubles the window if there is room, or makes it the pipe's capacity. True if it grew. */
bool account_grow(struct nchan_place *place, const struct nchan_end *end, struct account *account);

/* ---- queue.c --------------------------------------------------------------------------------- */

static inline struct waiting_line *queue_head(
	const struct nchan_place *place, const struct nchan_end *end)
{
	const struct waiting_line *tail = nchan_pool_at(&place->pool, end->queue_tail);

	return end->queue_tail ? nchan_pool_at(&place->pool, tail->next) : NULL;
}

static inline void queue_add(struct nchan_place *place, struct nchan_end *end, uint32_t cell)
{
	struct waiting_line *line = nchan_pool_at(&place->pool, cell);
	struct waiting_line *tail =
		nchan_pool_at(&place->pool, end->queue_tail ? end->queue_tail : cell);

	line->next = end->queue_tail ? tail->next : cell;
	tail->next = cell;
	end->queue_tail = cell;
}

/* A line of data gets a cell that was promised to its writer. */
static inline void queue_add_data(struct nchan_place *place, struct nchan_end *end, unsigned writer,
	const void *bytes, unsigned nbytes)
{
	uint32_t cell = nchan_pool_take_promised(&place->pool);
	struct waiting_line *line = nchan_pool_at(&place->pool, cell);

	nchan_copy_few(line->word, bytes, nbytes);
	line->kind = NCHAN_DATA;
	line->length = (uint8_t)nbytes;
	line->offset = 0;
	line->place = (uint8_t)writer;
	queue_add(place, end, cell);
}

/* Before all lines but those that were added so. */
void queue_add_first(struct nchan_place *place, struct nchan_end *end, uint32_t cell);

/* Unlinks and frees the first line. */
static inline void queue_remove(struct nchan_place *place, struct nchan_end *end)
{
	struct waiting_line *tail = nchan_pool_at(&place->pool, end->queue_tail);
	uint32_t cell = tail->next;
	const struct waiting_line *head = nchan_pool_at(&place->pool, cell);

	if (cell == end->queue_tail)
		end->queue_tail = 0;
	else
		tail->next = head->next;
	nchan_pool_put(&place->pool, cell);
}

/* Is there a line that counts for no account? */
bool queue_has_orphan(const struct nchan_place *place, const struct nchan_end *end);
/* The lines of this writer no longer count for an account. */
void queue_disown(struct nchan_place *place, struct nchan_end *end, unsigned writer);

/* ---- stream.c -------------------------------------------------------------------------------- */

/* A line of data from another place; false: it makes no sense. */
bool end_take_data(struct nchan_place *place, struct nchan_end *end, unsigned from,
	const void *bytes, unsigned nbytes, uint32_t arg);

/* The first waiting line, of this writer, is read: its cell becomes the promise behind a credit. */
void end_consume_head(struct nchan_place *place, struct nchan_end *end, unsigned writer);

/* ---- lend.c: at the home --------------------------------------------------------------------- */

static inline bool account_reads(const struct account *account)
{
	return account->place & NCHAN_READS;
}

/* Does any other place read? */
bool end_is_read_elsewhere(const struct nchan_place *place, struct nchan_end *end);
/* There are lines, or no writer is left: for a place that waits, else for readers here. */
void end_offer(struct nchan_place *place, struct nchan_end *end);
bool pay_reading_place(struct nchan_place *place, struct nchan_end *end, struct account *account);
bool receive_read(struct nchan_place *place, struct nchan_end *end, unsigned from, uint32_t wanted);
bool receive_taken(struct nchan_place *place, struct nchan_end *end, unsigned from, uint32_t lines,
	uint64_t part);
/* words: how many ends; of a loan, as in TAKEN, lines and bytes of the next. */
bool receive_close_reader(
	struct nchan_place *place, struct nchan_end *end, unsigned from, const uint64_t words[3]);
/* Place `reader` has one more reading end; only the host says that of others. */
bool receive_attach_reader(struct nchan_place *place, struct nchan_end *end, unsigned from,
	unsigned reader, uint32_t count);
/* One more reading end is on its way from this home through the host. */
void lend_to_host(struct nchan_place *place, struct nchan_end *end);

/* ---- borrow.c: at the other places ----------------------------------------------------------- */

/* As nchan_read(), which fails or waits; bytes come to who waits, by the event `deliver`. */
int64_t borrow_read(struct nchan_place *place, struct nchan_end *end, uint64_t nbytes);
void pay_borrower(struct nchan_place *place, struct nchan_end *end);
/* A line of a loan. */
bool borrow_take(struct nchan_place *place, struct nchan_end *end, unsigned from, const void *bytes,
	unsigned nbytes, bool is_last);
bool receive_end(struct nchan_place *place, struct nchan_end *end, unsigned from);
/* The home knows of `count` more reading ends here. Some may still be on their way. */
bool receive_attached(struct nchan_place *place, unsigned from, uint32_t pipe, uint32_t count);
/* Does the home know of any reading end here? */
bool borrow_is_known(const struct nchan_end *end);
/* The answer to CLOSE of the reading ends. */
bool receive_closed_reader(struct nchan_place *place, struct nchan_end *end, unsigned from);

/* ---- call.c ---------------------------------------------------------------------------------- */

/* A core: requests come here. False: it makes no sense. */
bool call_open(struct nchan_place *place, struct nchan_end *end);
/* The end is about to go, or at a core its last reader: its line is no longer looked at. */
void call_close(struct nchan_place *place, struct nchan_end *end);
/* As nchan_read(). */
int64_t call_read(struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes);
/* Could a request be read, or stored, now? If not, an event will tell. */
bool call_may_read(const struct nchan_place *place, const struct nchan_end *end);
bool call_may_ask(struct nchan_place *place, struct nchan_end *end);

/* ---- receive.c ------------------------------------------------------------------------------- */

/* False: `from` cannot be the pipe's home. A core learns from the first that speaks who that is. */
bool learn_home(const struct nchan_place *place, struct nchan_end *end, unsigned from);

/* A line of data, still in its slot; false: it makes no sense. */
bool receive_data(struct nchan_place *place, unsigned from, uint64_t head, const uint64_t *payload);
/* Another line about a pipe; false: it makes no sense. */
bool receive_pipe_line(struct nchan_place *place, unsigned from, const struct nchan_line *line);
/* The home's answer to CLOSE. */
bool receive_closed(struct nchan_place *place, struct nchan_end *end, unsigned from);

/* ---- owe.c ----------------------------------------------------------------------------------- */

/*
 * Notes the dues, tries to pay at once, and lists the end where there is no room. The end may be
 * gone after.
 */
void end_owe(struct nchan_place *place, struct nchan_end *end, unsigned dues);
void accounts_owe(struct nchan_place *place, struct nchan_end *end);
/* Sends it, where it is due; false: there is no room. */
bool account_send_due(
	struct nchan_place *place, struct nchan_end *end, struct account *account, unsigned due);
/* A line whose word 0 is a count; there is room for it. */
void end_send_count(struct nchan_place *place, unsigned to, enum nchan_kind kind, uint32_t pipe,
	uint32_t arg, uint64_t count);

/* ---- hand.c ---------------------------------------------------------------------------------- */

/* Does this writer hand one of its ends back to the host? */
bool may_attach_host(
	const struct nchan_place *place, struct nchan_end *end, unsigned from, unsigned writer);

/* ---- move.c ---------------------------------------------------------------------------------- */

void move_step(struct nchan_place *place, struct nchan_end *end);
/*
 * Host: sends a line about a place to the home; about a writer after all that wait already, about a
 * reader before data, since that may wait for who reads it.
 */
void move_forward(struct nchan_place *place, struct nchan_end *end, enum nchan_kind kind,
	unsigned place_of_end, uint32_t count);
/* Host: it knows the pipe, and is not its home for good. */
static inline bool end_is_away(const struct nchan_end *end)
{
	return (end->flags & (END_HOME | END_MOVING)) != END_HOME;
}

#endif
