#include "helper_in_header.h"

NPROC_KERNEL int64_t work(int n)
{
	return helper(n);
}


// expect: helper_in_header.h:6:2: error: 'printf' does not exist on the device
// expect: note: use nproc_log(format, ...), which the host receives by nproc_set_log()
// expect: note: 'helper' runs in a kernel: work -> helper
