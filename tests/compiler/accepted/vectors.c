/* Vector types of the language itself, in registers, private and far memory. */
#include <nearside/kernel.h>

typedef int32_t four __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(32)));
typedef uint64_t pair __attribute__((vector_size(16), aligned(8)));

NPROC_KERNEL int64_t vectors(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	four sum = {0};
	far four *cells = (far four *)(memory + nbytes % 16);
	for (uint64_t i = 0; i < nbytes / 32; i++) {
		four cell = cells[i];
		sum += cell * (four){1, 2, 3, (int32_t)seed} >> 1;
		cells[i] = cell ^ sum;
		nproc_yield();
		four larger = cell > sum;
		sum = (cell & larger) | (sum & ~larger);
	}
	reals real = {1, 2, 3, 4, 5, 6, 7, 8};
	for (unsigned i = 0; i < 5; i++) {
		real = real * 1.5f - (float)i;
		nproc_yield();
	}
	pair words = *(far pair *)(memory + 8);
	words += (pair){seed, ~seed};
	*(far pair *)(memory + 24) = words;
	npipe_write(1, &real, sizeof real);
	npipe_write(1, &sum, sizeof sum);
	return sum[seed % 4] + (int64_t)words[seed & 1];
}
