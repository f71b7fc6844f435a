/*
 * receive.c - what each line about a pipe does. Every handler returns false for a line that makes
 * no sense here.
 */
#include "channels/end_int.h"

enum {
	BALANCE_MAX = 1 << 30 /* of an account, above or below 0 */
};

/* Until its home first speaks a core takes the host for it. */
bool learn_home(const struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	if (from == end->home)
		return true;
	if (place->self == NCHAN_HOST || end->home != NCHAN_HOST)
		return false;
	/* The host gave all its credits up before the home moved. */
	end->home = (uint8_t)from;
	end->credit = 0;
	return true;
}

static bool hear_home(const struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	if (!learn_home(place, end, from))
		return false;
	if (from != NCHAN_HOST && place->self != NCHAN_HOST && !end->writers)
		end->flags |= END_EXPECTED; /* the host's own lines come behind the SPAWN */
	return true;
}

/* What was to be forwarded goes on, or is dropped. */
static void go_on_writing(struct nchan_place *place, struct nchan_end *end)
{
	if (end->queue_tail && !(end->flags & END_HOME))
		end_owe(place, end, DUE_FORWARD);
	else
		place->events->writable(place->context, end);
}

static bool receive_credit(struct nchan_place *place, struct nchan_end *end, uint32_t credits)
{
	if (end->credit + credits > NCHAN_ARG_MAX)
		return false;
	end->credit = (uint16_t)(end->credit + credits);
	go_on_writing(place, end);
	return true;
}

static bool receive_broken(struct nchan_place *place, struct nchan_end *end)
{
	end->flags |= END_BROKEN;
	go_on_writing(place, end);
	return true;
}

/*
 * A core may hear the home before the process comes that will write, and may hear the host late:
 * after the new home, when its own CLOSE has made void what the host had said.
 */
static bool receive_from_home(struct nchan_place *place, unsigned from, uint64_t head)
{
	uint32_t pipe = nchan_head_pipe(head);
	struct nchan_end *end =
		place->self == NCHAN_HOST ? nchan_find(place, pipe) : end_open(place, pipe);

	if (!end)
		return false;
	if (!hear_home(place, end, from))
		return from == NCHAN_HOST;
	if (nchan_head_kind(head) == NCHAN_CREDIT)
		return receive_credit(place, end, nchan_head_arg(head));
	return receive_broken(place, end);
}

bool receive_data(struct nchan_place *place, unsigned from, uint64_t head, const uint64_t *payload)
{
	struct nchan_end *end = nchan_find(place, nchan_head_pipe(head));

	if (!end || !end_take_data(place, end, from, payload, nchan_head_length(head),
			    nchan_head_arg(head)))
		return false;
	if (end->flags & END_MOVING)
		move_step(place, end);
	return true;
}

/* A RECALL that met a CLOSE on the way is answered by that. */
static bool receive_recall(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	if (end->flags & END_CLOSING)
		return true;
	if (from != end->home)
		return false;
	end->flags |= END_RECALLED;
	end_owe(place, end, DUE_RETURN);
	return true;
}

static bool receive_return(
	struct nchan_place *place, struct nchan_end *end, unsigned from, uint32_t credits)
{
	struct account *account = account_find(place, end, from);

	if (!account || credits > account->out)
		return false;
	account->dues &= (uint8_t)~AWAITS_RETURN;
	account->out = (uint16_t)(account->out - credits);
	account->window = (uint16_t)(account->window - credits);
	nchan_pool_unpromise(&place->pool, credits);
	if (end->flags & END_MOVING)
		move_step(place, end);
	return true;
}

/* From now on the core's own writers write here, and a CLOSE that is not sent yet is for here. */
static void attach_local_writer(
	const struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	if (end->dues & DUE_CLOSE && !end->writers) {
		account->balance -= (int32_t)end->opened;
		end->opened = 0;
	}
	end->home = (uint8_t)place->self;
	end->credit = 0;
	end->flags &= (uint16_t)~END_RECALLED;
	end->dues &= (uint8_t)~(DUE_CLOSE | DUE_ROOM);
}

/* Nobody gives away or closes so many ends. */
static bool adds_up(
	const struct nchan_place *place, struct nchan_end *end, unsigned writer, int64_t change)
{
	const struct account *account = account_find(place, end, writer);
	int64_t balance = change + (account ? account->balance : 0);

	return change >= -BALANCE_MAX && change <= BALANCE_MAX && balance >= -BALANCE_MAX &&
	       balance <= BALANCE_MAX;
}

