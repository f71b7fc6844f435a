#include <nearside/kernel.h>

struct shared {
	far uint8_t *bytes;
};

NPROC_KERNEL int64_t first(const far uint64_t *keys)
{
	uint64_t *private_keys = (uint64_t *)keys;
	return (int64_t)*private_keys;
}

static int host_only(struct shared *shared)
{
	shared->nothing = 1;
	return undeclared;
}

NPROC_KERNEL int64_t second(far struct shared *shared, int64_t n)
{
	return shared->bytes[n] + n << 64;
}

int main(void)
{
	struct shared shared = {0};
	return host_only(shared;
}

// expect: 9:27: error: a far pointer is cast to a private one
// expect: note: keep it far, or copy what it points to into a private object (T copy = *p)
// expect: 15:10: error: no member named 'nothing' in 'struct shared'
// expect: 16:9: error: use of undeclared identifier 'undeclared'
// expect: 21:30: error: shift count >= width of type
// expect: 27:25: error: expected ')'
// expect: 27:18: note: to match this '('
