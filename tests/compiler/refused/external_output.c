#include <nearside/kernel.h>
#include <stdio.h>
#include <unistd.h>

static void say(int n)
{
	printf("%d\n", n);
	fprintf(stderr, "%d\n", n);
}

NPROC_KERNEL int64_t talk(int n)
{
	char text[16];
	say(n);
	puts("done");
	snprintf(text, sizeof text, "%d", n);
	write(1, text, sizeof text);
	read(0, text, sizeof text);
	close(1);
	return 0;
}


// expect: 7:2: error: 'printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: note: 'say' runs in a kernel: talk -> say
// expect: 8:2: error: 'fprintf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: note: 'say' runs in a kernel: talk -> say
// expect: 8:10: error: 'stderr' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: /usr/include/stdio.h:145:14: note: 'stderr' is declared here
// expect: note: 'say' runs in a kernel: talk -> say
// expect: 15:2: error: 'puts' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: 16:2: error: 'snprintf' does not exist on the device
// expect: note: leave text to the host: send it numbers through a pipe, or use nproc_log(format, ...)
// expect: 17:2: error: 'write' does not exist on the device
// expect: note: use npipe_write(fd, bytes, nbytes): ends 0, 1, 2... are those that the host passed
// expect: 18:2: error: 'read' does not exist on the device
// expect: note: use npipe_read(fd, bytes, nbytes): ends 0, 1, 2... are those that the host passed
// expect: 19:2: error: 'close' does not exist on the device
// expect: note: use npipe_close(fd)
