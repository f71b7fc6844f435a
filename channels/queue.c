#include "channels/end_int.h"

struct waiting_line *queue_head(const struct nchan_place *place, const struct nchan_end *end)
{
	struct waiting_line *tail;

	if (!end->queue_tail)
		return NULL;
	tail = nchan_pool_at(&place->pool, end->queue_tail);
	return nchan_pool_at(&place->pool, tail->next);
}

void queue_add(struct nchan_place *place, struct nchan_end *end, uint32_t cell)
{
	struct waiting_line *line = nchan_pool_at(&place->pool, cell);

	if (end->queue_tail) {
		struct waiting_line *tail = nchan_pool_at(&place->pool, end->queue_tail);

		line->next = tail->next;
		tail->next = cell;
	} else {
		line->next = cell;
	}
	end->queue_tail = cell;
}

void queue_remove(struct nchan_place *place, struct nchan_end *end)
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

bool queue_has_orphan(const struct nchan_place *place, const struct nchan_end *end)
{
	uint32_t cell = end->queue_tail;

	if (!cell)
		return false;
	do {
		const struct waiting_line *line = nchan_pool_at(&place->pool, cell);

		if (line->place == LINE_OF_NOBODY)
			return true;
		cell = line->next;
	} while (cell != end->queue_tail);
	return false;
}

void queue_disown(struct nchan_place *place, struct nchan_end *end, unsigned writer)
{
	uint32_t cell = end->queue_tail;

	if (!cell)
		return;
	do {
		struct waiting_line *line = nchan_pool_at(&place->pool, cell);

		if (line->kind == NCHAN_DATA && line->place == writer)
			line->place = LINE_OF_NOBODY;
		cell = line->next;
	} while (cell != end->queue_tail);
}
