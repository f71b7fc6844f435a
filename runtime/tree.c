#include "runtime/tree.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_before(const struct tree_node *node, uint64_t major, uint64_t minor)
{
	return node->major != major ? node->major < major : node->minor < minor;
}

static bool is_after(const struct tree_node *node, uint64_t major, uint64_t minor)
{
	return node->major != major ? node->major > major : node->minor > minor;
}

/* A fixed scramble of the node's address is random enough. */
static uint64_t priority_of(const struct tree_node *node)
{
	uint64_t bits = (uintptr_t)node;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
	return bits ^ bits >> 31;
}

/* Takes a subtree apart: what is before the new node becomes its left side, the rest its right. */
static void split_around(struct tree_node *node, struct tree_node *subtree)
{
	struct tree_node **low = &node->left, **high = &node->right;

	while (subtree) {
		if (is_before(subtree, node->major, node->minor)) {
			*low = subtree;
			low = &subtree->right;
			subtree = subtree->right;
		} else {
			*high = subtree;
			high = &subtree->left;
			subtree = subtree->left;
		}
	}
	*low = *high = NULL;
}

/* Everything in `low` is before everything in `high`. */
static struct tree_node *join(struct tree_node *low, struct tree_node *high)
{
	struct tree_node *root, **link = &root;

	while (low && high) {
		if (low->priority > high->priority) {
			*link = low;
			link = &low->right;
			low = low->right;
		} else {
			*link = high;
			link = &high->left;
			high = high->left;
		}
	}
	*link = low ? low : high;
	return root;
}

static struct tree_node **step(struct tree_node *at, const struct tree_node *towards)
{
	return is_before(at, towards->major, towards->minor) ? &at->right : &at->left;
}

void tree_insert(struct tree *tree, struct tree_node *node)
{
	struct tree_node **link = &tree->root;

	node->priority = priority_of(node);
	while (*link && (*link)->priority >= node->priority)
		link = step(*link, node);
	split_around(node, *link);
	*link = node;
}

void tree_remove(struct tree *tree, struct tree_node *node)
{
	struct tree_node **link = &tree->root;

	while (*link != node)
		link = step(*link, node);
	*link = join(node->left, node->right);
}

struct tree_node *tree_at_least(const struct tree *tree, uint64_t major, uint64_t minor)
{
	struct tree_node *node = tree->root, *found = NULL;

	while (node) {
		if (is_before(node, major, minor)) {
			node = node->right;
		} else {
			found = node;
			node = node->left;
		}
	}
	return found;
}

struct tree_node *tree_at_most(const struct tree *tree, uint64_t major, uint64_t minor)
{
	struct tree_node *node = tree->root, *found = NULL;

	while (node) {
		if (is_after(node, major, minor)) {
			node = node->left;
		} else {
			found = node;
			node = node->right;
		}
	}
	return found;
}

struct tree_node *tree_last(const struct tree *tree)
{
	return tree_at_most(tree, UINT64_MAX, UINT64_MAX);
}
