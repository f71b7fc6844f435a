/* Control stanzas become a graph of packages. */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <string.h>

#include "apps/graph/packages.h"

static struct problem problem;

struct result {
	int error;
	uint64_t unknown;
	struct graph graph;
};

static struct result read_text(const char *text)
{
	struct result result = {0};
	struct edges edges = {0};
	struct lines lines;

	assert_int_equal(lines_open(&lines, file_of(text, strlen(text)), "list", &problem), 0);
	result.error = packages_read(&lines, &edges, &result.unknown, &problem);
	lines_close(&lines);
	if (!result.error)
		assert_int_equal(
			graph_build(&result.graph, &edges, &(struct graph_shape){0}, &problem), 0);
	edges_close(&edges);
	return result;
}

/* What a package leads to, as "b c"; valid until the next call. */
static const char *leads_to(const struct result *result, const char *name)
{
	static char text[256];
	char label[LABEL_BYTES];
	uint32_t vertex;

	assert_int_equal(labels_find(&result->graph.labels, result->graph.vertex_count, name,
				 &vertex, &problem),
		0);
	text[0] = 0;
	for (uint64_t i = result->graph.offsets[vertex]; i < result->graph.offsets[vertex + 1];
		i++) {
		strcat(text, *text ? " " : "");
		strcat(text,
			labels_text(&result->graph.labels, result->graph.neighbours[i], label));
	}
	return text;
}

static void four_fields_are_edges_and_the_others_are_not(void **state)
{
	struct result result =
		read_text("Package: a\nDepends: b\nPre-Depends: c\nRecommends: d\nSuggests: e\n"
			  "Conflicts: f\nEnhances: f\nBreaks: f\nDescription: needs f\n\n"
			  "Package: b\n\nPackage: c\n\nPackage: d\n\nPackage: e\n\nPackage: f\n");

	(void)state;
	assert_int_equal(result.graph.vertex_count, 6);
	assert_string_equal(leads_to(&result, "a"), "b c d e");
	assert_int_equal(result.unknown, 0);
	graph_close(&result.graph);
}

static void versions_architectures_and_profiles_are_left_out(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: b (>= 1.0, | x), c:any (<< 2), d [amd64 i386] , e <!nocheck>\n\n"
		"Package: b\n\nPackage: c\n\nPackage: d\n\nPackage: e\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "b c d e");
	assert_int_equal(result.unknown, 0);
	graph_close(&result.graph);
}

static void every_alternative_is_an_edge(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: b|c | d (>= 3)\n\nPackage: b\n\nPackage: c\n\nPackage: d\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "b c d");
	graph_close(&result.graph);
}

static void virtual_name_stands_for_its_providers(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: mail-agent\n\nPackage: x\nProvides: mail-agent (= 1), other\n\n"
		"Package: y\nProvides: mail-agent\n\nPackage: z\n");

	(void)state;
	assert_int_equal(result.graph.vertex_count, 4);
	assert_string_equal(leads_to(&result, "a"), "x y");
	graph_close(&result.graph);
}

static void package_goes_before_those_that_provide_its_name(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: real\n\nPackage: x\nProvides: real\n\nPackage: real\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "real");
	graph_close(&result.graph);
}

static void unknown_names_are_counted_and_left_out(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: b, nowhere\nSuggests: nowhere | elsewhere\n\nPackage: b\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "b");
	assert_int_equal(result.unknown, 3);
	graph_close(&result.graph);
}

static void versions_of_one_package_are_one_vertex(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends: b\n\nPackage: b\n\nPackage: a\nDepends: b, c\n\nPackage: c\n");

	(void)state;
	assert_int_equal(result.graph.vertex_count, 3);
	assert_string_equal(leads_to(&result, "a"), "b c");
	graph_close(&result.graph);
}

static void folded_fields_are_read_to_their_end(void **state)
{
	struct result result = read_text(
		"Package: a\nDepends:\n b,\n c (>=\n 1) |\n d\nTag: x,\n e\n\nPackage: b\n\nPackage: c\n\n"
		"Package: d\n\nPackage: e\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "b c d");
	graph_close(&result.graph);
}

static void dependency_on_itself_is_no_edge(void **state)
{
	struct result result = read_text("Package: a\nDepends: a, v\nProvides: v\n");

	(void)state;
	assert_string_equal(leads_to(&result, "a"), "");
	graph_close(&result.graph);
}

static void unknown_source_is_refused_by_name(void **state)
{
	struct result result = read_text("Package: a\n");
	uint32_t vertex;

	(void)state;
	assert_int_equal(labels_find(&result.graph.labels, 1, "zz", &vertex, &problem), -ENOENT);
	assert_string_equal(problem.text, "source zz does not exist: no vertex has that name");
	graph_close(&result.graph);
}

static void malformed_lists_are_refused_with_a_line_number(void **state)
{
	(void)state;
	assert_int_equal(read_text("Package: a\n\nDepends: b\n").error, -EINVAL);
	assert_string_equal(problem.text, "list:3: a stanza does not begin with its Package");
	assert_int_equal(read_text("Package: a\nno field\n").error, -EINVAL);
	assert_string_equal(problem.text, "list:2: not of the form `Field: text`");
	assert_int_equal(read_text("Package:\n").error, -EINVAL);
	assert_string_equal(problem.text, "list:1: not a package name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_fields_are_edges_and_the_others_are_not),
		cmocka_unit_test(versions_architectures_and_profiles_are_left_out),
		cmocka_unit_test(every_alternative_is_an_edge),
		cmocka_unit_test(virtual_name_stands_for_its_providers),
		cmocka_unit_test(package_goes_before_those_that_provide_its_name),
		cmocka_unit_test(unknown_names_are_counted_and_left_out),
		cmocka_unit_test(versions_of_one_package_are_one_vertex),
		cmocka_unit_test(folded_fields_are_read_to_their_end),
		cmocka_unit_test(dependency_on_itself_is_no_edge),
		cmocka_unit_test(unknown_source_is_refused_by_name),
		cmocka_unit_test(malformed_lists_are_refused_with_a_line_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
