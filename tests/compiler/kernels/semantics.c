/* What C leaves undefined has one meaning here. The exit code names the first check that fails. */
#include <nearside/kernel.h>

#define CHECK(condition) \
	do {             \
		checks++; \
		if (!(condition)) \
			return checks; \
	} while (0)

NPROC_KERNEL int64_t semantics(uint64_t zero)
{
	int64_t checks = 0;
	int32_t one = 1 + (int32_t)zero, most = INT32_MAX - (int32_t)zero;
	unsigned forty = 40 + (unsigned)zero;
	double large = 1e30 + (double)zero, none = (double)zero / (double)zero;
	uint64_t kept;
	uint8_t buffer[5];
	CHECK(most + one == INT32_MIN);         /* arithmetic wraps */
	CHECK(-(most + one) == INT32_MIN);
	CHECK(most * 2 == -2);
	CHECK((one << forty) == 256);           /* shift counts are taken modulo the width */
	CHECK((1u << (32 + zero)) == 1);
	CHECK((-256 >> forty) == -1);
	CHECK(((uint64_t)one << (64 + forty)) == 1ull << 40);
	CHECK((int32_t)large == INT32_MAX);     /* conversions saturate */
	CHECK((int64_t)-large == INT64_MIN);
	CHECK((uint32_t)-large == 0);
	CHECK((uint8_t)(int32_t)(300.7 + (double)zero) == 44);
	CHECK((int32_t)none == 0);
	CHECK(kept == 0);                       /* what was never written is 0 */
	CHECK(buffer[zero] == 0 && buffer[4 - zero] == 0);
	CHECK((char)(200 + zero) < 0);          /* char is signed */
	CHECK(one / (2 * one) == 0 && -7 / (2 * one) == -3 && -7 % (2 * one) == -1);
	return 0;
}
