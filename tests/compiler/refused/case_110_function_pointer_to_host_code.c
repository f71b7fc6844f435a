#include <nearside/kernel.h>
#include <stdio.h>

static void on_host(int n)
{
	printf("%d\n", n);
}

static void (*const hook)(int) = on_host;

NPROC_KERNEL int64_t notify(int n)
{
	hook(n);
	return 0;
}

int main(void)
{
	hook(1);
	return 0;
}


// expect: 6:2: error: 'printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: note: 'on_host' runs in a kernel: notify -> on_host
// expect: 9:34: error: the address of function 'on_host' is taken
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
// expect: 13:2: error: call through a function pointer
// expect: note: call the function by its name; where one of several is meant, choose with switch or if
