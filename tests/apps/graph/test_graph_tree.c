/*
 * The search by processes on a fake device: right with any number of workers, and never a hang when
 * one dies.
 */
#include "tests/apps/graph/built.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "apps/graph/device_search.h"
#include "apps/graph/generate.h"
#include "tests/apps/graph/fake_device.h"

static struct problem problem;

static int prepare(void **state)
{
	(void)state;
	fake_reset();
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static struct graph kron(unsigned scale)
{
	struct generate_options options = {GENERATE_KRON, scale, 16, 1};
	struct edges edges = {0};
	struct graph graph;

	assert_int_equal(generate(&options, &edges, &problem), 0);
	assert_int_equal(
		graph_build(&graph, &edges, &(struct graph_shape){.symmetrize = true}, &problem),
		0);
	return graph;
}

/* The whole search; `found` is to be closed. */
static int run(const struct graph *graph, uint32_t source, unsigned cores, struct search *found)
{
	struct device device;
	int error = search_open(found, graph->vertex_count, source, &problem);

	if (!error)
		error = device_open(&device, "inproc", cores, graph, &problem);
	if (!error)
		error = device_place(&device, graph, &problem);
	if (!error)
		error = device_run(&device, source, found, &problem);
	device_close(&device);
	assert_int_equal(fake_left_over(), 0);
	return error;
}

static void assert_right(const struct graph *graph, uint32_t source, unsigned cores)
{
	struct search found, right;

	assert_int_equal(run(graph, source, cores, &found), 0);
	assert_int_equal(search_on_cpu(graph, source, &right, &problem), 0);
	assert_int_equal(search_verify(graph, &found, &right, &problem), 0);
	search_close(&found);
	search_close(&right);
}

static void search_is_right_with_1_to_64_workers(void **state)
{
	static const unsigned cores[] = {1, 2, 3, 4, 7, 8, 9, 16, 57, 58, 64};
	struct graph graph = kron(10);

	(void)state;
	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
		assert_right(&graph, 0, cores[i]);
	graph_close(&graph);
}

static void search_is_right_from_every_vertex_of_a_small_graph(void **state)
{
	struct graph graph =
		built_graph(9, "0>1 1>2 2>0 2>3 3>4 3>4 4>4 5>6 6>5 7>0", &(struct graph_shape){0});

	(void)state;
	for (uint32_t source = 0; source < 9; source++)
		assert_right(&graph, source, 3);
	graph_close(&graph);
}

/* One vertex a level: nothing but waiting for each other. */
static void search_along_a_path_of_10000_vertices_is_right(void **state)
{
	struct edges edges = {0};
	struct graph graph;

	(void)state;
	for (uint32_t v = 0; v < 9999; v++)
		assert_int_equal(edges_add(&edges, v, v + 1, &problem), 0);
	assert_int_equal(graph_build(&graph, &edges, &(struct graph_shape){0}, &problem), 0);
	assert_right(&graph, 0, 4);
	graph_close(&graph);
}

/* 500 levels of 40 vertices: each calls every worker. */
static void search_of_many_wide_levels_is_right(void **state)
{
	struct edges edges = {0};
	struct graph graph;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(edges_add(&edges, 20000, i, &problem), 0);
	for (uint32_t v = 0; v < 19960; v++) {
		assert_int_equal(edges_add(&edges, v, v + 40, &problem), 0);
		assert_int_equal(
			edges_add(&edges, v, v / 40 * 40 + 40 + (v + 1) % 40, &problem), 0);
	}
	assert_int_equal(graph_build(&graph, &edges, &(struct graph_shape){0}, &problem), 0);
	assert_right(&graph, 20000, 9);
	graph_close(&graph);
}

static void process_that_dies_ends_the_search_with_its_fault(void **state)
{
	struct graph graph = kron(8);
	struct search found;

	(void)state;
	for (int victim = 0; victim <= 20; victim++) {
		for (int reads = 0; reads <= 2; reads++) {
			fake_plan.victim = victim;
			fake_plan.victim_reads = reads;
			assert_int_equal(run(&graph, 0, 20, &found), -EIO);
			assert_string_equal(
				problem.text, "a process of the search failed: fault: told to");
			search_close(&found);
		}
	}
	graph_close(&graph);
}

static void summary_that_does_not_fit_the_marks_is_refused(void **state)
{
	struct graph graph = built_graph(4, "0>1 1>2", &(struct graph_shape){0});
	struct search found;

	(void)state;
	fake_plan.lies = 1;
	assert_int_equal(run(&graph, 0, 2, &found), -EPROTO);
	assert_string_equal(problem.text, "the device reports 4 vertices reached but marked 3");
	search_close(&found);
	graph_close(&graph);
}

static void device_without_room_is_refused_with_the_numbers(void **state)
{
	struct graph graph = kron(8);
	struct search found;

	(void)state;
	fake_plan.far_nbytes = 1 << 20;
	assert_int_equal(run(&graph, 0, 2, &found), -ENOMEM);
	assert_non_null(strstr(problem.text, "the search needs 1 MiB of far memory"));
	search_close(&found);
	graph_close(&graph);
}

static void more_cores_than_the_device_has_are_refused(void **state)
{
	struct graph graph = kron(4);
	struct device device;

	(void)state;
	assert_int_equal(device_open(&device, "inproc:cores=2", 3, &graph, &problem), -EINVAL);
	assert_string_equal(
		problem.text, "3 cores asked for, but device inproc:cores=2,far=17M has 2");
	device_close(&device);
	graph_close(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_is_right_with_1_to_64_workers),
		cmocka_unit_test(search_is_right_from_every_vertex_of_a_small_graph),
		cmocka_unit_test(search_along_a_path_of_10000_vertices_is_right),
		cmocka_unit_test(search_of_many_wide_levels_is_right),
		cmocka_unit_test_setup(process_that_dies_ends_the_search_with_its_fault, prepare),
		cmocka_unit_test_setup(summary_that_does_not_fit_the_marks_is_refused, prepare),
		cmocka_unit_test_setup(device_without_room_is_refused_with_the_numbers, prepare),
		cmocka_unit_test_setup(more_cores_than_the_device_has_are_refused, prepare),
	};

	prepare(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
