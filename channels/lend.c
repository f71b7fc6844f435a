/*
 * lend.c - a pipe that is read in several places: its home lends its first lines to the others, one
 * at a time.
 *
 *   ATTACHED  the home knows of reading ends at a place, which may ask from now on
 *   READ    a place has a reader that waits, and wants some lines
 *   DATA    a loan: copies of the first waiting lines; the last one says so
 *   TAKEN   how far they were read, down to the byte: so much is removed from the queue
 *   END     instead of a loan: nobody writes any more, and all was read
 *
 * A lent line stays in the queue until it was read, so one that comes too late, to a reader that
 * was killed, is still the first for the next: no byte is lost, and none comes after a later one.
 */
#include "channels/end_int.h"

bool end_is_read_elsewhere(const struct nchan_place *place, struct nchan_end *end)
{
	const struct account *account = account_first(place, end);

	for (; account; account = account_next(place, account))
		if (account_reads(account) && account->balance)
			return true;
	return false;
}

bool nchan_has_all_readers(const struct nchan_end *end, uint32_t count)
{
	return end->readers == count && !end_is_away(end) && !(end->flags & END_LENDS);
}

static struct account *account_of_reader(
	const struct nchan_place *place, struct nchan_end *end, unsigned reader)
{
	return account_find(place, end, reader | NCHAN_READS);
}

/* False: too many to tell of, or no cell. */
static bool add_reading_end(struct nchan_place *place, struct nchan_end *end, unsigned reader)
{
	struct account *account = account_open(place, end, reader | NCHAN_READS);

	if (!account || account->balance == INT32_MAX || account->attached == UINT16_MAX)
		return false;
	end->flags |= END_LENDS;
	account->balance++;
	if (reader != NCHAN_HOST) {
		account->attached++;
		account->dues |= DUE_ATTACHED;
	}
	accounts_owe(place, end);
	return true;
}

/* What the home is told keeps the order: the next place has its end before the host has none. */
static void lend_elsewhere(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	if (to != end->home)
		move_forward(place, end, NCHAN_ATTACH, to | NCHAN_READS, 1);
	nchan_drop_reader(place, end);
}

void nchan_lend_reader(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	end->given++;
	if (end_is_away(end)) {
		lend_elsewhere(place, end, to);
		return;
	}
	end->readers--;
	if (!add_reading_end(place, end, to))
		place->faults++;
}

void lend_to_host(struct nchan_place *place, struct nchan_end *end)
{
	if (!add_reading_end(place, end, NCHAN_HOST))
		place->faults++;
}

bool receive_attach_reader(struct nchan_place *place, struct nchan_end *end, unsigned from,
	unsigned reader, uint32_t count)
{
	const struct account *giver = account_of_reader(place, end, from);

	reader &= ~(unsigned)NCHAN_READS;
	if (place->self == NCHAN_HOST || (end->flags & (END_HOME | END_BROKEN)) != END_HOME ||
		reader >= place->count || reader == place->self || count != 1)
		return false;
	if (from != NCHAN_HOST && (reader != NCHAN_HOST || !giver || giver->balance <= 0))
		return false;
	return add_reading_end(place, end, reader);
}

/* Places have turns: the next one that waits, above the last that was served. */
static struct account *next_that_waits(const struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_first(place, end), *best = NULL;
	unsigned best_distance = 256;

	for (; account; account = account_next(place, account)) {
		unsigned distance = (account->place - end->lent_to - 1u) & 255;

		if (!account_reads(account) || !account->wanted || distance >= best_distance)
			continue;
		best = account;
		best_distance = distance;
	}
	return best;
}

static void tell_end(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_first(place, end);

	for (; account; account = account_next(place, account)) {
		if (!account_reads(account) || !account->wanted)
			continue;
		account->wanted = 0;
		account->dues |= DUE_END;
	}
	accounts_owe(place, end);
}

void end_offer(struct nchan_place *place, struct nchan_end *end)
{
	unsigned lends = end->flags & (END_LENDS | END_LENT);
	struct account *account = lends == END_LENDS ? next_that_waits(place, end) : NULL;

	if (account && end->queue_tail) {
		end->flags |= END_LENT;
		end->lent_to = account->place;
		account->dues |= DUE_LOAN;
		accounts_owe(place, end);
		return;
	}
	if (!(end->flags & END_LENT))
		place->events->readable(place->context, end);
	if (account && end_has_no_writer(place, end))
		tell_end(place, end);
}

static void take_back(struct nchan_end *end, struct account *account)
{
	end->flags &= (uint16_t)~END_LENT;
	account->dues &= (uint8_t)~DUE_LOAN;
	account->lent = 0;
}

