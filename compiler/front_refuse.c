#include <stdlib.h>
#include <string.h>

#include "compiler/front_refuse.h"
#include "compiler/nprocc.h"

/*
 * Files in the order of their names, since a header has no one place in the source that includes
 * it.
 */
static int compare_places(const struct place *a, const struct place *b)
{
	int files = strcmp(a->file, b->file);
	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

static int by_place(const void *left, const void *right)
{
	const struct remark *a = &((const struct refusal *)left)->reason;
	const struct remark *b = &((const struct refusal *)right)->reason;
	int places = compare_places(&a->place, &b->place);
	return places ? places : strcmp(a->text, b->text);
}

void front_refuse(struct refusals *refusals, const struct refusal *refusal)
{
	for (size_t i = 0; i < refusals->count; i++) {
		if (!by_place(&refusals->items[i], refusal))
			return;
	}
	refusals->items = pool_grow(refusals->items, refusals->count, sizeof *refusals->items);
	refusals->items[refusals->count++] = *refusal;
}

void front_refuse_once(struct refusals *refusals, const struct refusal *refusal)
{
	for (size_t i = 0; i < refusals->count; i++) {
		if (!compare_places(&refusals->items[i].reason.place, &refusal->reason.place))
			return;
	}
	front_refuse(refusals, refusal);
}

static void report(const struct refusal *refusal)
{
	const struct place *place = &refusal->reason.place;
	diag_error(place->file, place->line, place->column, refusal->reason.text, refusal->rewrite);
	for (size_t i = 0; i < RELATED_MAX && refusal->related[i].text; i++) {
		place = &refusal->related[i].place;
		diag_note(place->file, place->line, place->column, refusal->related[i].text);
	}
	if (refusal->context)
		diag_note(NULL, 0, 0, refusal->context);
}

size_t front_report(struct refusals *refusals)
{
	if (refusals->count)
		qsort(refusals->items, refusals->count, sizeof *refusals->items, by_place);
	for (size_t i = 0; i < refusals->count; i++)
		report(&refusals->items[i]);
	return refusals->count;
}
