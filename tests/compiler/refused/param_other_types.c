#include <nearside/kernel.h>

typedef int vector __attribute__((vector_size(16)));

NPROC_KERNEL int64_t take(long double a, __int128 b, double _Complex c, _Atomic int d, vector e)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
	return 0;
}


// expect: 5:39: error: parameter 'a' has type 'long double'; a process is given integers of at most 64 bits, float, double, far pointers and small structs
// expect: note: use double
// expect: 5:51: error: parameter 'b' has type '__int128'; a process is given integers of at most 64 bits, float, double, far pointers and small structs
// expect: note: pass it in parts, or as a struct of parts
// expect: 5:70: error: parameter 'c' has type '_Complex double'; a process is given integers of at most 64 bits, float, double, far pointers and small structs
// expect: note: pass it in parts, or as a struct of parts
// expect: 5:85: error: parameter 'd' has type '_Atomic(int)'; a process is given integers of at most 64 bits, float, double, far pointers and small structs
// expect: note: pass it in parts, or as a struct of parts
// expect: 5:95: error: parameter 'e' has type 'vector'; a process is given integers of at most 64 bits, float, double, far pointers and small structs
// expect: note: pass it in parts, or as a struct of parts
