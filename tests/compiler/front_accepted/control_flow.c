#include <nearside/kernel.h>

/* Duff's device, goto out of and into blocks, statement expressions. */
NPROC_KERNEL int64_t wander(unsigned n)
{
	unsigned left = (n + 3) / 4, sum = 0;
	switch (n & 3) {
	case 0:
		do {
			sum++;
	case 3:
			sum += 2;
	case 2:
			sum += 3;
	case 1:
			sum += 4;
		} while (left-- > 1);
	}
	if (n == 7)
		goto inside;
	unsigned i;
	for (i = 0; i < n; i++) {
		if (i == 3)
			goto out;
inside:
		sum += n;
	}
out:
	return (int64_t)sum + ({
		unsigned double_sum = sum * 2;
		double_sum;
	});
}