/* The host itself has given the ends away and is not told. */
static bool receive_attach(struct nchan_place *place, struct nchan_end *end, unsigned from,
	unsigned writer, uint32_t count)
{
	struct account *account;

	if (place->self == NCHAN_HOST || writer >= place->count || !(end->flags & END_HOME))
		return false;
	if (from != NCHAN_HOST && (count != 1 || !may_attach_host(place, end, from, writer)))
		return false;
	if (!adds_up(place, end, writer, count))
		return false;
	account = account_open(place, end, writer);
	if (!account)
		return false;
	account->balance += (int32_t)count;
	if (writer == place->self)
		attach_local_writer(place, end, account);
	if (account->balance > 0) {
		account_welcome(place, end, account);
		accounts_owe(place, end);
		return true;
	}
	account_close(place, end, account);
	if (end_has_no_writer(place, end))
		end_offer(place, end);
	end_retire(place, end);
	return true;
}

/* The host knows what it gave away; at a core a CLOSE may come before its ATTACH. */
static bool may_close(
	const struct nchan_place *place, struct nchan_end *end, unsigned writer, uint32_t count)
{
	const struct account *account = account_find(place, end, writer);

	if (place->self != NCHAN_HOST)
		return adds_up(place, end, writer, -(int64_t)count);
	return account && (int64_t)count <= account->balance;
}

static bool receive_close_at_home(
	struct nchan_place *place, struct nchan_end *end, unsigned writer, uint32_t count)
{
	struct account *account =
		may_close(place, end, writer, count) ? account_open(place, end, writer) : NULL;

	if (!account)
		return false;
	account_void(place, end, account);
	account->balance -= (int32_t)count;
	account->dues = (uint8_t)((account->dues & ~DUE_BROKEN) | DUE_CLOSED);
	if (account->balance > 0)
		account_welcome(place, end, account);
	if (end_has_no_writer(place, end))
		end_offer(place, end);
	accounts_owe(place, end);
	return true;
}

/* The writer may have turned to the host because it never learned where the home is. */
static bool receive_close(struct nchan_place *place, struct nchan_end *end, unsigned from,
	unsigned writer, uint32_t count)
{
	if (writer >= place->count || (writer != from && from != NCHAN_HOST))
		return false;
	if (!(end->flags & END_HOME)) {
		if (place->self != NCHAN_HOST)
			return false;
		move_forward(place, end, NCHAN_CLOSE, writer, count);
		return true;
	}
	return receive_close_at_home(place, end, writer, count);
}

bool receive_closed(struct nchan_place *place, struct nchan_end *end, unsigned from)
{
	if (!(end->flags & END_CLOSING))
		return false;
	end->flags &= (uint16_t)~(END_CLOSING | END_RECALLED);
	/* What another home has said belongs to writers that came since. */
	if (from == end->home) {
		end->credit = 0;
		end->flags &= (uint16_t)~END_EXPECTED;
	}
	if (end->writers)
		place->events->writable(place->context, end);
	else if (end->opened)
		end_close_writers(place, end);
	else
		end_retire(place, end);
	return true;
}

static bool receive_release(struct nchan_place *place, struct nchan_end *end, uint32_t count)
{
	if (place->self != NCHAN_HOST || count > end->given)
		return false;
	end->given -= count;
	end_retire(place, end);
	return true;
}

bool receive_pipe_line(struct nchan_place *place, unsigned from, const struct nchan_line *line)
{
	unsigned kind = nchan_head_kind(line->head);
	uint32_t pipe = nchan_head_pipe(line->head);
	uint32_t arg = nchan_head_arg(line->head);
	uint32_t count = (uint32_t)line->word[0];
	struct nchan_end *end;

	if (kind == NCHAN_CREDIT || kind == NCHAN_BROKEN)
		return receive_from_home(place, from, line->head);
	if (kind == NCHAN_ATTACHED)
		return receive_attached(place, from, pipe, count);
	end = nchan_find(place, pipe);
	if (!end)
		return false;
	switch (kind) {
	case NCHAN_RETURN:
		return receive_return(place, end, from, arg);
	case NCHAN_RECALL:
		return receive_recall(place, end, from);
	case NCHAN_ATTACH:
		return arg & NCHAN_READS ? receive_attach_reader(place, end, from, arg, count)
					 : receive_attach(place, end, from, arg, count);
	case NCHAN_CLOSE:
		return arg & NCHAN_READS ? receive_close_reader(place, end, from, line->word)
					 : receive_close(place, end, from, arg, count);
	case NCHAN_CLOSED:
		return arg & NCHAN_READS ? receive_closed_reader(place, end, from)
					 : receive_closed(place, end, from);
	case NCHAN_READ:
		return receive_read(place, end, from, arg);
	case NCHAN_TAKEN:
		return receive_taken(place, end, from, arg, line->word[0]);
	case NCHAN_END:
		return receive_end(place, end, from);
	case NCHAN_RELEASE:
		return receive_release(place, end, count);
	default:
		return false;
	}
}
