/* Dense and sparse switches, fall through, and a switch into a loop that waits (Duff's device). */
#include <nearside/kernel.h>

static int64_t dense(unsigned value)
{
	switch (value) {
	case 0:
		return 17;
	case 1:
		return -4;
	case 2:
		return 99;
	case 3:
	case 4:
		return 1000;
	case 5:
		return -7;
	case 6:
		return 21;
	default:
		return 3;
	}
}

static int64_t sparse(int64_t value, int64_t so_far)
{
	switch (value) {
	case -9000000000:
		so_far += 5;
		break;
	case 17:
		so_far *= 2; /* fall through */
	case 40000:
		so_far ^= 0x55;
		break;
	case INT64_MAX:
		return so_far;
	default:
		so_far -= value & 15;
	}
	return so_far + 1;
}

static int64_t duff(unsigned count)
{
	int64_t steps = 0;
	unsigned rounds = (count + 3) / 4;
	switch (count % 4) {
	case 0:
		do {
			steps += 8;
			nproc_yield(); /* fall through */
		case 3:
			steps += 4; /* fall through */
		case 2:
			steps ^= 3; /* fall through */
		case 1:
			steps += 1;
		} while (--rounds > 0);
	}
	return steps;
}

NPROC_KERNEL int64_t switches(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	int64_t total = 0;
	for (uint64_t i = 0; i < nbytes; i++)
		total = total * 3 + dense(memory[i] % 9);
	static const int64_t values[] = {17, 40000, -9000000000, INT64_MAX, 0, -1};
	for (unsigned i = 0; i < 6; i++)
		total += sparse(values[i], total);
	for (unsigned i = 1; i < 9; i++)
		total = total * 7 + duff((unsigned)seed % 5 + i);
	return total;
}
