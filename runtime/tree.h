/*
 * tree.h - an ordered set of nodes that lie inside their owners' structs: a treap (a search tree by
 * key, a heap by a random priority), so it stays flat without any bookkeeping of balance.
 *
 * Keys are pairs, compared major first; no two nodes of a tree have the same.
 */
#ifndef NEARSIDE_RUNTIME_TREE_H
#define NEARSIDE_RUNTIME_TREE_H

#include <stdint.h>

struct tree_node {
	uint64_t major, minor; /* set before tree_insert(), not changed while in a tree */
	uint64_t priority;
	struct tree_node *left, *right;
};

struct tree {
	struct tree_node *root; /* NULL at first */
};

void tree_insert(struct tree *tree, struct tree_node *node);
void tree_remove(struct tree *tree, struct tree_node *node);

/*
 * The first node not before the key, the last node not after it, and the last of all; NULL: there
 * is none.
 */
struct tree_node *tree_at_least(const struct tree *tree, uint64_t major, uint64_t minor);
struct tree_node *tree_at_most(const struct tree *tree, uint64_t major, uint64_t minor);
struct tree_node *tree_last(const struct tree *tree);

#endif
