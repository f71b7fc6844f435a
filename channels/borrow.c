/*
 * borrow.c - reading where the pipe's home is not: a core asks the home for lines (lend.c), once
 * that has said by ATTACHED who it is, and that it knows of a reading end here. That may come
 * before the end itself.
 *
 * At most one READ is unanswered, however many wait here. The lines of the answer go to who waits,
 * and none is kept: when the last one has come, TAKEN says what was read, and who still waits asks
 * again. `first` of the end is this place's side of its account:
 *
 *   balance   reading ends received since the last CLOSE
 *   wanted    lines asked for; 0: no READ is unanswered
 *   lent      lines of the loan that were read whole
 *   part      bytes read of the next; the length of a packet that found too small a buffer
 *
 * `known` of the end: reading ends of which the home has told, less those of CLOSE.
 */
#include "channels/end_int.h"

/* In `dues` of this side. */
enum {
	BORROW_STUCK = 1 << 0, /* a line of the loan was not read whole: nor are those behind it */
	BORROW_TOO_LARGE = 1 << 1, /* it was a packet, and who waited is to be told so */
	BORROW_ENDED = 1 << 2,
	BORROW_CLOSING = 1 << 3, /* CLOSE is sent; CLOSED has not come */
};

static void begin_to_borrow(const struct nchan_place *place, struct nchan_end *end)
{
	end->flags |= END_BORROWS;
	end->first.place = (uint8_t)(place->self | NCHAN_READS);
}

struct nchan_end *nchan_borrow(struct nchan_place *place, uint32_t name)
{
	uint8_t mode = (uint8_t)(name >> NCHAN_MODE_SHIFT);
	struct nchan_end *end = mode & NCHAN_CALLS ? NULL : end_open(place, name & NCHAN_PIPE_MAX);

	if (!end || !end_has_mode(end, name))
		return NULL;
	end->mode = mode;
	end->given++;
	nchan_dup(end, false);
	if (end->flags & END_HOME)
		return end; /* it comes home */
	begin_to_borrow(place, end);
	end->first.balance++;
	return end;
}

bool borrow_is_known(const struct nchan_end *end)
{
	return end->flags & END_BORROWS && end->known;
}

bool receive_attached(struct nchan_place *place, unsigned from, uint32_t pipe, uint32_t count)
{
	struct nchan_end *end;

	if (place->self == NCHAN_HOST || !count || count > UINT16_MAX)
		return false;
	end = end_open(place, pipe);
	if (!end || end->flags & END_HOME || end->known > UINT32_MAX / 2 ||
		!learn_home(place, end, from))
		return false;
	begin_to_borrow(place, end);
	end->known += count;
	if (end->readers)
		place->events->readable(place->context, end);
	else if (end->first.balance)
		end_owe(place, end, DUE_CLOSE_READER);
	return true;
}

