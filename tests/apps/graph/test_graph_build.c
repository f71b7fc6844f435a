/* Edges become compressed sparse rows. */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <string.h>

#include "apps/graph/labels.h"

static const struct graph_shape as_it_is = {0};
static struct problem problem;

static void neighbours_come_in_ascending_order(void **state)
{
	struct graph graph = built_graph(5, "1>4 1>0 0>3 1>2 4>1", &as_it_is);

	(void)state;
	assert_int_equal(graph.vertex_count, 5);
	assert_int_equal(graph.edge_count, 5);
	assert_string_equal(neighbours_of(&graph, 0), "3");
	assert_string_equal(neighbours_of(&graph, 1), "0 2 4");
	assert_string_equal(neighbours_of(&graph, 2), "");
	assert_string_equal(neighbours_of(&graph, 4), "1");
	graph_close(&graph);
}

static void case_128_repeated_edges_loops_and_isolated_vertices_stay(void **state)
{
	struct graph graph = built_graph(4, "0>1 0>1 1>1", &as_it_is);

	(void)state;
	assert_int_equal(graph.vertex_count, 4);
	assert_int_equal(graph.edge_count, 3);
	assert_string_equal(neighbours_of(&graph, 0), "1 1");
	assert_string_equal(neighbours_of(&graph, 1), "1");
	graph_close(&graph);
}

static void reverse_turns_every_edge_round(void **state)
{
	struct graph graph = built_graph(3, "0>1 0>2 1>1", &(struct graph_shape){.reverse = true});

	(void)state;
	assert_string_equal(neighbours_of(&graph, 0), "");
	assert_string_equal(neighbours_of(&graph, 1), "0 1");
	assert_string_equal(neighbours_of(&graph, 2), "0");
	graph_close(&graph);
}

static void symmetrize_keeps_one_edge_each_way_and_no_loops(void **state)
{
	struct graph graph =
		built_graph(4, "0>1 1>0 0>1 2>2 2>1", &(struct graph_shape){.symmetrize = true});

	(void)state;
	assert_int_equal(graph.edge_count, 4);
	assert_string_equal(neighbours_of(&graph, 0), "1");
	assert_string_equal(neighbours_of(&graph, 1), "0 2");
	assert_string_equal(neighbours_of(&graph, 2), "1");
	assert_string_equal(neighbours_of(&graph, 3), "");
	graph_close(&graph);
}

static void edges_are_found_where_they_are_and_nowhere_else(void **state)
{
	struct graph graph = built_graph(6, "1>0 1>2 1>5 1>5 3>3", &as_it_is);

	(void)state;
	for (uint32_t from = 0; from < 6; from++) {
		for (uint32_t to = 0; to < 6; to++) {
			int is_there = (from == 1 && (to == 0 || to == 2 || to == 5)) ||
				       (from == 3 && to == 3);

			assert_int_equal(graph_has_edge(&graph, from, to), is_there);
		}
	}
	graph_close(&graph);
}

static void graph_without_vertices_is_built(void **state)
{
	struct graph graph = built_graph(0, "", &as_it_is);

	(void)state;
	assert_int_equal(graph.offsets[0], 0);
	assert_int_equal(graph.edge_count, 0);
	graph_close(&graph);
}

static void case_139_plan_counts_beyond_32_bits(void **state)
{
	struct graph_plan plan;

	(void)state;
	assert_int_equal(graph_plan(VERTICES_MAX, 3000000000u, &plan), 0);
	assert_true(plan.far_nbytes > 4 * 3000000000u + 20 * VERTICES_MAX);
	assert_true(plan.host_nbytes > plan.far_nbytes);
	assert_int_equal(graph_plan(1, UINT64_MAX / 4, &plan), -EOVERFLOW);
	assert_int_equal(graph_plan(1, UINT64_MAX / 8, &plan), -EOVERFLOW);
}

static void case_131_graph_too_large_for_the_machine_is_refused_before_it_is_built(void **state)
{
	struct edges edges = built_edges(10, "0>1");
	struct graph graph;

	(void)state;
	edges.count = UINT64_MAX / 1024; /* of which none is looked at */
	assert_int_equal(graph_build(&graph, &edges, &as_it_is, &problem), -ENOMEM);
	assert_non_null(strstr(problem.text, "this machine has"));
	graph_close(&graph);
}

static void labels_survive_building(void **state)
{
	struct edges edges = built_edges(3, "0>1");
	struct graph graph;
	char text[LABEL_BYTES];
	uint32_t vertex;

	(void)state;
	edges.labels.first = 1;
	assert_int_equal(graph_build(&graph, &edges, &as_it_is, &problem), 0);
	assert_string_equal(labels_text(&graph.labels, 2, text), "3");
	assert_int_equal(labels_find(&graph.labels, 3, "3", &vertex, &problem), 0);
	assert_int_equal(vertex, 2);
	assert_int_equal(labels_find(&graph.labels, 3, "0", &vertex, &problem), -ENOENT);
	assert_string_equal(problem.text, "source 0 does not exist: the vertices are 1 to 3");
	assert_int_equal(labels_find(&graph.labels, 3, "4", &vertex, &problem), -ENOENT);
	assert_int_equal(labels_find(&graph.labels, 3, "libc6", &vertex, &problem), -ENOENT);
	graph_close(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_come_in_ascending_order),
		cmocka_unit_test(case_128_repeated_edges_loops_and_isolated_vertices_stay),
		cmocka_unit_test(reverse_turns_every_edge_round),
		cmocka_unit_test(symmetrize_keeps_one_edge_each_way_and_no_loops),
		cmocka_unit_test(edges_are_found_where_they_are_and_nowhere_else),
		cmocka_unit_test(graph_without_vertices_is_built),
		cmocka_unit_test(case_139_plan_counts_beyond_32_bits),
		cmocka_unit_test(
			case_131_graph_too_large_for_the_machine_is_refused_before_it_is_built),
		cmocka_unit_test(labels_survive_building),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
