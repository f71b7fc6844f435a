/* Verification catches every kind of wrong result, and names the vertex. */
#include "tests/apps/graph/built.h"

#include <errno.h>

#include "apps/graph/search.h"

static struct problem problem;

/*
 *     0 -> 1 -> 3 -> 4      5 -> 6 is not reached
 *     0 -> 2 -> 3
 */
struct scene {
	struct graph graph;
	struct search right, found;
};

static int set_up(void **state)
{
	static struct scene scene;

	scene.graph = built_graph(7, "0>1 0>2 1>3 2>3 3>4 5>6", &(struct graph_shape){0});
	assert_int_equal(search_on_cpu(&scene.graph, 0, &scene.right, &problem), 0);
	assert_int_equal(search_on_cpu(&scene.graph, 0, &scene.found, &problem), 0);
	*state = &scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	search_close(&scene->right);
	search_close(&scene->found);
	graph_close(&scene->graph);
	return 0;
}

static int verify(const struct scene *scene)
{
	return search_verify(&scene->graph, &scene->found, &scene->right, &problem);
}

static void assert_refused(const struct scene *scene, const char *text)
{
	assert_int_equal(verify(scene), -EBADMSG);
	assert_string_equal(problem.text, text);
}

static void right_result_passes(void **state)
{
	assert_int_equal(verify(*state), 0);
}

static void other_parent_one_level_up_passes(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene->found.parent[3], 1);
	scene->found.parent[3] = 2;
	assert_int_equal(verify(scene), 0);
}

static void parent_at_another_level_is_caught(void **state)
{
	struct scene *scene = *state;

	scene->found.parent[4] = 5;
	assert_refused(scene, "wrong result at vertex 4: its parent is not one level up");
	scene->found.parent[4] = 1;
	assert_refused(scene, "wrong result at vertex 4: its parent is not one level up");
	scene->found.parent[4] = 3;
	scene->found.parent[3] = 3;
	assert_refused(scene, "wrong result at vertex 3: its parent is not one level up");
}

static void parent_at_the_right_level_without_an_edge_is_caught(void **state)
{
	struct scene *scene = *state;
	struct graph other = built_graph(7, "0>1 0>2 1>3 3>4 5>6", &(struct graph_shape){0});

	graph_close(&scene->graph);
	scene->graph = other;
	scene->found.parent[3] = 2;
	assert_refused(scene, "wrong result at vertex 3: no edge leads from its parent to it");
}

static void missing_or_senseless_parent_is_caught(void **state)
{
	struct scene *scene = *state;

	scene->found.parent[2] = NO_VERTEX;
	assert_refused(scene, "wrong result at vertex 2: it is reached, yet has no parent");
	scene->found.parent[2] = 7;
	assert_refused(scene, "wrong result at vertex 2: it is reached, yet has no parent");
	scene->found.parent[2] = 0;
	scene->found.parent[6] = 5;
	assert_refused(scene, "wrong result at vertex 6: it is not reached, yet has a parent");
}

static void wrong_depth_is_caught(void **state)
{
	struct scene *scene = *state;

	scene->found.depth[4] = 4;
	assert_refused(
		scene, "wrong result at vertex 4: its depth differs from that of the CPU's search");
}

static void set_of_reached_vertices_is_compared(void **state)
{
	struct scene *scene = *state;

	scene->found.depth[4] = NOT_REACHED;
	assert_refused(scene,
		"wrong result at vertex 4: it is not reached, yet the CPU's search reaches it");
	scene->found.depth[4] = 3;
	scene->found.depth[6] = 1;
	assert_refused(scene,
		"wrong result at vertex 6: it is reached, yet the CPU's search does not reach it");
}

static void wrong_source_is_caught(void **state)
{
	struct scene *scene = *state;

	scene->found.parent[0] = 1;
	assert_refused(scene,
		"wrong result at vertex 0: it is the source, yet its parent is another vertex");
	scene->found.parent[0] = 0;
	scene->found.source = 1;
	assert_int_equal(verify(scene), -EBADMSG);
}

static void wrong_summary_is_caught(void **state)
{
	struct scene *scene = *state;

	scene->found.widest_count++;
	assert_refused(scene,
		"wrong summary: 5 reached, depth 3, level 1 the widest with 3, but the CPU's search has "
		"5, 3, 1, 2");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(right_result_passes),
		TEST(other_parent_one_level_up_passes),
		TEST(parent_at_another_level_is_caught),
		TEST(parent_at_the_right_level_without_an_edge_is_caught),
		TEST(missing_or_senseless_parent_is_caught),
		TEST(wrong_depth_is_caught),
		TEST(set_of_reached_vertices_is_compared),
		TEST(wrong_source_is_caught),
		TEST(wrong_summary_is_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
