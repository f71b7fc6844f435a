/*
 * account.c - what a home keeps of each place that has ends: how many are there, and how many lines
 * one that writes may send. Those that read: lend.c.
 */
#include "channels/end_int.h"

static bool in_use(const struct account *account)
{
	return account->balance || account->dues;
}

/* The cell behind the inline account; its first bytes are a struct account. */
static struct account *account_at(const struct nchan_place *place, uint32_t cell)
{
	return cell ? nchan_pool_at(&place->pool, cell) : NULL;
}

struct account *account_next(const struct nchan_place *place, const struct account *account)
{
	return account_at(place, account->next);
}

struct account *account_first(const struct nchan_place *place, struct nchan_end *end)
{
	return in_use(&end->first) ? &end->first : account_next(place, &end->first);
}

struct account *account_open(struct nchan_place *place, struct nchan_end *end, unsigned writer)
{
	struct account *account = account_find(place, end, writer);
	uint32_t cell;

	if (account)
		return account;
	if (!in_use(&end->first)) {
		end->first = (struct account){.place = (uint8_t)writer, .next = end->first.next};
		return &end->first;
	}
	cell = nchan_pool_take(&place->pool);
	account = account_at(place, cell);
	if (!account)
		return NULL;
	*account = (struct account){.place = (uint8_t)writer, .next = end->first.next};
	end->first.next = cell;
	return account;
}

void account_void(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	queue_disown(place, end, account->place);
	nchan_pool_unpromise(&place->pool, (uint32_t)account->out + account->owed);
	account->window = 0;
	account->out = 0;
	account->owed = 0;
	account->dues &= (uint8_t)~(DUE_CREDIT | DUE_RECALL | AWAITS_RETURN);
}

/*
 * Frees the account if nothing is left in it. The inline one is part of the end and is only
 * cleared.
 */
void account_close(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	struct account *before = &end->first;
	uint32_t cell;

	if (in_use(account) || account == before)
		return;
	while (account_next(place, before) != account)
		before = account_next(place, before);
	cell = before->next;
	before->next = account->next;
	nchan_pool_put(&place->pool, cell);
}

static bool is_scarce(const struct nchan_pool *pool)
{
	return nchan_pool_spare(pool) <= pool->capacity / 2;
}

static uint16_t first_window(const struct nchan_place *place, const struct nchan_end *end)
{
	if (end_capacity(end))
		return (uint16_t)end_capacity(end);
	return is_scarce(&place->pool) ? 1 : NCHAN_WINDOW_FIRST;
}

void account_lend(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	uint16_t first = first_window(place, end);

	if (account->window)
		return;
	if ((is_scarce(&place->pool) && queue_has_orphan(place, end)) ||
		!nchan_pool_promise(&place->pool, first)) {
		account->dues |= DUE_CREDIT;
		return;
	}
	account->window = first;
	if (account->place == place->self) {
		account->out = first;
		account->dues &= (uint8_t)~DUE_CREDIT;
		place->events->writable(place->context, end);
		return;
	}
	account->owed = first;
	account->dues |= DUE_CREDIT;
}

/* A home that moves away says nothing: the new one will. */
void account_welcome(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	if (end->flags & END_MOVING)
		return;
	if (!(end->flags & END_BROKEN))
		account_lend(place, end, account);
	else if (account->place != place->self)
		account->dues |= DUE_BROKEN;
}

void account_add_end(struct nchan_place *place, struct nchan_end *end, unsigned writer)
{
	struct account *account = account_open(place, end, writer);

	if (!account) {
		place->faults++;
		return;
	}
	account->balance++;
	if (account->balance > 0) /* its CLOSE may have come before */
		account_welcome(place, end, account);
	accounts_owe(place, end);
}

/* By how much; 0: not at all. A capacity was counted for when the end was given. */
static unsigned growth(
	const struct nchan_place *place, const struct nchan_end *end, const struct account *account)
{
	const struct nchan_pool *pool = &place->pool;
	/* The first growth goes to the usual window, later ones double it. */
	unsigned goal =
		account->window < NCHAN_WINDOW_FIRST ? NCHAN_WINDOW_FIRST : account->window * 2u;
	unsigned more = (goal > NCHAN_WINDOW_MAX ? NCHAN_WINDOW_MAX : goal) - account->window;

	if (end_capacity(end)) {
		more = end_capacity(end) - account->window;
		return nchan_pool_spare(pool) < more ? 0 : more;
	}
	/* Half of the pool is kept for new ends and their first credits. */
	return nchan_pool_spare(pool) < pool->capacity / 2 + more ? 0 : more;
}

bool account_may_grow(
	const struct nchan_place *place, const struct nchan_end *end, const struct account *account)
{
	return growth(place, end, account);
}

bool account_grow(struct nchan_place *place, const struct nchan_end *end, struct account *account)
{
	unsigned more = growth(place, end, account);

	if (!more)
		return false;
	nchan_pool_promise(&place->pool, more);
	account->window = (uint16_t)(account->window + more);
	account->owed = (uint16_t)(account->owed + more);
	return true;
}

void account_give_back(struct nchan_place *place, struct nchan_end *end, struct account *account)
{
	if (account->place == place->self) {
		account->out = (uint16_t)(account->out + account->owed);
		account->owed = 0;
		place->events->writable(place->context, end);
		return;
	}
	if (end->flags & (END_BROKEN | END_MOVING))
		return;
	account_grow(place, end, account);
	account->dues |= DUE_CREDIT;
	accounts_owe(place, end);
}
