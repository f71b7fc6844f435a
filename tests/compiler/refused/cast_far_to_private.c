#include <nearside/kernel.h>

struct node {
	int value;
};

static int value_of(struct node *node)
{
	return node->value;
}

NPROC_KERNEL int64_t look(far struct node *node, const far char *text)
{
	const char *private = (const char *)text;
	return value_of((struct node *)node) + private[0];
}


// expect: 14:24: error: a far pointer is cast to a private one
// expect: note: keep it far, or copy what it points to into a private object (T copy = *p)
// expect: 15:18: error: a far pointer is cast to a private one
// expect: note: keep it far, or copy what it points to into a private object (T copy = *p)
