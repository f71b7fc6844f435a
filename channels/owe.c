/*
 * owe.c - what waits for room in a FIFO, and is sent when there is some.
 *
 * An end's own dues all go to one link (its home's, or the host's for RELEASE), so the end is in
 * that link's list. The dues of its accounts may go to several links; such an end is in the one
 * list of the place, which is gone through when some FIFO has got room. A first credit may also
 * wait for lines to be read: end_consume_head().
 */
#include "channels/end_int.h"

/* ---- lists of ends --------------------------------------------------------------------------- */

static void list_end(struct nchan_place *place, struct nchan_end *end, unsigned to)
{
	struct nchan_link *link = &place->links[to];
	uint32_t cell = end_cell(place, end);

	if (end->flags & END_LISTED)
		return;
	end->flags |= END_LISTED;
	end->next_owing = 0;
	if (link->owing_tail)
		end_at(place, link->owing_tail)->next_owing = cell;
	else
		link->owing_head = cell;
	link->owing_tail = cell;
	place->owing_count++;
	nchan_tx_ask(&link->tx);
}

static struct nchan_end *unlist_end(struct nchan_place *place, unsigned to)
{
	struct nchan_link *link = &place->links[to];
	struct nchan_end *end = end_at(place, link->owing_head);

	link->owing_head = end->next_owing;
	if (!link->owing_head)
		link->owing_tail = 0;
	end->flags &= (uint16_t)~END_LISTED;
	place->owing_count--;
	return end;
}

static void list_accounts(struct nchan_place *place, struct nchan_end *end)
{
	uint32_t cell = end_cell(place, end);

	if (end->flags & END_ACCOUNTS_LISTED)
		return;
	end->flags |= END_ACCOUNTS_LISTED;
	end->next_owing_accounts = 0;
	if (place->owing_accounts_tail)
		end_at(place, place->owing_accounts_tail)->next_owing_accounts = cell;
	else
		place->owing_accounts_head = cell;
	place->owing_accounts_tail = cell;
	place->owing_count++;
}

static struct nchan_end *unlist_accounts(struct nchan_place *place)
{
	struct nchan_end *end = end_at(place, place->owing_accounts_head);

	place->owing_accounts_head = end->next_owing_accounts;
	if (!place->owing_accounts_head)
		place->owing_accounts_tail = 0;
	end->flags &= (uint16_t)~END_ACCOUNTS_LISTED;
	place->owing_count--;
	return end;
}

/* ---- an end's own dues ----------------------------------------------------------------------- */

void end_send_count(struct nchan_place *place, unsigned to, enum nchan_kind kind, uint32_t pipe,
	uint32_t arg, uint64_t count)
{
	nchan_place_send(place, to, nchan_head(kind, 0, pipe, arg), &count, sizeof(count));
}

/*
 * Host: sends the first line of the queue to the home, or drops it if nobody reads. False: it needs
 * a credit.
 */
static bool forward_one(struct nchan_place *place, struct nchan_end *end)
{
	struct waiting_line *line = queue_head(place, end);
	unsigned left = (unsigned)line->length - line->offset;

	if (line->kind != NCHAN_DATA) {
		end_send_count(place, end->home, line->kind, end->pipe, line->place, line->word[0]);
	} else if (!(end->flags & END_BROKEN)) {
		if (!end->credit)
			return false;
		nchan_place_send(place, end->home, nchan_head(NCHAN_DATA, left, end->pipe, 0),
			(const char *)line->word + line->offset, left);
		end->credit--;
	}
	queue_remove(place, end);
	return true;
}

static void pay_forward(struct nchan_place *place, struct nchan_end *end)
{
	while (end->queue_tail && nchan_place_room(place, end->home))
		if (!forward_one(place, end))
			break; /* the next credit goes on */
	if (end->queue_tail && !nchan_place_room(place, end->home))
		return;
	end->dues &= (uint8_t)~DUE_FORWARD;
	if (!end->queue_tail)
		place->events->writable(place->context, end);
}

static void pay_return(struct nchan_place *place, struct nchan_end *end)
{
	if (!nchan_place_room(place, end->home))
		return;
	nchan_place_send(
		place, end->home, nchan_head(NCHAN_RETURN, 0, end->pipe, end->credit), NULL, 0);
	end->credit = 0;
	end->flags &= (uint16_t)~END_RECALLED;
	end->dues &= (uint8_t)~DUE_RETURN;
}

/* A new writer may have come in the meantime. At the host, what is to be forwarded goes first. */
static void pay_close(struct nchan_place *place, struct nchan_end *end)
{
	if (end->writers) {
		end->dues &= (uint8_t)~DUE_CLOSE;
		return;
	}
	if (end->queue_tail && !(end->flags & END_HOME))
		return;
	if (!nchan_place_room(place, end->home))
		return;
	end_send_count(place, end->home, NCHAN_CLOSE, end->pipe, place->self, end->opened);
	end->opened = 0;
	end->credit = 0;
	end->flags = (uint16_t)((end->flags | END_CLOSING) & ~(END_RECALLED | END_EXPECTED));
	end->dues &= (uint8_t)~(DUE_CLOSE | DUE_RETURN);
}

static void pay_room(struct nchan_place *place, struct nchan_end *end)
{
	if (!nchan_place_room(place, end->home))
		return;
	end->dues &= (uint8_t)~DUE_ROOM;
	place->events->writable(place->context, end);
}

