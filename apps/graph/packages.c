/*
 * Two passes. While reading, every name gets a number, packages and virtual ones alike, because a
 * name may be mentioned long before it is known which it is; relations and provisions are noted as
 * pairs of such numbers. Then the pairs become edges between packages.
 */
#include "apps/graph/packages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/graph/progress.h"

enum field {
	FIELD_OTHER,
	FIELD_PACKAGE,
	FIELD_RELATION,
	FIELD_PROVIDES
};

struct reader {
	struct lines *lines;
	struct problem *problem;
	struct intern *names;
	struct edges relations; /* package, name */
	struct edges provides;  /* virtual name, package */
	struct edges packages;  /* package, package: one for each stanza, in order */
	uint32_t package;       /* of this stanza, NO_VERTEX before it is known */
	enum field field;  /* that the current line, or the one that it continues, belongs to */
	bool expects_name; /* within a relation: at the begin of an alternative */
	char until;        /* within a relation: skipping up to this bracket, or 0 */
};

static int fail(struct reader *reader, const char *text)
{
	return problem_set(reader->problem, -EINVAL, "%s:%" PRIu64 ": %s", reader->lines->path,
		reader->lines->number, text);
}

static int number_of(struct reader *reader, const char *name, size_t nbytes, uint32_t *number)
{
	int error = intern_add(reader->names, name, nbytes, number);

	return error ? problem_set(reader->problem, error, "package names: %s", strerror(-error))
		     : 0;
}

static int note_relation(struct reader *reader, const char *name, size_t nbytes)
{
	uint32_t number;
	int error = number_of(reader, name, nbytes, &number);

	if (error)
		return error;
	if (reader->field == FIELD_PROVIDES)
		return edges_add(&reader->provides, number, reader->package, reader->problem);
	return edges_add(&reader->relations, reader->package, number, reader->problem);
}

/*
 * Notes the names of `a (>= 1) | b:any [arch] <profile>, c`; may stop and go on anywhere between
 * two names, since fields may be folded into several lines.
 */
static int scan_relations(struct reader *reader, const char *text)
{
	int error = 0;

	while (*text && !error) {
		size_t nbytes = strcspn(text, " \t,|([<:");

		if (reader->until) {
			if (*text++ == reader->until)
				reader->until = 0;
		} else if (nbytes > 0) {
			if (reader->expects_name)
				error = note_relation(reader, text, nbytes);
			reader->expects_name = false;
			text += nbytes;
		} else {
			reader->expects_name |= *text == ',' || *text == '|';
			reader->until = *text == '('   ? ')'
					: *text == '[' ? ']'
					: *text == '<' ? '>'
						       : 0;
			text++;
		}
	}
	return error;
}

static int begin_package(struct reader *reader, const char *text)
{
	size_t nbytes;
	int error;

	text += strspn(text, " \t");
	nbytes = strcspn(text, " \t");
	if (nbytes == 0 || nbytes >= LABEL_BYTES)
		return fail(reader, "not a package name");
	error = number_of(reader, text, nbytes, &reader->package);
	return error ? error
		     : edges_add(&reader->packages, reader->package, reader->package,
			       reader->problem);
}

static enum field field_of(const char *line, size_t nbytes)
{
	static const struct {
		const char *name;
		enum field field;
	} fields[] = {
		{"Package", FIELD_PACKAGE},
		{"Depends", FIELD_RELATION},
		{"Pre-Depends", FIELD_RELATION},
		{"Recommends", FIELD_RELATION},
		{"Suggests", FIELD_RELATION},
		{"Provides", FIELD_PROVIDES},
	};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strlen(fields[i].name) == nbytes && strncmp(line, fields[i].name, nbytes) == 0)
			return fields[i].field;
	}
	return FIELD_OTHER;
}

/*
 * The line's text, past the field's name where the line begins a field. NULL: the line is
 * malformed.
 */
static char *text_of_field(struct reader *reader, char *line)
{
	char *colon;

	if (*line == ' ' || *line == '\t')
		return line;
	colon = strchr(line, ':');
	if (!colon)
		return NULL;
	reader->field = field_of(line, (size_t)(colon - line));
	reader->expects_name = true;
	reader->until = 0;
	return colon + 1;
}

