/*
 * Matrix Market coordinate files (NIST): a banner in any case, comments, a size line, one line an
 * entry:
 *
 *     %%MatrixMarket matrix coordinate pattern symmetric
 *     % comment
 *     rows columns entries
 *     row column [value]
 *
 * An entry is an edge from row to column; its value, which may be 0, is checked and dropped.
 * Symmetric and skew-symmetric files hold one triangle: each entry off the diagonal is an edge both
 * ways. Blank lines may stand anywhere.
 */
#include "apps/graph/load_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *const comment_marks[] = {"%", NULL};
static const char *const no_comments[] = {NULL};

struct matrix {
	int field_count; /* of an entry line */
	bool (*is_value)(const char *text);
	bool is_mirrored, has_diagonal;
	uint64_t entries; /* announced */
};

static int one_of(const char *text, const char *const words[])
{
	for (int i = 0; words[i]; i++) {
		if (strcasecmp(text, words[i]) == 0)
			return i;
	}
	return -1;
}

static int read_kind(struct loader *loader, char *field, char *symmetry, struct matrix *matrix)
{
	static const char *const fields[] = {"pattern", "integer", "real", NULL};
	static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
	int kind = one_of(field, fields), mirror = one_of(symmetry, symmetries);

	if (kind < 0)
		return loader_fail(loader,
			"values of kind '%.40s' are not supported: pattern, integer and real are",
			field);
	if (mirror < 0)
		return loader_fail(loader,
			"'%.40s' matrices are not supported: general, symmetric and skew-symmetric are",
			symmetry);
	matrix->field_count = kind == 0 ? 2 : 3;
	matrix->is_value = kind == 1 ? field_is_integer : field_is_number;
	matrix->is_mirrored = mirror > 0;
	matrix->has_diagonal = mirror < 2;
	return 0;
}

static int read_banner(struct loader *loader, struct matrix *matrix)
{
	char *text, *fields[FIELDS_MAX];
	int more = loader_next(loader, no_comments, &text);

	if (more < 0)
		return more;
	if (more == 0 || fields_split(text, fields) != 5 ||
		strcasecmp(fields[0], "%%MatrixMarket") != 0)
		return loader_fail(loader, "the first line is not a Matrix Market banner "
					   "(%%%%MatrixMarket matrix coordinate KIND SYMMETRY)");
	if (strcasecmp(fields[1], "matrix") != 0)
		return loader_fail(loader, "the object is '%.40s', not a matrix", fields[1]);
	if (strcasecmp(fields[2], "coordinate") != 0)
		return loader_fail(loader, "the layout is '%.40s'; a graph is in coordinate layout",
			fields[2]);
	return read_kind(loader, fields[3], fields[4], matrix);
}

static int read_size(struct loader *loader, struct matrix *matrix)
{
	char *text, *fields[FIELDS_MAX];
	uint64_t rows, columns;
	int more = loader_next(loader, comment_marks, &text);

	if (more < 0)
		return more;
	if (more == 0)
		return loader_fail(loader, "the file ends before its size line: it is truncated");
	if (fields_split(text, fields) != 3 || !field_unsigned(fields[0], &rows) ||
		!field_unsigned(fields[1], &columns) ||
		!field_unsigned(fields[2], &matrix->entries))
		return loader_fail(
			loader, "the size line is not three numbers (rows columns entries)");
	if (rows != columns)
		return loader_fail(loader,
			"the matrix is not square (%" PRIu64 " x %" PRIu64 "), so it is no graph",
			rows, columns);
	if (rows == 0 && matrix->entries > 0)
		return loader_fail(
			loader, "%" PRIu64 " entries in a matrix without rows", matrix->entries);
	return loader_announce(loader, 1, rows);
}

static int read_entry(struct loader *loader, const struct matrix *matrix, char *text)
{
	char *fields[FIELDS_MAX];
	int count = fields_split(text, fields), error;
	struct edge edge;

	if (count != matrix->field_count)
		return loader_fail(loader,
			"an entry of this file has %d fields (row column%s), this line has %s%d",
			matrix->field_count, matrix->field_count == 3 ? " value" : "",
			count > FIELDS_MAX ? "more than " : "",
			count > FIELDS_MAX ? FIELDS_MAX : count);
	if (count == 3 && !matrix->is_value(fields[2]))
		return loader_fail(loader,
			"the value '%.40s' is not of the kind that the banner announces",
			fields[2]);
	error = loader_edge(loader, fields[0], fields[1]);
	if (error || !matrix->is_mirrored)
		return error;
	edge = loader->edges->edge[loader->edges->count - 1];
	if (edge.from != edge.to)
		return edges_add(loader->edges, edge.to, edge.from, loader->problem);
	return matrix->has_diagonal
		       ? 0
		       : loader_fail(
				 loader, "a skew-symmetric matrix has no entries on its diagonal");
}

static int read_entries(struct loader *loader, const struct matrix *matrix)
{
	uint64_t entries = 0;
	char *text;
	int more, error = 0;

	while (!error && (more = loader_next(loader, comment_marks, &text)) != 0) {
		if (more < 0)
			return more;
		if (entries++ == matrix->entries)
			return loader_fail(loader,
				"more entries than the %" PRIu64 " that the size line announces",
				matrix->entries);
		error = read_entry(loader, matrix, text);
	}
	if (error || entries == matrix->entries)
		return error;
	return loader_fail(loader,
		"the file ends after %" PRIu64 " of the %" PRIu64 " entries that the size line "
		"announces: it is truncated",
		entries, matrix->entries);
}

int load_mtx(struct loader *loader)
{
	struct matrix matrix = {0};
	int error = read_banner(loader, &matrix);

	if (!error)
		error = read_size(loader, &matrix);
	if (!error)
		error = read_entries(loader, &matrix);
	return error;
}
