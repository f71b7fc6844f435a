#include <nearside/kernel.h>
#include <stdarg.h>

static int sum(int count, ...)
{
	va_list list;
	int total = 0;
	va_start(list, count);
	while (count--)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

NPROC_KERNEL int64_t add(int a, int b)
{
	return sum(2, a, b);
}


// expect: 4:12: error: function 'sum' takes a variable number of arguments
// expect: note: give it as many parameters as it needs, or an array and a count
// expect: note: 'sum' runs in a kernel: add -> sum
