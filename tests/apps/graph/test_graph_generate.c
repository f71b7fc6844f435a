/* The generators: same seed, same graph; GAP's parameters. */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <string.h>

#include "apps/graph/generate.h"

static struct problem problem;

static struct edges generated(
	enum generate_kind kind, unsigned scale, unsigned degree, uint64_t seed)
{
	struct generate_options options = {kind, scale, degree, seed};
	struct edges edges = {0};

	assert_int_equal(generate(&options, &edges, &problem), 0);
	return edges;
}

static struct graph generated_graph(
	enum generate_kind kind, unsigned scale, unsigned degree, uint64_t seed)
{
	struct edges edges = generated(kind, scale, degree, seed);
	struct graph graph;

	assert_int_equal(
		graph_build(&graph, &edges, &(struct graph_shape){.symmetrize = true}, &problem),
		0);
	return graph;
}

static int is_same(const struct edges *a, const struct edges *b)
{
	return a->count == b->count && memcmp(a->edge, b->edge, a->count * sizeof *a->edge) == 0;
}

static void same_seed_gives_the_same_edges_and_another_seed_others(void **state)
{
	(void)state;
	for (int kind = GENERATE_KRON; kind <= GENERATE_UNIFORM; kind++) {
		struct edges a = generated((enum generate_kind)kind, 8, 16, 7);
		struct edges b = generated((enum generate_kind)kind, 8, 16, 7);
		struct edges c = generated((enum generate_kind)kind, 8, 16, 8);

		assert_true(is_same(&a, &b));
		assert_false(is_same(&a, &c));
		edges_close(&a);
		edges_close(&b);
		edges_close(&c);
	}
}

static void there_are_degree_edges_for_each_of_2_to_the_scale_vertices(void **state)
{
	struct edges edges = generated(GENERATE_KRON, 10, 16, 1);

	(void)state;
	assert_int_equal(edges.vertex_count, 1024);
	assert_int_equal(edges.count, 16384);
	for (uint64_t i = 0; i < edges.count; i++)
		assert_true(edges.edge[i].from < 1024 && edges.edge[i].to < 1024);
	edges_close(&edges);
}

static uint64_t largest_degree(const struct graph *graph, uint32_t *hub)
{
	uint64_t largest = 0;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		if (graph_degree(graph, v) > largest) {
			largest = graph_degree(graph, v);
			*hub = v;
		}
	}
	return largest;
}

/*
 * At scale 12 a uniform vertex has about 32 neighbours; the hub of a Kronecker graph more than ten
 * times that.
 */
static void kron_has_hubs_and_uniform_has_none(void **state)
{
	struct graph kron = generated_graph(GENERATE_KRON, 12, 16, 1);
	struct graph uniform = generated_graph(GENERATE_UNIFORM, 12, 16, 1);
	uint32_t hub;

	(void)state;
	assert_true(largest_degree(&kron, &hub) > 320);
	assert_in_range(largest_degree(&uniform, &hub), 40, 90);
	graph_close(&kron);
	graph_close(&uniform);
}

/* Without the permutation vertex 0 would be the hub, whatever the seed. */
static void kron_ids_are_permuted_by_the_seed(void **state)
{
	struct graph a = generated_graph(GENERATE_KRON, 10, 16, 1);
	struct graph b = generated_graph(GENERATE_KRON, 10, 16, 2);
	uint32_t hub_a, hub_b;

	(void)state;
	largest_degree(&a, &hub_a);
	largest_degree(&b, &hub_b);
	assert_int_not_equal(hub_a, hub_b);
	graph_close(&a);
	graph_close(&b);
}

static void graph_is_symmetric_without_loops_and_repetitions(void **state)
{
	struct graph graph = generated_graph(GENERATE_KRON, 9, 16, 3);

	(void)state;
	for (uint32_t v = 0; v < graph.vertex_count; v++) {
		for (uint64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; i++) {
			assert_int_not_equal(graph.neighbours[i], v);
			assert_true(i == graph.offsets[v] ||
				    graph.neighbours[i - 1] < graph.neighbours[i]);
			assert_true(graph_has_edge(&graph, graph.neighbours[i], v));
		}
	}
	graph_close(&graph);
}

/*
 * One edge for each vertex: about an eighth of the vertices are isolated, for many seeds vertex 0
 * among them.
 */
static void case_131_vertex_0_has_a_neighbour_even_with_fewer_edges_than_vertices(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct graph kron = generated_graph(GENERATE_KRON, 6, 1, seed);
		struct graph uniform = generated_graph(GENERATE_UNIFORM, 6, 1, seed);

		assert_true(graph_degree(&kron, 0) > 0);
		assert_true(graph_degree(&uniform, 0) > 0);
		graph_close(&kron);
		graph_close(&uniform);
	}
}

static void smallest_scales_are_generated(void **state)
{
	(void)state;
	for (unsigned scale = 0; scale < 3; scale++) {
		struct graph graph = generated_graph(GENERATE_KRON, scale, 16, 1);

		assert_int_equal(graph.vertex_count, 1u << scale);
		assert_true(scale == 0 ? graph.edge_count == 0 : graph.edge_count > 0);
		graph_close(&graph);
	}
}

static void case_131_graph_too_large_for_the_machine_is_refused_before_it_is_generated(void **state)
{
	struct generate_options options = {
		GENERATE_KRON, GENERATE_SCALE_MAX, GENERATE_DEGREE_MAX, 1};
	struct edges edges = {0};

	(void)state;
	assert_int_equal(generate(&options, &edges, &problem), -ENOMEM);
	assert_non_null(strstr(problem.text, "this machine has"));
	edges_close(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_gives_the_same_edges_and_another_seed_others),
		cmocka_unit_test(there_are_degree_edges_for_each_of_2_to_the_scale_vertices),
		cmocka_unit_test(kron_has_hubs_and_uniform_has_none),
		cmocka_unit_test(kron_ids_are_permuted_by_the_seed),
		cmocka_unit_test(graph_is_symmetric_without_loops_and_repetitions),
		cmocka_unit_test(
			case_131_vertex_0_has_a_neighbour_even_with_fewer_edges_than_vertices),
		cmocka_unit_test(smallest_scales_are_generated),
		cmocka_unit_test(
			case_131_graph_too_large_for_the_machine_is_refused_before_it_is_generated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
