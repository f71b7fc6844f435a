/*
 * DIMACS shortest-path files (9th challenge), as road networks come:
 *
 *     c comment
 *     p sp VERTICES ARCS
 *     a FROM TO WEIGHT
 */
#include "apps/graph/load_int.h"

#include <inttypes.h>
#include <string.h>

/* A bare "c" is a comment, too; read_line() sees to it. */
static const char *const comment_marks[] = {"c ", "c\t", NULL};

struct announced {
	bool is_there;
	uint64_t arcs;
};

static int read_problem_line(
	struct loader *loader, char *fields[], int count, struct announced *announced)
{
	uint64_t vertices;

	if (announced->is_there)
		return loader_fail(loader, "a second problem line");
	if (count != 4 || strcmp(fields[1], "sp") != 0 || !field_unsigned(fields[2], &vertices) ||
		!field_unsigned(fields[3], &announced->arcs))
		return loader_fail(
			loader, "the problem line is not of the form: p sp VERTICES ARCS");
	if (vertices == 0 && announced->arcs > 0)
		return loader_fail(
			loader, "%" PRIu64 " arcs in a graph without vertices", announced->arcs);
	announced->is_there = true;
	return loader_announce(loader, 1, vertices);
}

static int read_arc(struct loader *loader, char *fields[], int count,
	const struct announced *announced, uint64_t arcs)
{
	if (!announced->is_there)
		return loader_fail(loader, "an arc before the problem line (p sp VERTICES ARCS)");
	if (count != 4)
		return loader_fail(loader, "an arc line has 4 fields (a FROM TO WEIGHT)");
	if (arcs == announced->arcs)
		return loader_fail(loader,
			"more arcs than the %" PRIu64 " that the problem line announces", arcs);
	if (!field_is_number(fields[3]))
		return loader_fail(loader, "the weight '%.40s' is not a number", fields[3]);
	return loader_edge(loader, fields[1], fields[2]);
}

static int read_line(struct loader *loader, char *text, struct announced *announced)
{
	char *fields[FIELDS_MAX];
	int count = fields_split(text, fields);

	if (strcmp(fields[0], "c") == 0)
		return 0;
	if (strcmp(fields[0], "p") == 0)
		return read_problem_line(loader, fields, count, announced);
	if (strcmp(fields[0], "a") == 0)
		return read_arc(loader, fields, count, announced, loader->edges->count);
	return loader_fail(loader, "a line begins with c, p or a, not with '%.40s'", fields[0]);
}

int load_gr(struct loader *loader)
{
	struct announced announced = {0};
	char *text;
	int more, error = 0;

	while (!error && (more = loader_next(loader, comment_marks, &text)) != 0) {
		if (more < 0)
			return more;
		error = read_line(loader, text, &announced);
	}
	if (error)
		return error;
	if (!announced.is_there)
		return loader_fail(loader, "the file has no problem line (p sp VERTICES ARCS)");
	if (loader->edges->count != announced.arcs)
		return loader_fail(loader,
			"the file ends after %" PRIu64 " of the %" PRIu64
			" arcs that the problem line "
			"announces: it is truncated",
			loader->edges->count, announced.arcs);
	return 0;
}
