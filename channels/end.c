/* end.c - the life of an end: made, adopted, closed, forgotten. */
#include "channels/end_int.h"

uint32_t end_cell(const struct nchan_place *place, const struct nchan_end *end)
{
	return (uint32_t)((const struct nchan_cell *)(const void *)end - place->pool.cells);
}

struct nchan_end *end_at(const struct nchan_place *place, uint32_t cell)
{
	return cell ? nchan_pool_at(&place->pool, cell) : NULL;
}

struct nchan_end *nchan_find(const struct nchan_place *place, uint32_t pipe)
{
	return pipe && pipe <= place->pipes_max ? end_at(place, place->ends[pipe]) : NULL;
}

struct nchan_end *end_open(struct nchan_place *place, uint32_t pipe)
{
	struct nchan_end *end = nchan_find(place, pipe);
	uint32_t cell;

	if (end || !pipe || pipe > place->pipes_max)
		return end;
	cell = nchan_pool_take(&place->pool);
	if (!cell)
		return NULL;
	place->ends[pipe] = cell;
	end = end_at(place, cell);
	*end = (struct nchan_end){.pipe = pipe, .home = NCHAN_HOST};
	return end;
}

void end_free(struct nchan_place *place, struct nchan_end *end)
{
	if (nchan_unlikely(end->mode & NCHAN_CALLS))
		call_close(place, end);
	place->ends[end->pipe] = 0;
	nchan_pool_put(&place->pool, end_cell(place, end));
}

bool end_has_no_writer(const struct nchan_place *place, const struct nchan_end *end)
{
	const struct account *account = &end->first;

	for (; account; account = account_next(place, account))
		if (account->balance && !account_reads(account))
			return false;
	return true;
}

/* Somebody may still ask this place about the pipe. */
bool end_is_needed(const struct nchan_place *place, struct nchan_end *end)
{
	return end->readers || end->writers || end->opened || end->queue_tail ||
	       end->flags & (END_CLOSING | END_MOVING | END_EXPECTED | END_NAMING) ||
	       borrow_is_known(end) || account_first(place, end);
}

/* It is needed, or somebody has to be told something by it. */
static bool is_kept(const struct nchan_place *place, struct nchan_end *end)
{
	bool known_elsewhere = end->pipe && (place->self == NCHAN_HOST) == (end->given != 0);

	return end_is_needed(place, end) || end->dues ||
	       end->flags & (END_LISTED | END_ACCOUNTS_LISTED) || known_elsewhere;
}

void end_retire(struct nchan_place *place, struct nchan_end *end)
{
	uint32_t pipe = end->pipe;

	if (is_kept(place, end))
		return;
	if (place->self != NCHAN_HOST && pipe) {
		end_owe(place, end, DUE_RELEASE);
		return;
	}
	end_free(place, end);
	if (pipe)
		place->events->forgotten(place->context, pipe);
}

/* Its only places, home and writer, are this one. False: no memory for its first line. */
static bool begin_here(struct nchan_place *place, struct nchan_end *end)
{
	end->flags = END_HOME;
	end->readers = 1;
	end->writers = 1;
	end->opened = 1;
	end->first.place = (uint8_t)place->self;
	end->first.balance = 1;
	account_lend(place, end, &end->first);
	return end->first.window != 0;
}

struct nchan_end *nchan_create(struct nchan_place *place, uint32_t name)
{
	uint32_t pipe = name & NCHAN_PIPE_MAX;
	struct nchan_end *end = nchan_find(place, pipe) ? NULL : end_open(place, pipe);

	if (!end)
		return NULL;
	end->mode = (uint8_t)(name >> NCHAN_MODE_SHIFT);
	if (begin_here(place, end))
		return end;
	end_free(place, end);
	return NULL;
}

struct nchan_end *nchan_create_here(struct nchan_place *place)
{
	const struct nchan_pool *pool = &place->pool;
	bool has_room = nchan_pool_spare(pool) >= pool->capacity / 2 + 2;
	uint32_t cell = has_room ? nchan_pool_take(&place->pool) : 0;
	struct nchan_end *end = end_at(place, cell);

	if (!end)
		return NULL;
	*end = (struct nchan_end){.home = (uint8_t)place->self};
	if (begin_here(place, end))
		return end;
	nchan_pool_put(&place->pool, cell);
	return NULL;
}

void nchan_dup(struct nchan_end *end, bool writes)
{
	if (writes)
		end->writers++;
	else
		end->readers++;
}

/*
 * The first reading end makes this core the pipe's home. The host has one credit without being
 * told.
 */
static bool become_home(struct nchan_place *place, struct nchan_end *end)
{
	struct account *host = account_open(place, end, NCHAN_HOST);

	if (!host)
		return false;
	if (!nchan_pool_promise(&place->pool, 1)) {
		account_close(place, end, host);
		return false;
	}
	end->flags |= END_HOME;
	host->balance = 1;
	host->window = 1;
	host->out = 1;
	if (account_grow(place, end, host)) {
		host->dues |= DUE_CREDIT;
		accounts_owe(place, end);
	}
	return true;
}

