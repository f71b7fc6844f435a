/* Edge lists: `from to` a line, or `from to weight`. As SNAP, GAP and Ligra users write them. */
#include "apps/graph/load_int.h"

static const char *const comment_marks[] = {"#", "%", "//", NULL};

static int wrong_field_count(struct loader *loader, int count, int wanted)
{
	const char *plural = count == 1 ? "" : "s";

	if (count == 3 && wanted == 2)
		return loader_fail(loader,
			"3 fields, but a line of an edge list has 2 (from to); if the third is a "
			"weight, name the file .wel or say --format wel");
	if (count == 2 && wanted == 3)
		return loader_fail(loader,
			"the weight is missing: a line of a weighted edge list has 3 fields (from to "
			"weight)");
	if (count > FIELDS_MAX)
		return loader_fail(loader, "more than %d fields, but a line of an edge list has %d",
			FIELDS_MAX, wanted);
	return loader_fail(
		loader, "%d field%s, but a line of an edge list has %d", count, plural, wanted);
}

static int load_list(struct loader *loader, int wanted)
{
	char *text, *fields[FIELDS_MAX];
	int more, error = 0;

	while (!error && (more = loader_next(loader, comment_marks, &text)) != 0) {
		if (more < 0)
			return more;
		int count = fields_split(text, fields);

		if (count != wanted)
			error = wrong_field_count(loader, count, wanted);
		else if (wanted == 3 && !field_is_number(fields[2]))
			error = loader_fail(
				loader, "the weight '%.40s' is not a number", fields[2]);
		else
			error = loader_edge(loader, fields[0], fields[1]);
	}
	return error;
}

int load_el(struct loader *loader)
{
	return load_list(loader, 2);
}

int load_wel(struct loader *loader)
{
	return load_list(loader, 3);
}
