/* The search by the CPU alone, levels, and the rule for what such a search fetches. */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <sys/mman.h>

#include "apps/graph/search.h"

static struct problem problem;

static struct search searched(const struct graph *graph, uint32_t source)
{
	struct search search;

	assert_int_equal(search_on_cpu(graph, source, &search, &problem), 0);
	return search;
}

static void depths_parents_and_counts_are_those_of_the_search(void **state)
{
	struct graph graph =
		built_graph(7, "1>0 1>2 0>3 2>3 3>4 4>1 5>6", &(struct graph_shape){0});
	struct search search = searched(&graph, 1);
	const uint32_t depth[] = {1, 0, 1, 2, 3, NOT_REACHED, NOT_REACHED};
	const uint32_t parent[] = {1, 1, 1, 0, 3, NO_VERTEX, NO_VERTEX};

	(void)state;
	assert_memory_equal(search.depth, depth, sizeof depth);
	assert_memory_equal(search.parent, parent, sizeof parent);
	assert_int_equal(search.reached, 5);
	assert_int_equal(search.max_depth, 3);
	assert_int_equal(search.widest_level, 1);
	assert_int_equal(search.widest_count, 2);
	search_close(&search);
	graph_close(&graph);
}

static void source_without_edges_reaches_itself(void **state)
{
	struct graph graph = built_graph(3, "0>1", &(struct graph_shape){0});
	struct search search = searched(&graph, 2);

	(void)state;
	assert_int_equal(search.reached, 1);
	assert_int_equal(search.max_depth, 0);
	assert_int_equal(search.widest_count, 1);
	search_close(&search);
	graph_close(&graph);
}

static void levels_list_each_reached_vertex_at_its_depth(void **state)
{
	struct graph graph = built_graph(6, "3>0 3>5 0>1", &(struct graph_shape){0});
	struct search search = searched(&graph, 3);
	const uint32_t order[] = {3, 0, 5, 1};
	const uint64_t begins[] = {0, 1, 3, 4};
	struct levels levels;

	(void)state;
	assert_int_equal(levels_open(&levels, &search, &problem), 0);
	assert_int_equal(levels.count, 3);
	assert_memory_equal(levels.order, order, sizeof order);
	assert_memory_equal(levels.begins, begins, sizeof begins);
	levels_close(&levels);
	search_close(&search);
	graph_close(&graph);
}

static uint64_t lines_of(const struct graph *graph)
{
	struct search search = searched(graph, 0);
	uint64_t lines;

	assert_int_equal(traffic_cpu_only(graph, &search, &lines, &problem), 0);
	search_close(&search);
	return lines;
}

/*
 * A line holds 8 offsets or 16 neighbours. Vertices 7 and 15 need two lines of offsets; 19 has no
 * neighbours.
 */
static void path_fetches_its_lines_anew_at_each_level(void **state)
{
	struct edges edges = {0};
	struct graph graph;

	(void)state;
	for (uint32_t v = 0; v < 19; v++)
		assert_int_equal(edges_add(&edges, v, v + 1, &problem), 0);
	assert_int_equal(graph_build(&graph, &edges, &(struct graph_shape){0}, &problem), 0);
	assert_int_equal(lines_of(&graph), 20 + 2 + 19);
	graph_close(&graph);
}

/* Level 0: one line of offsets, 40 neighbours in 3. Level 1: offsets 1 to 41 in 6. */
static void star_fetches_each_line_of_a_level_once(void **state)
{
	struct edges edges = {0};
	struct graph graph;

	(void)state;
	for (uint32_t v = 1; v <= 40; v++)
		assert_int_equal(edges_add(&edges, 0, v, &problem), 0);
	assert_int_equal(graph_build(&graph, &edges, &(struct graph_shape){0}, &problem), 0);
	assert_int_equal(lines_of(&graph), 1 + 3 + 6);
	graph_close(&graph);
}

/*
 * More than 2^32 edges, almost all of them vertex 1's, which is not reached; memory that nobody
 * touches is not there.
 *
 *     0 -> 2 -> 3    vertex 2's neighbour lies beyond the 2^32nd
 */
static void case_139_neighbours_beyond_4_billion_edges_are_found(void **state)
{
	const uint64_t beyond = (1ull << 32) + 5;
	uint64_t offsets[] = {0, 1, beyond, beyond + 1, beyond + 1};
	size_t nbytes = (beyond + 1) * sizeof(uint32_t);
	struct graph graph = {.vertex_count = 4, .edge_count = beyond + 1, .offsets = offsets};
	struct search search;

	(void)state;
	graph.neighbours = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(graph.neighbours, MAP_FAILED);
	graph.neighbours[0] = 2;
	graph.neighbours[beyond] = 3;

	search = searched(&graph, 0);

	assert_int_equal(search.reached, 3);
	assert_int_equal(search.depth[3], 2);
	assert_int_equal(graph_degree(&graph, 1), beyond - 1);
	assert_true(graph_has_edge(&graph, 2, 3));
	assert_int_equal(search_verify(&graph, &search, &search, &problem), 0);
	search_close(&search);
	munmap(graph.neighbours, nbytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depths_parents_and_counts_are_those_of_the_search),
		cmocka_unit_test(source_without_edges_reaches_itself),
		cmocka_unit_test(levels_list_each_reached_vertex_at_its_depth),
		cmocka_unit_test(path_fetches_its_lines_anew_at_each_level),
		cmocka_unit_test(star_fetches_each_line_of_a_level_once),
		cmocka_unit_test(case_139_neighbours_beyond_4_billion_edges_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
