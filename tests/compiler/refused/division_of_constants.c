#include <limits.h>
#include <nearside/kernel.h>

enum {
	LEAST = INT_MIN
};

static const int64_t table[1] = {INT64_MIN % (-1)};

static int64_t rest(int64_t a)
{
	return a + LEAST % -1;
}

NPROC_KERNEL int64_t divide(int64_t a)
{
	int64_t fine = INT_MIN / -1L + INT_MIN / 2 + INT_MIN / 4294967295u + (short)SHRT_MIN / -1;
	int64_t checked = a / -1;
	return a ? INT64_MIN / -1 : rest(fine + checked + table[0]);
}

// expect: 8:34: error: division overflows: the least integer divided by -1 has no result
// expect: note: write the value that is meant
// expect: 12:13: error: division overflows: the least integer divided by -1 has no result
// expect: note: write the value that is meant
// expect: note: 'rest' runs in a kernel: divide -> rest
// expect: 19:13: error: division overflows: the least integer divided by -1 has no result
// expect: note: write the value that is meant
