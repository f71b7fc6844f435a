/*
 * name.c - a pipe that was made at a core gets an id of the host, so that its ends can go to
 * others.
 *
 *   NAME  from the core: the short name of an end; its answer: the same, and the pipe's id in the
 *         head, or 0: the host has none
 *
 * One question of a core is unanswered at most. The host counts the pipe as given to that core,
 * which is its home and stays it.
 */
#include "channels/end_int.h"

int nchan_ask_name(struct nchan_place *place, struct nchan_end *end)
{
	uint64_t cell = end_cell(place, end);

	if (end->flags & END_NAMELESS) {
		end->flags &= (uint16_t)~END_NAMELESS;
		return -NCHAN_ENOMEM;
	}
	if (place->naming)
		return -NCHAN_EBUSY;
	if (!nchan_place_room(place, NCHAN_HOST)) {
		nchan_tx_ask(&place->links[NCHAN_HOST].tx);
		return -NCHAN_EBUSY;
	}
	place->naming = (uint32_t)cell;
	end->flags |= END_NAMING;
	end_send_count(place, NCHAN_HOST, NCHAN_NAME, 0, 0, cell);
	return -NCHAN_EBUSY;
}

bool nchan_take_name(struct nchan_place *place, const struct nchan_line *line)
{
	uint32_t pipe = nchan_head_pipe(line->head);
	struct nchan_end *end = end_at(place, place->naming);

	if (!end || line->word[0] != place->naming || pipe > place->pipes_max || place->ends[pipe])
		return false;
	place->naming = 0;
	end->flags &= (uint16_t)~END_NAMING;
	end->flags |= pipe ? 0 : END_NAMELESS;
	end->pipe = pipe;
	end->given = pipe != 0;
	place->ends[pipe] = pipe ? end_cell(place, end) : 0;
	end_retire(place, end);
	return true;
}

bool nchan_create_away(struct nchan_place *place, uint32_t pipe, unsigned home)
{
	struct nchan_end *end = nchan_find(place, pipe) ? NULL : end_open(place, pipe);

	if (!end)
		return false;
	end->home = (uint8_t)home;
	end->given = 1;
	return true;
}
