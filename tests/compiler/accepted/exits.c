/* A process can end from inside a helper, in a loop, with pipes open. */
#include <nearside/kernel.h>

static void stop_at(uint8_t byte, uint64_t seen)
{
	if (byte % 64 == 63) {
		nproc_yield();
		nproc_exit((int64_t)seen * 1000 + byte);
	}
}

NPROC_KERNEL int64_t exits(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	for (uint64_t i = 0; i < nbytes; i++) {
		nproc_assert(i < nbytes);
		stop_at(memory[i], i);
		memory[i] = (uint8_t)seed;
	}
	return -1;
}
