/* queue.c - what is seldom done with the lines that wait in a pipe. */
#include "channels/end_int.h"

void queue_add_first(struct nchan_place *place, struct nchan_end *end, uint32_t cell)
{
	struct waiting_line *line = nchan_pool_at(&place->pool, cell);
	struct waiting_line *before = nchan_pool_at(&place->pool, end->queue_tail);
	const struct waiting_line *tail = before, *next;

	if (!end->queue_tail) {
		queue_add(place, end, cell);
		return;
	}
	do {
		next = nchan_pool_at(&place->pool, before->next);
		if (next->kind == NCHAN_DATA || !(next->place & NCHAN_READS)) {
			line->next = before->next;
			before->next = cell;
			return;
		}
		before = nchan_pool_at(&place->pool, before->next);
	} while (before != tail);
	queue_add(place, end, cell);
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