static int read_line(struct reader *reader, char *line)
{
	char *text;

	if (!*line) {
		reader->package = NO_VERTEX;
		reader->field = FIELD_OTHER;
		return 0;
	}
	text = text_of_field(reader, line);
	if (!text)
		return fail(reader, "not of the form `Field: text`");
	if (reader->field == FIELD_OTHER)
		return 0;
	if (reader->lines->is_cut)
		return fail(reader, "the line is too long");
	if (reader->field == FIELD_PACKAGE)
		return begin_package(reader, text);
	if (reader->package == NO_VERTEX)
		return fail(reader, "a stanza does not begin with its Package");
	return scan_relations(reader, text);
}

static int read_stanzas(struct reader *reader)
{
	char *line;
	int more, error = 0;

	reader->package = NO_VERTEX;
	while (!error && (more = lines_next(reader->lines, &line, reader->problem)) != 0) {
		if (more < 0)
			return more;
		error = read_line(reader, line);
		if (reader->lines->number % (1 << 18) == 0)
			progress("reading %s: %" PRIu64 " packages", reader->lines->path,
				reader->packages.count);
	}
	return error;
}

/*
 * Packages become vertices in the order of their first stanzas: vertex_of[name], NO_VERTEX for
 * other names.
 */
static int number_packages(struct reader *reader, struct edges *edges, uint32_t *vertex_of)
{
	edges->labels.names = intern_create();
	if (!edges->labels.names)
		return problem_no_memory(reader->problem, "package names", 0);
	for (uint64_t i = 0; i < reader->packages.count; i++) {
		uint32_t name = reader->packages.edge[i].from;
		const char *text = intern_key(reader->names, name);
		int error = intern_add(edges->labels.names, text, strlen(text), &vertex_of[name]);

		if (error)
			return problem_no_memory(reader->problem, "package names", 0);
	}
	edges->vertex_count = intern_count(edges->labels.names);
	return 0;
}

static int by_from(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* Where the provisions of a name begin, given that they are sorted. */
static uint64_t first_provision(const struct edges *provides, uint32_t name)
{
	uint64_t low = 0, high = provides->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (provides->edge[middle].from < name)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_relation(struct reader *reader, struct edge relation, const uint32_t *vertex_of,
	struct edges *edges, uint64_t *unknown_count)
{
	const struct edges *provides = &reader->provides;
	uint32_t from = vertex_of[relation.from], to = vertex_of[relation.to];
	uint64_t first = first_provision(provides, relation.to), i = first;
	int error = 0;

	if (to != NO_VERTEX)
		return edges_add(edges, from, to, reader->problem);
	for (; i < provides->count && provides->edge[i].from == relation.to && !error; i++)
		error = edges_add(edges, from, vertex_of[provides->edge[i].to], reader->problem);
	*unknown_count += i == first;
	return error;
}

static int connect(struct reader *reader, struct edges *edges, uint64_t *unknown_count)
{
	uint64_t names = intern_count(reader->names);
	uint32_t *vertex_of = malloc((names + 1) * sizeof *vertex_of);
	int error;

	if (!vertex_of)
		return problem_no_memory(
			reader->problem, "package names", names * sizeof *vertex_of);
	memset(vertex_of, 0xff, (names + 1) * sizeof *vertex_of);
	error = number_packages(reader, edges, vertex_of);
	if (reader->provides.count)
		qsort(reader->provides.edge, reader->provides.count, sizeof *reader->provides.edge,
			by_from);
	for (uint64_t i = 0; i < reader->relations.count && !error; i++)
		error = add_relation(
			reader, reader->relations.edge[i], vertex_of, edges, unknown_count);
	free(vertex_of);
	return error;
}

int packages_read(
	struct lines *lines, struct edges *edges, uint64_t *unknown_count, struct problem *problem)
{
	struct reader reader = {.lines = lines, .problem = problem, .names = intern_create()};
	int error = reader.names ? read_stanzas(&reader)
				 : problem_no_memory(problem, "package names", 0);

	*unknown_count = 0;
	edges->is_simple = true;
	if (!error)
		error = connect(&reader, edges, unknown_count);
	edges_close(&reader.relations);
	edges_close(&reader.provides);
	edges_close(&reader.packages);
	intern_destroy(reader.names);
	return error;
}