/* False: there is no room. */
static bool send_loan(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	unsigned to = account->place & ~(unsigned)NCHAN_READS;
	unsigned count = (unsigned)nchan_min(account->wanted, nchan_place_room(place, to));
	const struct waiting_line *line = queue_head(place, end);
	const struct waiting_line *tail = nchan_pool_at(&place->pool, end->queue_tail);
	bool is_last = !count;

	for (; !is_last; line = nchan_pool_at(&place->pool, line->next)) {
		unsigned left = (unsigned)line->length - line->offset;

		is_last = ++account->lent == count || line == tail;
		nchan_place_send(place, to, nchan_head(NCHAN_DATA, left, end->pipe, is_last),
			(const char *)line->word + line->offset, left);
	}
	if (!count)
		return false;
	account->wanted = 0;
	account->dues &= (uint8_t)~DUE_LOAN;
	return true;
}

/* False: there is no room. */
static bool send_attached(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	unsigned to = account->place & ~(unsigned)NCHAN_READS;

	if (!nchan_place_room(place, to))
		return false;
	end_send_count(place, to, NCHAN_ATTACHED, end->pipe, 0, account->attached);
	account->attached = 0;
	account->dues &= (uint8_t)~DUE_ATTACHED;
	return true;
}

bool pay_reading_place(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	return (!(account->dues & DUE_ATTACHED) || send_attached(place, end, account)) &&
	       account_send_due(place, end, account, DUE_CLOSED) &&
	       account_send_due(place, end, account, DUE_END) &&
	       (!(account->dues & DUE_LOAN) || send_loan(place, end, account));
}

static bool has_loan(const struct nchan_end *end, const struct account *account)
{
	return end->flags & END_LENT && end->lent_to == account->place;
}

bool receive_read(struct nchan_place *place, struct nchan_end *end, unsigned from, uint32_t wanted)
{
	struct account *account = account_of_reader(place, end, from);

	if (!account || account->balance <= 0 || account->wanted || has_loan(end, account) ||
		!wanted || wanted > NCHAN_WINDOW_MAX)
		return false;
	account->wanted = (uint16_t)wanted;
	if (end->queue_tail || end_has_no_writer(place, end))
		end_offer(place, end);
	return true;
}

static bool may_take(
	const struct nchan_end *end, const struct account *account, uint64_t lines, uint64_t part)
{
	return account && has_loan(end, account) && lines <= account->lent &&
	       (!part || lines < account->lent);
}

/* Of a line that is lent: some bytes were read, not all. */
static bool take_part(struct nchan_place *place, struct nchan_end *end, uint64_t part)
{
	struct waiting_line *line = part ? queue_head(place, end) : NULL;

	if (!line)
		return true;
	if (part >= (unsigned)line->length - line->offset)
		return false;
	line->offset = (uint8_t)(line->offset + part);
	return true;
}

/* The loan is over: so much of it was read. False: it makes no sense. */
static bool end_loan(struct nchan_place *place, struct nchan_end *end, struct account *account,
	uint64_t lines, uint64_t part)
{
	if (!may_take(end, account, lines, part))
		return false;
	take_back(end, account);
	while (lines--)
		end_consume_head(place, end, queue_head(place, end)->place);
	return take_part(place, end, part);
}

bool receive_taken(struct nchan_place *place, struct nchan_end *end, unsigned from, uint32_t lines,
	uint64_t part)
{
	struct account *account = account_of_reader(place, end, from);
	bool makes_sense = end_loan(place, end, account, lines, part);

	if (!(end->flags & END_LENT) && (end->queue_tail || end_has_no_writer(place, end)))
		end_offer(place, end);
	return makes_sense;
}

/* The host has passed on, or dropped, an end of which the ATTACH may still be on its way. */
static bool close_for_host(struct nchan_place *place, struct nchan_end *end, uint32_t count)
{
	struct account *account =
		count == 1 ? account_open(place, end, NCHAN_HOST | NCHAN_READS) : NULL;

	if (!account || account->balance == INT32_MIN)
		return false;
	account->balance--;
	return true;
}

static bool close_for_reader(struct nchan_place *place, struct nchan_end *end, unsigned from,
	uint32_t count, const uint64_t taken[2])
{
	struct account *account = account_of_reader(place, end, from);

	if (!account || !count || (int64_t)count > account->balance)
		return false;
	if (has_loan(end, account) ? !end_loan(place, end, account, taken[0], taken[1])
				   : taken[0] || taken[1])
		return false;
	account->balance -= (int32_t)count;
	account->wanted = 0;
	account->dues = (uint8_t)((account->dues & DUE_ATTACHED) | DUE_CLOSED);
	return true;
}

bool receive_close_reader(
	struct nchan_place *place, struct nchan_end *end, unsigned from, const uint64_t words[3])
{
	uint32_t count = (uint32_t)words[0];
	bool makes_sense = false;

	if (end->flags & END_HOME)
		makes_sense = from == NCHAN_HOST
				      ? close_for_host(place, end, count)
				      : close_for_reader(place, end, from, count, words + 1);
	if (!makes_sense)
		return false;
	if (!end->readers && !end_is_read_elsewhere(place, end)) {
		end_break(place, end);
		return true;
	}
	if (end->queue_tail || end_has_no_writer(place, end))
		end_offer(place, end);
	accounts_owe(place, end);
	return true;
}
