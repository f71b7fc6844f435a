#include <nearside/kernel.h>
#include <stdio.h>

#define REPORT(value) printf("%d\n", value)
#define TWICE(call) ((call), (call))
#define DECLARE_BUFFER(name, count) char name[count]

int elsewhere(void);

NPROC_KERNEL int64_t work(int n)
{
	REPORT(n);
	TWICE(elsewhere());
	DECLARE_BUFFER(buffer, n);
	return buffer[0];
}


// expect: 12:2: error: 'printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: 13:8: error: 'elsewhere' has no body in this file, and is not in the kernel library
// expect: note: define it in this file or as static inline in a header; nearside/kernel.h lists the kernel library
// expect: 14:17: error: the length of array 'buffer' is not constant, but the frame of a process has a fixed size
// expect: note: give it the largest length that it needs and check that; large buffers belong into far memory
