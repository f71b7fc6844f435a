#include <nearside/kernel.h>
#include <stdatomic.h>

NPROC_KERNEL int64_t count(far _Atomic uint64_t *counter, far uint32_t *plain)
{
	_Atomic int local = 0;
	atomic_fetch_add(counter, 1);
	atomic_fetch_add(&local, 2);
	__atomic_fetch_add(plain, 3, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_seq_cst);
	return local;
}
