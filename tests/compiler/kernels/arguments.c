/* Kernels that send back what they were given: every kind of parameter. */
#include <nearside/kernel.h>

struct s1 {
	uint8_t a;
};
struct s3 {
	uint8_t a[3];
};
struct s8 {
	float a, b;
};
struct s12 {
	float a, b, c;
};
struct s12i {
	uint32_t a, b, c;
};
struct s16 {
	double a;
	int8_t b;
};
struct s24 {
	uint64_t a, b, c;
};
struct s32 {
	uint64_t a;
	double b;
	uint8_t c[16];
};

#define SEND(v) npipe_write(1, &v, sizeof v)

NPROC_KERNEL int64_t numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
	uint64_t h, bool i, float j, double k, far uint8_t *l, const far void *m, char n, float o, bool p)
{
	nproc_yield();
	SEND(a);
	SEND(b);
	SEND(c);
	SEND(d);
	SEND(e);
	SEND(f);
	SEND(g);
	SEND(h);
	SEND(i);
	SEND(j);
	SEND(k);
	SEND(l);
	SEND(m);
	SEND(n);
	SEND(o);
	SEND(p);
	return a + b + c + d + e + f + g + (int64_t)h;
}

NPROC_KERNEL int64_t small_structs(struct s1 a, struct s3 b, struct s8 c, struct s12 d, struct s12i e,
	struct s16 f)
{
	SEND(a);
	SEND(b);
	SEND(c);
	SEND(d);
	SEND(e);
	SEND(f.a);
	SEND(f.b);
	return 0;
}

/* More than fits into registers of the calling convention: some of the later ones arrive in memory. */
NPROC_KERNEL int64_t large_structs(struct s24 a, struct s16 b, struct s12i c, struct s12i d, struct s12i e,
	struct s12i f, struct s32 g, uint32_t h)
{
	nproc_yield();
	g.c[h % 16]++;
	SEND(a);
	SEND(b.a);
	SEND(b.b);
	SEND(c);
	SEND(d);
	SEND(e);
	SEND(f);
	SEND(g);
	SEND(h);
	return 0;
}

NPROC_KERNEL int64_t nothing(void)
{
	return 42;
}
