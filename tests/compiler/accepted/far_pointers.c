/* Pointers inside far structures: a list and a tree, built and walked on the device. */
#include <nearside/kernel.h>

struct node {
	far struct node *next;
	far struct node *child[2];
	far uint64_t *value;
	uint64_t key;
};

static far struct node *build(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far struct node *nodes = (far struct node *)memory;
	uint64_t count = nbytes / (sizeof(struct node) + 8);
	far uint64_t *values = (far uint64_t *)(memory + count * sizeof(struct node));
	far struct node *head = NULL;
	for (uint64_t i = 0; i < count; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		values[i] = seed >> 33;
		nodes[i].key = seed >> 40;
		nodes[i].value = &values[i];
		nodes[i].next = head;
		nodes[i].child[0] = nodes[i].child[1] = NULL;
		head = &nodes[i];
	}
	return head;
}

static void insert(far struct node *root, far struct node *node)
{
	for (;;) {
		far struct node *far *slot = &root->child[node->key > root->key];
		if (!*slot) {
			*slot = node;
			return;
		}
		root = *slot;
	}
}

static uint64_t walk(const far struct node *node)
{
	uint64_t hash = 0;
	for (; node; node = node->next)
		hash = hash * 31 + *node->value + node->key;
	return hash;
}

static uint64_t descend(const far struct node *node, uint64_t key)
{
	uint64_t depth = 0;
	while (node && node->key != key) {
		node = node->child[key > node->key];
		depth++;
		if (depth % 4 == 0)
			nproc_yield();
	}
	return node ? depth * 1000 + *node->value % 1000 : depth;
}

NPROC_KERNEL int64_t far_pointers(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	far struct node *head = build(memory, nbytes, seed);
	for (far struct node *node = head->next; node; node = node->next)
		insert(head, node);
	uint64_t result = walk(head);
	for (const far struct node *node = head; node; node = node->next)
		result = result * 17 + descend(head, node->key);
	ptrdiff_t distance = head - head->next;
	npipe_write(1, &distance, sizeof distance);
	return (int64_t)result;
}
