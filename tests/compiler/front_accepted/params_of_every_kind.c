#include <nearside/kernel.h>

typedef enum { LOW = -1, HIGH } level;

struct words {
	uint64_t words[4];
};

struct with_far {
	far int *pointer;
};

union either {
	int32_t number;
	float fraction;
};

NPROC_KERNEL int64_t take(char a, unsigned char b, short c, _Bool d, level e, long long f, float g, double h,
	struct words i, union either j, far void *k, const far struct words *l, far struct words (*m)[2],
	const uint8_t n, struct with_far o, const volatile far int *p)
{
	return a + b + c + d + e + f + (int64_t)g + (int64_t)h + (int64_t)i.words[3] + j.number + (k != 0) +
		(int64_t)l->words[0] + (int64_t)(*m)[1].words[0] + n + *o.pointer + *p;
}

NPROC_KERNEL int64_t none(void)
{
	return 0;
}

NPROC_KERNEL int64_t old_style()
{
	return 0;
}