/* True when the end is gone. */
static bool pay_release(struct nchan_place *place, struct nchan_end *end)
{
	if (end_is_needed(place, end)) {
		end->dues &= (uint8_t)~DUE_RELEASE;
		return false;
	}
	if (end->flags & (END_LISTED | END_ACCOUNTS_LISTED) || !nchan_place_room(place, NCHAN_HOST))
		return false;
	end_send_count(place, NCHAN_HOST, NCHAN_RELEASE, end->pipe, 0, end->given);
	end_free(place, end);
	return true;
}

/* True when the end is gone. */
static bool pay(struct nchan_place *place, struct nchan_end *end)
{
	if (end->dues & DUE_FORWARD)
		pay_forward(place, end);
	if (end->dues & DUE_RETURN)
		pay_return(place, end);
	if (end->dues & DUE_CLOSE)
		pay_close(place, end);
	if (end->dues & DUE_ROOM)
		pay_room(place, end);
	if (end->flags & END_BORROWS)
		pay_borrower(place, end);
	return end->dues & DUE_RELEASE && pay_release(place, end);
}

/* What is still due and waits for room, not for a credit. */
static bool waits_for_room(const struct nchan_end *end)
{
	return end->dues & ~DUE_CLOSE ||
	       (end->dues & DUE_CLOSE && (!end->queue_tail || end->flags & END_HOME));
}

static void pay_or_list(struct nchan_place *place, struct nchan_end *end)
{
	if (pay(place, end))
		return;
	if (end->dues && waits_for_room(end))
		list_end(place, end, end->dues & DUE_RELEASE ? NCHAN_HOST : end->home);
	else
		end_retire(place, end);
}

void end_owe(struct nchan_place *place, struct nchan_end *end, unsigned dues)
{
	end->dues |= (uint8_t)dues;
	pay_or_list(place, end);
}

/* ---- dues of accounts ------------------------------------------------------------------------ */

static void send_credit(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	nchan_place_send(place, account->place,
		nchan_head(NCHAN_CREDIT, 0, end->pipe, account->owed), NULL, 0);
	account->out = (uint16_t)(account->out + account->owed);
	account->owed = 0;
}

bool account_send_due(
	struct nchan_place *place, struct nchan_end *end, struct account *account, unsigned due)
{
	static const uint8_t kind_of[] = {[DUE_RECALL] = NCHAN_RECALL,
		[DUE_BROKEN] = NCHAN_BROKEN,
		[DUE_CLOSED] = NCHAN_CLOSED,
		[DUE_END] = NCHAN_END};
	unsigned to = account->place & ~(unsigned)NCHAN_READS;

	if (!(account->dues & due))
		return true;
	if (!nchan_place_room(place, to))
		return false;
	if (due == DUE_CREDIT)
		send_credit(place, end, account);
	else
		nchan_place_send(place, to,
			nchan_head(kind_of[due], 0, end->pipe, account->place & NCHAN_READS), NULL,
			0);
	account->dues &= (uint8_t)~due;
	if (due == DUE_RECALL)
		account->dues |= AWAITS_RETURN;
	return true;
}

/* A first credit, for which there were no cells when the writer came. */
static bool lend_late(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	if (!(account->dues & DUE_CREDIT) || account->window)
		return true;
	if (end->flags & END_BROKEN)
		account->dues &= (uint8_t)~DUE_CREDIT;
	else
		account_lend(place, end, account);
	return account->window || !(account->dues & DUE_CREDIT);
}

/* A writer at the home itself needs no lines. */
static bool pay_account(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	bool has_credit;

	if (account_reads(account))
		return pay_reading_place(place, end, account);
	has_credit = lend_late(place, end, account);
	if (account->place == place->self) {
		account->dues &= has_credit ? 0 : DUE_CREDIT;
		return has_credit;
	}
	return account_send_due(place, end, account, DUE_RECALL) &&
	       account_send_due(place, end, account, DUE_CLOSED) &&
	       account_send_due(place, end, account, DUE_BROKEN) && has_credit &&
	       account_send_due(place, end, account, DUE_CREDIT);
}

void accounts_owe(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_first(place, end);
	bool all_paid = true, self_closed = false;

	while (account) {
		struct account *next = account_next(place, account);

		self_closed |= account->place == place->self && account->dues & DUE_CLOSED;
		all_paid &= pay_account(place, end, account);
		account_close(place, end, account);
		account = next;
	}
	if (!all_paid)
		list_accounts(place, end);
	if (end->flags & END_MOVING)
		move_step(place, end);
	else if (self_closed)
		receive_closed(place, end, place->self);
	else
		end_retire(place, end);
}

/* ---- the place ------------------------------------------------------------------------------- */

static bool flush_link(struct nchan_place *place, unsigned to)
{
	struct nchan_link *link = &place->links[to];
	uint32_t last = link->owing_tail;
	bool sent = false;

	while (link->owing_head && nchan_tx_room(&link->tx)) {
		bool was_last = link->owing_head == last;

		pay_or_list(place, unlist_end(place, to));
		sent = true;
		if (was_last)
			break;
	}
	return sent;
}

/*
 * They wait for room in one FIFO or another: worth a look at each of them only when some FIFO has
 * got room.
 */
static bool flush_accounts(struct nchan_place *place)
{
	uint32_t last = place->owing_accounts_tail;
	bool was_last = !last;

	if (!place->got_room)
		return false;
	place->got_room = false;
	while (!was_last) {
		was_last = place->owing_accounts_head == last;
		accounts_owe(place, unlist_accounts(place));
	}
	return last != 0;
}

bool nchan_place_flush(struct nchan_place *place)
{
	bool sent = false;

	if (nchan_likely(!place->owing_count))
		return false;
	for (unsigned to = 0; to < place->count; to++)
		if (to != place->self && place->links[to].owing_head)
			sent |= flush_link(place, to);
	sent |= flush_accounts(place);
	return sent;
}
