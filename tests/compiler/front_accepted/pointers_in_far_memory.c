#include <nearside/kernel.h>
#include <string.h>

struct node {
	far struct node *next;
	const far char *name;
	uint64_t value;
};

struct private_node {
	struct private_node *next;
	uint64_t value;
};

NPROC_KERNEL int64_t walk(far struct node *list, const far struct node *constant, far void *raw, uint64_t base)
{
	uint64_t sum = 0;
	for (far struct node *node = list; node != NULL; node = node->next)
		sum += node->value + (uint64_t)node->name[0];
	struct node copy = *list;
	copy.next = list;
	*list = copy;
	memcpy(&copy, constant, sizeof copy);
	memcpy(list, &copy, sizeof copy);
	far uint64_t *words = (far uint64_t *)raw, *made = (far uint64_t *)(base + 8), *none = (far uint64_t *)NULL;
	if (words == made || made == none || !constant)
		sum += (uintptr_t)words & 63;
	far struct private_node *unused_links = (far struct private_node *)raw;
	return (int64_t)(sum + unused_links->value);
}
