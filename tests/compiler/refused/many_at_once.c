#include <nearside/kernel.h>
#include <stdio.h>

static int counter;

NPROC_KERNEL int64_t first(const far int *items)
{
	const int *private = items;
	printf("%d\n", private[0]);
	return counter++;
}

NPROC_KERNEL int second(char *text)
{
	asm("nop");
	return text[0];
}


// expect: 8:13: error: initializing 'const int *' with an expression of type 'far int const *' changes address space of pointer
// expect: note: far and private pointers do not convert: declare the pointer `far T *`, or copy the bytes into a private object (T copy = *p) and use its address
// expect: 9:2: error: 'printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: 10:9: error: 'counter' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 4:12: note: 'counter' is declared here
// expect: 13:18: error: kernel 'second' returns 'int' instead of int64_t, the exit code of its process
// expect: note: NPROC_KERNEL int64_t second(...), and `return 0;` where there is nothing to say
// expect: 13:31: error: parameter 'text' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far char *`
// expect: 15:2: error: inline assembly: the same kernel runs on several instruction sets
// expect: note: write it in C; clang's builtins become single instructions where there are some
