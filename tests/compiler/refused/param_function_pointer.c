#include <nearside/kernel.h>

NPROC_KERNEL int64_t call(int (*back)(int), int function(void))
{
	(void)back;
	(void)function;
	return 0;
}


// expect: 3:33: error: parameter 'back' is a function pointer
// expect: note: pass an integer and choose with switch: code of the host does not exist on the device
// expect: 3:49: error: parameter 'function' is a function pointer
// expect: note: pass an integer and choose with switch: code of the host does not exist on the device
