/* Loops that end only when the process is killed. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t endless(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	volatile uint64_t count = 0;
	switch (seed) {
	case 1:
		for (;;) // killed 1
			;
	case 2:
		while (memory[0] + count + 1 != 0) // killed 2
			count++;
		return 0;
	case 3: // killed 3
	again:
		count += memory[count % nbytes];
		if (count != 1)
			goto again;
		return 0;
	case 4: // killed 4
		for (uint64_t i = 0; i < UINT64_MAX; i++)
			for (uint64_t j = 0; j < 3; j++)
				count = i ^ j;
		return 0;
	case 5: { // killed 5
		uint8_t byte;
		while (npipe_write(1, &byte, 0) == 0)
			;
		return 0;
	}
	case 6: // killed 6
		for (uint64_t i = 0; i < nbytes; i++)
			memory[i] = 0;
		return (int64_t)count;
	case 7: { // killed 7
		uint64_t n = nbytes;
		if (memory[0])
			goto inside;
		do {
			n += 2;
		inside:
			n ^= 1;
		} while (n | 1);
		return (int64_t)n;
	}
	default:
		return 0;
	}
}
