#include "channels/end_int.h"

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
