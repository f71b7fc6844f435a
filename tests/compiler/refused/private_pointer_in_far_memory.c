#include <nearside/kernel.h>

struct node {
	struct node *next;
	const char *name[2];
	int (*visit)(int);
	int value;
};

NPROC_KERNEL int64_t walk(far struct node *node, int *far *list)
{
	int cell = 3;
	list[0] = &cell;
	node->next = 0;
	return node->next->value + node->name[1][0] + node->visit(1) + *list[1];
}


// expect: 13:2: error: a private pointer in far memory
// expect: note: what lies in far memory points to far memory only: declare it `far int *`
// expect: 14:8: error: a private pointer in far memory
// expect: note: what lies in far memory points to far memory only: declare it `far struct node *`
// expect: 4:15: note: 'next' is declared here
// expect: 15:15: error: a private pointer in far memory
// expect: note: what lies in far memory points to far memory only: declare it `far struct node *`
// expect: 4:15: note: 'next' is declared here
// expect: 15:29: error: a private pointer in far memory
// expect: note: what lies in far memory points to far memory only: declare it `const far char *`
// expect: 15:48: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 15:54: error: a private pointer in far memory
// expect: note: store a number, and choose the function with switch
// expect: 6:8: note: 'visit' is declared here
// expect: 15:66: error: a private pointer in far memory
// expect: note: what lies in far memory points to far memory only: declare it `far int *`