static uint16_t lines_for(const struct nchan_end *end, uint64_t nbytes)
{
	uint64_t lines = (nbytes + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES;

	return nchan_is_of_packets(end) ? 1 : (uint16_t)nchan_min(lines, NCHAN_WINDOW_FIRST);
}

int64_t borrow_read(struct nchan_place *place, struct nchan_end *end, uint64_t nbytes)
{
	struct account *side = &end->first;

	if (!nbytes || side->dues & BORROW_ENDED)
		return 0;
	if (side->dues & BORROW_TOO_LARGE) {
		side->dues &= (uint8_t)~BORROW_TOO_LARGE;
		if (nbytes < side->part)
			return -NCHAN_EMSGSIZE;
	}
	if (!side->wanted && end->known && !(side->dues & BORROW_CLOSING)) {
		side->wanted = lines_for(end, nbytes);
		end_owe(place, end, DUE_READ);
	}
	return -NCHAN_EAGAIN;
}

bool borrow_take(struct nchan_place *place, struct nchan_end *end, unsigned from, const void *bytes,
	unsigned nbytes, bool is_last)
{
	struct account *side = &end->first;
	unsigned done = 0;

	if (side->dues & BORROW_CLOSING)
		return from == end->home;
	if (from != end->home || side->lent >= side->wanted || end->dues & DUE_READ || !nbytes ||
		nbytes > NCHAN_PAYLOAD_BYTES)
		return false;
	if (!(side->dues & BORROW_STUCK))
		done = (unsigned)place->events->deliver(place->context, end, bytes, nbytes);
	if (done == nbytes) {
		side->lent++;
	} else if (!(side->dues & BORROW_STUCK)) {
		side->part = (uint16_t)(nchan_is_of_packets(end) ? nbytes : done);
		side->dues |= BORROW_STUCK;
		if (nchan_is_of_packets(end) && end->read_waiter)
			side->dues |= BORROW_TOO_LARGE;
	}
	if (!is_last)
		return true;
	side->wanted = 0;
	end_owe(place, end, DUE_TAKEN);
	place->events->readable(place->context, end);
	return true;
}

/* Of the loan, behind the lines that were read whole. */
static uint64_t bytes_of_next(const struct nchan_end *end)
{
	const struct account *side = &end->first;

	return side->dues & BORROW_STUCK && !nchan_is_of_packets(end) ? side->part : 0;
}

static void pay_taken(struct nchan_place *place, struct nchan_end *end)
{
	struct account *side = &end->first;

	end_send_count(place, end->home, NCHAN_TAKEN, end->pipe, side->lent, bytes_of_next(end));
	side->lent = 0;
	side->dues &= (uint8_t)~BORROW_STUCK;
	end->dues &= (uint8_t)~DUE_TAKEN;
}

static void pay_read(struct nchan_place *place, struct nchan_end *end)
{
	nchan_place_send(
		place, end->home, nchan_head(NCHAN_READ, 0, end->pipe, end->first.wanted), NULL, 0);
	end->dues &= (uint8_t)~DUE_READ;
}

/*
 * The answer to a loan of which not all has come, too: who closes may have read some of it.
 */
static void send_close_reader(struct nchan_place *place, const struct nchan_end *end)
{
	const struct account *side = &end->first;
	const uint64_t words[] = {(uint64_t)side->balance, side->lent, bytes_of_next(end)};

	nchan_place_send(place, end->home, nchan_head(NCHAN_CLOSE, 0, end->pipe, side->place),
		words, sizeof(words));
}

/*
 * Another may have come meanwhile; one that came and went while CLOSED is awaited is told then, and
 * one of which the home does not know when it does.
 */
static void pay_close_reader(struct nchan_place *place, struct nchan_end *end)
{
	struct account *side = &end->first;

	end->dues &= (uint8_t)~DUE_CLOSE_READER;
	if (end->readers || side->dues & BORROW_CLOSING || end->known < (uint32_t)side->balance)
		return;
	send_close_reader(place, end);
	end->known -= (uint32_t)side->balance;
	side->balance = 0;
	side->wanted = 0;
	side->lent = 0;
	side->dues = BORROW_CLOSING;
	end->dues &= (uint8_t)~(DUE_TAKEN | DUE_READ);
}

void pay_borrower(struct nchan_place *place, struct nchan_end *end)
{
	if (end->dues & DUE_TAKEN && nchan_place_room(place, end->home))
		pay_taken(place, end);
	if (end->dues & DUE_READ && nchan_place_room(place, end->home))
		pay_read(place, end);
	if (end->dues & DUE_CLOSE_READER && nchan_place_room(place, end->home))
		pay_close_reader(place, end);
}

bool receive_end(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	struct account *side = &end->first;

	if (!(end->flags & END_BORROWS) || from != end->home)
		return false;
	if (side->dues & BORROW_CLOSING)
		return true;
	side->wanted = 0;
	side->dues |= BORROW_ENDED;
	place->events->readable(place->context, end);
	return true;
}

bool receive_closed_reader(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	struct account *side = &end->first;

	if (!(end->flags & END_BORROWS) || !(side->dues & BORROW_CLOSING) || from != end->home)
		return false;
	side->dues = 0;
	if (end->readers) {
		place->events->readable(place->context, end);
	} else if (side->balance) {
		end_owe(place, end, DUE_CLOSE_READER);
	} else if (!end->known) {
		end->flags &= (uint16_t)~END_BORROWS;
		end_retire(place, end);
	}
	return true;
}
