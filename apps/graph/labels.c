#include "apps/graph/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/graph/fields.h"

void labels_close(struct labels *labels)
{
	intern_destroy(labels->ids);
	intern_destroy(labels->names);
	*labels = (struct labels){0};
}

static uint64_t id_of(const struct labels *labels, uint32_t vertex)
{
	uint64_t id = labels->first + vertex;

	if (labels->ids)
		memcpy(&id, intern_key(labels->ids, vertex), sizeof id);
	return id;
}

const char *labels_text(const struct labels *labels, uint32_t vertex, char *buffer)
{
	if (labels->names)
		snprintf(
			buffer, LABEL_BYTES, "%s", (const char *)intern_key(labels->names, vertex));
	else
		snprintf(buffer, LABEL_BYTES, "%" PRIu64, id_of(labels, vertex));
	return buffer;
}

static int find_name(
	const struct labels *labels, const char *text, uint32_t *vertex, struct problem *problem)
{
	if (intern_find(labels->names, text, strlen(text), vertex))
		return 0;
	return problem_set(
		problem, -ENOENT, "source %s does not exist: no vertex has that name", text);
}

static int find_in_range(const struct labels *labels, uint64_t vertex_count, uint64_t id,
	uint32_t *vertex, struct problem *problem)
{
	if (vertex_count == 0)
		return problem_set(problem, -ENOENT,
			"source %" PRIu64 " does not exist: the graph has no vertices", id);
	if (id < labels->first || id - labels->first >= vertex_count)
		return problem_set(problem, -ENOENT,
			"source %" PRIu64 " does not exist: the vertices are %" PRIu64
			" to %" PRIu64,
			id, labels->first, labels->first + vertex_count - 1);
	*vertex = (uint32_t)(id - labels->first);
	return 0;
}

int labels_find(const struct labels *labels, uint64_t vertex_count, const char *text,
	uint32_t *vertex, struct problem *problem)
{
	uint64_t id;

	if (labels->names)
		return find_name(labels, text, vertex, problem);
	if (!field_unsigned(text, &id))
		return problem_set(problem, -ENOENT,
			"source %s does not exist: vertices of this graph are numbers", text);
	if (!labels->ids)
		return find_in_range(labels, vertex_count, id, vertex, problem);
	if (intern_find(labels->ids, &id, sizeof id, vertex))
		return 0;
	return problem_set(problem, -ENOENT,
		"source %" PRIu64 " does not exist: no edge of the file has it", id);
}
