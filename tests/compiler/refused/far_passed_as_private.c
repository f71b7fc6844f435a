#include <nearside/kernel.h>

static int sum(const int *items, unsigned count)
{
	int total = 0;
	while (count--)
		total += items[count];
	return total;
}

NPROC_KERNEL int64_t add(const far int *items, unsigned count)
{
	const int *private = items;
	int cell;
	far int *to = &cell;
	npipe_write(1, items, count);
	*to = 1;
	return sum(items, count) + private[0];
}

// expect: 13:13: error: initializing 'const int *' with an expression of type 'far int const *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 15:11: error: initializing 'far int *' with an expression of type 'int *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 16:17: error: passing 'far int const *' to parameter of type 'const void *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 18:13: error: passing 'far int const *' to parameter of type 'const int *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 3:27: note: passing argument to parameter 'items' here
