#include <nearside/kernel.h>

enum color { RED, GREEN };

static const uint8_t squares[] = {0, 1, 4, 9};
static const struct {
	int64_t weight;
	enum color color;
} weights[2] = {{1, RED}, {2, GREEN}};
static const int zeros[4];
const double halves[] = {0.5, 1.5};

NPROC_KERNEL int64_t look(unsigned n)
{
	static const int64_t local[] = {7, 8};
	return squares[n & 3] + weights[n & 1].weight + weights[n & 1].color + zeros[n & 3] + local[n & 1] +
		(int64_t)halves[n & 1];
}
