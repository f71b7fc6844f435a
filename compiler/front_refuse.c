#include <stdlib.h>
#include <string.h>

#include "compiler/front_refuse.h"
#include "compiler/front_text.h"
#include "compiler/nprocc.h"

static bool same_place(const struct refusal *a, const struct refusal *b)
{
	return a->place.offset == b->place.offset && !strcmp(a->file, b->file);
}

void front_refuse(struct refusals *refusals, CXCursor at, const char *reason, const char *rewrite,
	const char *context, CXCursor declared)
{
	struct place place = front_place_of(at);
	const char *file = place.file ? front_take(clang_getFileName(place.file)) : "";
	struct refusal refusal = {file, place, reason, rewrite, context, declared};
	for (size_t i = 0; i < refusals->count; i++) {
		const struct refusal *other = &refusals->items[i];
		if (same_place(other, &refusal) && !strcmp(other->reason, reason))
			return;
	}
	refusals->items = pool_grow(refusals->items, refusals->count, sizeof *refusals->items);
	refusals->items[refusals->count++] = refusal;
}

/* Files in the order of their names, since a header has no one place in the source that includes it. */
static int by_place(const void *left, const void *right)
{
	const struct refusal *a = left, *b = right;
	int files = strcmp(a->file, b->file);
	if (files)
		return files;
	if (a->place.offset != b->place.offset)
		return a->place.offset < b->place.offset ? -1 : 1;
	return strcmp(a->reason, b->reason);
}

static void report(const struct refusal *refusal)
{
	diag_error(refusal->file, refusal->place.line, refusal->place.column, refusal->reason,
		refusal->rewrite);
	if (!clang_Cursor_isNull(refusal->declared)) {
		struct place place = front_place_of(refusal->declared);
		const char *file = place.file ? front_take(clang_getFileName(place.file)) : NULL;
		diag_note(file, place.line, place.column,
			pool_format("'%s' is declared here", front_name(refusal->declared)));
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
