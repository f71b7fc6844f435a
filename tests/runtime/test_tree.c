/* The treap against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/tree.h"

enum {
	NODES = 400,
	STEPS = 20000
};

static struct tree_node nodes[NODES];
static bool is_in[NODES];

/* Keys with equal majors, in an order that has nothing to do with the array's. */
static void make_nodes(void)
{
	for (uint64_t i = 0; i < NODES; i++) {
		nodes[i] = (struct tree_node){
			.major = i * 7919 % 50, .minor = i * 104729 % 1000 * NODES + i};
		is_in[i] = false;
	}
}

static bool is_before(uint64_t a_major, uint64_t a_minor, uint64_t b_major, uint64_t b_minor)
{
	return a_major != b_major ? a_major < b_major : a_minor < b_minor;
}

static struct tree_node *least_not_before(uint64_t major, uint64_t minor)
{
	struct tree_node *best = NULL;

	for (unsigned i = 0; i < NODES; i++)
		if (is_in[i] && !is_before(nodes[i].major, nodes[i].minor, major, minor) &&
			(!best || is_before(nodes[i].major, nodes[i].minor, best->major,
					  best->minor)))
			best = &nodes[i];
	return best;
}

static struct tree_node *last_not_after(uint64_t major, uint64_t minor)
{
	struct tree_node *best = NULL;

	for (unsigned i = 0; i < NODES; i++)
		if (is_in[i] && !is_before(major, minor, nodes[i].major, nodes[i].minor) &&
			(!best || is_before(best->major, best->minor, nodes[i].major,
					  nodes[i].minor)))
			best = &nodes[i];
	return best;
}

static void an_empty_tree_has_nothing(void **state)
{
	struct tree tree = {NULL};
	(void)state;

	assert_null(tree_at_least(&tree, 0, 0));
	assert_null(tree_at_most(&tree, UINT64_MAX, UINT64_MAX));
	assert_null(tree_last(&tree));
}

static void a_tree_agrees_with_an_array(void **state)
{
	struct tree tree = {NULL};
	(void)state;
	make_nodes();
	srand(1);

	for (unsigned step = 0; step < STEPS; step++) {
		unsigned i = (unsigned)rand() % NODES;
		uint64_t major = (uint64_t)rand() % 52, minor = (uint64_t)rand() % (1000 * NODES);

		if (is_in[i])
			tree_remove(&tree, &nodes[i]);
		else
			tree_insert(&tree, &nodes[i]);
		is_in[i] = !is_in[i];
		assert_ptr_equal(
			tree_at_least(&tree, major, minor), least_not_before(major, minor));
		assert_ptr_equal(tree_at_most(&tree, major, minor), last_not_after(major, minor));
		assert_ptr_equal(tree_last(&tree), last_not_after(UINT64_MAX, UINT64_MAX));
	}
}

static unsigned depth_of(const struct tree_node *node)
{
	unsigned left, right;

	if (!node)
		return 0;
	left = depth_of(node->left);
	right = depth_of(node->right);
	return 1 + (left > right ? left : right);
}

static void a_tree_of_sorted_keys_is_flat(void **state)
{
	enum {
		MANY = 100000
	};
	struct tree tree = {NULL};
	struct tree_node *sorted = calloc(MANY, sizeof *sorted);
	(void)state;

	for (uint64_t i = 0; i < MANY; i++) {
		sorted[i].major = i;
		tree_insert(&tree, &sorted[i]);
	}

	assert_in_range(depth_of(tree.root), 17, 60);
	free(sorted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_tree_has_nothing),
		cmocka_unit_test(a_tree_agrees_with_an_array),
		cmocka_unit_test(a_tree_of_sorted_keys_is_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
