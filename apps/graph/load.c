#include "apps/graph/load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "apps/graph/load_int.h"
#include "apps/graph/progress.h"

static const struct {
	const char *name;
	const char *endings[2];
	int (*load)(struct loader *);
} formats[LOAD_FORMAT_COUNT] = {
	[LOAD_EL] = {"el", {".el", ".txt"}, load_el},
	[LOAD_WEL] = {"wel", {".wel"}, load_wel},
	[LOAD_MTX] = {"mtx", {".mtx"}, load_mtx},
	[LOAD_GR] = {"gr", {".gr"}, load_gr},
};

int load_format_named(const char *name, enum load_format *format, struct problem *problem)
{
	for (int i = 0; i < LOAD_FORMAT_COUNT; i++) {
		if (strcmp(name, formats[i].name) == 0) {
			*format = (enum load_format)i;
			return 0;
		}
	}
	return problem_set(
		problem, -EINVAL, "format '%s' is not known; there are el, wel, mtx and gr", name);
}

static bool ends_in(const char *path, size_t length, const char *ending)
{
	size_t nbytes = ending ? strlen(ending) : SIZE_MAX;

	return nbytes <= length && strncasecmp(path + length - nbytes, ending, nbytes) == 0;
}

int load_format_of(const char *path, enum load_format *format, struct problem *problem)
{
	size_t length = strlen(path);

	if (ends_in(path, length, ".gz"))
		length -= strlen(".gz");
	for (int i = 0; i < LOAD_FORMAT_COUNT; i++) {
		if (ends_in(path, length, formats[i].endings[0]) ||
			ends_in(path, length, formats[i].endings[1])) {
			*format = (enum load_format)i;
			return 0;
		}
	}
	return problem_set(problem, -EINVAL,
		"%s: the name does not say the format: it ends in none of .el .txt .wel .mtx .gr (or with .gz); "
		"say --format FORMAT",
		path);
}

int load_file(const char *path, enum load_format format, bool compact_ids, struct edges *edges,
	struct problem *problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return problem_set(problem, -errno, "%s: cannot open: %s", path, strerror(errno));
	return load_fd(fd, path, format, compact_ids, edges, problem);
}

int load_fd(int fd, const char *path, enum load_format format, bool compact_ids,
	struct edges *edges, struct problem *problem)
{
	struct loader loader = {.edges = edges, .problem = problem, .compact_ids = compact_ids};
	int error = lines_open(&loader.lines, fd, path, problem);

	if (error)
		return error;
	if (compact_ids)
		edges->labels.ids = intern_create();
	if (compact_ids && !edges->labels.ids)
		error = problem_no_memory(problem, "ids", 0);
	else
		error = formats[format].load(&loader);
	lines_close(&loader.lines);
	return error;
}

int loader_fail(struct loader *loader, const char *format, ...)
{
	char text[sizeof loader->problem->text / 2];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (loader->lines.number == 0) /* of the whole file */
		return problem_set(loader->problem, -EINVAL, "%s: %s", loader->lines.path, text);
	return problem_set(loader->problem, -EINVAL, "%s:%" PRIu64 ": %s", loader->lines.path,
		loader->lines.number, text);
}

static bool is_comment(const char *text, const char *const comment_marks[])
{
	for (; *comment_marks; comment_marks++) {
		if (strncmp(text, *comment_marks, strlen(*comment_marks)) == 0)
			return true;
	}
	return false;
}

int loader_next(struct loader *loader, const char *const comment_marks[], char **text)
{
	int more;

	while ((more = lines_next(&loader->lines, text, loader->problem)) > 0) {
		if (loader->lines.number % (1 << 20) == 0)
			progress("reading %s: %" PRIu64 " lines", loader->lines.path,
				loader->lines.number);
		*text += strspn(*text, FIELD_BLANKS);
		if (is_comment(*text, comment_marks))
			continue;
		if (loader->lines.is_cut)
			return loader_fail(loader, "the line is longer than %d bytes", LINES_MAX);
		if (**text)
			return 1;
	}
	return more;
}

int loader_announce(struct loader *loader, uint64_t first_id, uint64_t id_count)
{
	loader->first_id = first_id;
	loader->id_count = id_count;
	if (loader->compact_ids)
		return 0;
	if (id_count > VERTICES_MAX)
		return loader_fail(loader, "%" PRIu64 " vertices are too many: at most %" PRIu64,
			id_count, VERTICES_MAX);
	loader->edges->labels.first = first_id;
	loader->edges->vertex_count = id_count;
	return 0;
}

/* Text to an id that the file may use. */
static int parse_id(struct loader *loader, const char *text, uint64_t *id)
{
	bool is_number = field_unsigned(text, id);

	if (!is_number && (!field_is_integer(text) || *text == '-' || *text == '+'))
		return loader_fail(loader, "'%.40s' is not a vertex id", text);
	if (loader->id_count && (!is_number || *id < loader->first_id ||
					*id - loader->first_id >= loader->id_count))
		return loader_fail(loader,
			"vertex id %.40s is out of range: the file announces %" PRIu64
			" to %" PRIu64,
			text, loader->first_id, loader->first_id + loader->id_count - 1);
	if (!is_number)
		return loader_fail(
			loader, "vertex id %.40s is too large: at most %" PRIu64, text, UINT64_MAX);
	return 0;
}

int loader_vertex(struct loader *loader, const char *text, uint32_t *vertex)
{
	uint64_t id;
	int error = parse_id(loader, text, &id);

	if (error)
		return error;
	if (loader->compact_ids) {
		error = intern_add(loader->edges->labels.ids, &id, sizeof id, vertex);
		return error ? loader_fail(loader, "too many vertices: %s", strerror(-error)) : 0;
	}
	id -= loader->first_id;
	if (id >= VERTICES_MAX)
		return loader_fail(loader,
			"vertex id %.40s is too large: at most %" PRIu64
			"; --compact-ids renumbers what occurs",
			text, VERTICES_MAX - 1);
	*vertex = (uint32_t)id;
	return 0;
}

int loader_edge(struct loader *loader, const char *from, const char *to)
{
	uint32_t u, v;
	int error = loader_vertex(loader, from, &u);

	if (!error)
		error = loader_vertex(loader, to, &v);
	return error ? error : edges_add(loader->edges, u, v, loader->problem);
}
