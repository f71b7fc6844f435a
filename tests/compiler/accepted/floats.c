/* Floating point: the same bits on every device. */
#include <math.h>

#include <nearside/kernel.h>

static double polynomial(double x)
{
	return ((x * 0.125 - 3.5) * x + 7.0) * x - 1.0 / 3.0;
}

static float dot(const far uint8_t *bytes, uint64_t count)
{
	float sum = 0;
	for (uint64_t i = 0; i < count; i++)
		sum += (float)bytes[i] * 0.1f;
	return sum;
}

NPROC_KERNEL int64_t floats(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	double results[10] = {0};
	for (uint64_t i = 0; i < nbytes; i++) {
		double x = (double)memory[i] - 127.5;
		results[0] += polynomial(x);
		results[1] = x > results[1] ? x : results[1];
		results[2] += sqrt(fabs(x));
		results[3] += x / (double)(i + 1);
	}
	results[4] = dot(memory, nbytes);
	results[5] = (double)(int64_t)(results[0] / 3.0);
	results[6] = (double)(uint64_t)(results[2] * 1e6);
	results[7] = copysign(results[3], -1.0);
	results[8] = (float)results[3] * (float)seed;
	results[9] = (double)(int32_t)(results[3] < 0) - (double)UINT64_MAX;
	npipe_write(1, results, 40);
	npipe_write(1, results + 5, 40);
	return (int64_t)results[6];
}