/* Calls are answered by one end, and only the host asks. */
static bool may_adopt(struct nchan_place *place, struct nchan_end *end, bool writes)
{
	if (nchan_unlikely(end->mode & NCHAN_CALLS) && (writes || !call_open(place, end)))
		return false;
	if (writes || end->flags & END_HOME)
		return true;
	return !(end->flags & END_BORROWS) && become_home(place, end);
}

/* A pipe has one mode as long as it is open anywhere. */
bool end_has_mode(const struct nchan_end *end, uint32_t name)
{
	return !end->given || end->mode == (uint8_t)(name >> NCHAN_MODE_SHIFT);
}

/* The end stays if its home has spoken to it before. */
static void undo_adoption(struct nchan_place *place, struct nchan_end *end, bool is_new)
{
	if (end->given)
		return;
	if (end->mode & NCHAN_CALLS)
		call_close(place, end);
	end->mode = 0;
	if (is_new)
		end_free(place, end);
}

struct nchan_end *nchan_adopt(struct nchan_place *place, uint32_t name, bool writes)
{
	bool is_new = !nchan_find(place, name & NCHAN_PIPE_MAX);
	struct nchan_end *end = end_open(place, name & NCHAN_PIPE_MAX);

	if (!end || !end_has_mode(end, name))
		return NULL;
	end->mode = (uint8_t)(name >> NCHAN_MODE_SHIFT);
	if (!may_adopt(place, end, writes)) {
		undo_adoption(place, end, is_new);
		return NULL;
	}
	end->given++;
	end->opened += writes;
	if (writes)
		end->flags &= (uint16_t)~END_EXPECTED;
	nchan_dup(end, writes);
	return end;
}

void end_break(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account;

	end->flags |= END_BROKEN;
	while (end->queue_tail)
		queue_remove(place, end);
	for (account = account_first(place, end); account; account = account_next(place, account))
		if (account->place != place->self && account->balance > 0 &&
			!account_reads(account))
			account->dues |= DUE_BROKEN;
	place->events->writable(place->context, end);
	accounts_owe(place, end);
}

void nchan_drop_reader(struct nchan_place *place, struct nchan_end *end)
{
	end->readers--;
	if (nchan_unlikely(place->self == NCHAN_HOST && end_is_away(end))) {
		move_forward(place, end, NCHAN_CLOSE, NCHAN_HOST | NCHAN_READS, 1);
		return;
	}
	if (end->readers)
		return;
	if (nchan_unlikely(end->mode & NCHAN_CALLS) && place->self != NCHAN_HOST)
		call_close(place, end);
	if (end->flags & END_BORROWS)
		end_owe(place, end, DUE_CLOSE_READER);
	else if (!end_is_read_elsewhere(place, end))
		end_break(place, end);
}

/* The last writing end at the home itself is closed. Its ATTACH may still be on its way. */
static void close_local_writer(struct nchan_place *place, struct nchan_end *end)
{
	struct account *account = account_open(place, end, place->self);

	if (account) {
		account->balance -= (int32_t)end->opened;
		account_void(place, end, account);
		account_close(place, end, account);
	} else {
		place->faults++;
	}
	end->opened = 0;
	if (end_has_no_writer(place, end))
		end_offer(place, end);
}

void end_close_writers(struct nchan_place *place, struct nchan_end *end)
{
	if (end->home != place->self) {
		end_owe(place, end, DUE_CLOSE);
		return;
	}
	close_local_writer(place, end);
	end_retire(place, end);
}

void nchan_drop_writer(struct nchan_place *place, struct nchan_end *end)
{
	if (--end->writers)
		return;
	if (end->home == place->self || !(end->flags & (END_CLOSING | END_MOVING)))
		end_close_writers(place, end);
}

uint32_t *nchan_read_waiter(struct nchan_end *end)
{
	return &end->read_waiter;
}

uint32_t *nchan_write_waiter(struct nchan_end *end)
{
	return &end->write_waiter;
}

uint32_t nchan_pipe_of(const struct nchan_end *end)
{
	return end->pipe;
}

unsigned nchan_home_of(const struct nchan_end *end)
{
	return end->home;
}

uint32_t nchan_name_of(const struct nchan_end *end)
{
	return end->pipe | (uint32_t)end->mode << NCHAN_MODE_SHIFT;
}

bool nchan_is_borrowed(const struct nchan_end *end)
{
	return end->flags & END_BORROWS;
}

bool nchan_is_of_packets(const struct nchan_end *end)
{
	return end->mode & (NCHAN_PACKETS | NCHAN_CALLS);
}

bool nchan_is_of_calls(const struct nchan_end *end)
{
	return end->mode & NCHAN_CALLS;
}

uint32_t nchan_end_id(const struct nchan_place *place, const struct nchan_end *end)
{
	return end_cell(place, end);
}

struct nchan_end *nchan_end_by_id(const struct nchan_place *place, uint32_t id)
{
	return end_at(place, id);
}
