/*
 * model_claims.c - what must hold, and by what a state is known.
 */
#include "tests/channels/model_scene.h"

static unsigned count_lines(
	const struct nchan_place *place, const struct nchan_end *end, int writer)
{
	uint32_t cell = end->queue_tail;
	unsigned count = 0;

	if (!cell)
		return 0;
	do {
		const struct waiting_line *line = nchan_pool_at(&place->pool, cell);

		count += writer < 0 || (line->kind == NCHAN_DATA && line->place == writer);
		cell = line->next;
	} while (cell != end->queue_tail);
	return count;
}

static void check_pool(const struct nchan_place *place)
{
	struct nchan_end *end = end_at_place(place->self);
	uint32_t used = cells_taken, promised = 0;
	const struct account *account = end ? &end->first : NULL;

	if (end)
		used += 1 + count_lines(place, end, -1);
	for (; account; account = account_next(place, account)) {
		used += account != &end->first;
		if (account_reads(account))
			continue;
		promised += (uint32_t)account->out + account->owed;
		expect(!account->window || end->flags & END_BROKEN ||
				account->window == account->out + account->owed +
							   count_lines(place, end, account->place),
			"a window is what is out, owed and queued");
		expect(!end_capacity(end) || account->window <= end_capacity(end),
			"a window is no larger than the pipe's capacity");
	}
	expect(place->pool.used == used, "cells in use add up");
	expect(place->pool.promised == promised, "promises add up");
	expect(used + promised <= CELLS, "what is promised is there");
}

void check_state(void)
{
	for (unsigned i = 0; i < PLACES; i++) {
		expect(!scene.places[i].faults, "every line makes sense");
		check_pool(&scene.places[i]);
	}
}

/* No place can do anything; programs do not either. */
void check_rest(void)
{
	bool all_closed = !is_any_open(true) && !is_any_open(false);
	bool reader_waits = false, writer_waits = false, one_passes = false;

	for (unsigned i = 0; i < scene.handle_count; i++) {
		const struct handle *handle = &scene.handles[i];

		expect(handle->state != UNDER_WAY, "an end that was given arrives");
		if (handle->state == OPEN && handle->waits)
			*(handle->writes ? &writer_waits : &reader_waits) = true;
		one_passes |= is_passing_through(handle);
	}
	expect(!(reader_waits && writer_waits), "a writer does not wait for a reader that waits");
	expect(!reader_waits || is_any_open(true), "a reader that waits hears of the end");
	expect(!writer_waits || is_any_open(false), "a writer that waits hears of a broken pipe");
	expect(!all_closed || scene.forgotten, "the id is forgotten when all is closed");
	for (unsigned i = 0; i < PLACES; i++)
		expect(one_passes || !scene.places[i].owing_count, "what is owed is sent");
}

/* ---- what a state is known by ---------------------------------------------------------------- */

static uint64_t mixed;

static void mix(uint64_t value)
{
	mixed = (mixed ^ value) * 0x9e3779b97f4a7c15ull;
	mixed ^= mixed >> 29;
}

static void mix_end(const struct nchan_place *place, const struct nchan_end *end)
{
	const struct account *account = &end->first;
	uint32_t cell = end->queue_tail;

	mix((uint64_t)end->readers << 48 | (uint64_t)end->writers << 32 | end->given);
	mix((uint64_t)end->next_owing_accounts << 32 | end->pipe);
	mix((uint64_t)end->opened << 32 | (uint64_t)end->credit << 16 | end->home);
	mix((uint64_t)end->flags << 16 | (uint64_t)end->lent_to << 8 | end->dues);
	for (; account; account = account_next(place, account)) {
		mix((uint64_t)(uint32_t)account->balance << 32 | account->place << 8 |
			account->dues);
		mix((uint64_t)account->out << 32 | (uint64_t)account->owed << 16 | account->window);
	}
	for (bool more = cell != 0; more; more = cell != end->queue_tail) {
		const struct waiting_line *line = nchan_pool_at(&place->pool, cell);

		mix((uint64_t)line->kind << 24 | (uint64_t)line->length << 16 | line->place);
		mix(line->kind == NCHAN_DATA ? line->word[0] & 0xff : line->word[0]);
		cell = line->next;
	}
}

static void mix_fifo(unsigned from, unsigned to)
{
	for (uint64_t i = scene.links[to][from].rx.next; i != scene.links[from][to].tx.tail; i++) {
		const struct nchan_line *line = &fifos[from][to].slot[i % NCHAN_FIFO_LINES];
		unsigned kind = nchan_head_kind(line->head);

		mix(line->head >> 1);
		if (kind == NCHAN_DATA)
			mix(line->word[0] & 0xff);
		else if (kind == NCHAN_ATTACH || kind == NCHAN_CLOSE || kind == NCHAN_RELEASE ||
			 kind == NCHAN_SPAWN || kind == NCHAN_WANT || kind == NCHAN_TAKEN ||
			 kind == NCHAN_ATTACHED)
			mix(line->word[0]);
		if (kind == NCHAN_SPAWN)
			mix(line->word[1]);
	}
	mix(scene.links[from][to].owing_head != 0);
}

uint64_t hash_scene(void)
{
	mixed = scene.handle_count;
	for (unsigned from = 0; from < PLACES; from++) {
		const struct nchan_end *end = end_at_place(from);

		mix(end != NULL);
		if (end)
			mix_end(&scene.places[from], end);
		for (unsigned to = 0; to < PLACES; to++)
			if (to != from)
				mix_fifo(from, to);
	}
	for (unsigned i = 0; i < scene.handle_count; i++) {
		const struct handle *handle = &scene.handles[i];

		mix((uint64_t)handle->state << 32 | handle->place << 24 | handle->waits << 16 |
			handle->count << 8 | handle->read << 4 | handle->gave_up);
	}
	mix((uint64_t)scene.passes << 16 | scene.writes << 8 | scene.forgotten);
	return mixed ? mixed : 1;
}
