/* nproc_impl.h - how nproc_spawn() builds its arguments. Not for direct use. */
#ifndef NEARSIDE_NPROC_IMPL_H
#define NEARSIDE_NPROC_IMPL_H

static inline struct nproc_arg nproc_arg_signed(long long v)
{
	struct nproc_arg a = {NPROC_ARG_INT, 1, {(uint64_t)v}, 0};
	return a;
}

static inline struct nproc_arg nproc_arg_unsigned(unsigned long long v)
{
	struct nproc_arg a = {NPROC_ARG_INT, 0, {v}, 0};
	return a;
}

static inline struct nproc_arg nproc_arg_float(float v)
{
	struct nproc_arg a = {NPROC_ARG_FLOAT, 0, {0}, 0};
	a.value.f32 = v;
	return a;
}

static inline struct nproc_arg nproc_arg_double(double v)
{
	struct nproc_arg a = {NPROC_ARG_DOUBLE, 0, {0}, 0};
	a.value.f64 = v;
	return a;
}

static inline struct nproc_arg nproc_arg_pointer(const volatile void *v)
{
	struct nproc_arg a = {NPROC_ARG_POINTER, 0, {0}, 0};
	a.value.pointer = (const void *)v;
	return a;
}

static inline struct nproc_arg nproc_arg_same(struct nproc_arg a)
{
	return a;
}

static inline struct nproc_arg nproc_arg_struct(const void *bytes, size_t nbytes)
{
	struct nproc_arg a = {NPROC_ARG_STRUCT, 0, {0}, nbytes};
	a.value.pointer = bytes;
	return a;
}

/* The struct must live until nproc_spawn() returns. */
#define NPROC_STRUCT(lvalue) nproc_arg_struct(&(lvalue), sizeof(lvalue))

#define NPROC_ARG_(x)                                   \
	_Generic((x),                                   \
		_Bool: nproc_arg_unsigned,              \
		char: nproc_arg_signed,                 \
		signed char: nproc_arg_signed,          \
		short: nproc_arg_signed,                \
		int: nproc_arg_signed,                  \
		long: nproc_arg_signed,                 \
		long long: nproc_arg_signed,            \
		unsigned char: nproc_arg_unsigned,      \
		unsigned short: nproc_arg_unsigned,     \
		unsigned int: nproc_arg_unsigned,       \
		unsigned long: nproc_arg_unsigned,      \
		unsigned long long: nproc_arg_unsigned, \
		float: nproc_arg_float,                 \
		double: nproc_arg_double,               \
		struct nproc_arg: nproc_arg_same,       \
		default: nproc_arg_pointer)(x)

#define NPROC_SPAWN_0_(d, i, k, a, p) nproc_spawnv(d, i, k, a, p, 0, NULL)
#define NPROC_SPAWN_N_(d, i, k, a, p, n, ...) \
	nproc_spawnv(d, i, k, a, p, n, (const struct nproc_arg[]){__VA_ARGS__})
#define NPROC_SPAWN_1_(d, i, k, a, p, x1) NPROC_SPAWN_N_(d, i, k, a, p, 1, NPROC_ARG_(x1))
#define NPROC_SPAWN_2_(d, i, k, a, p, x1, x2) \
	NPROC_SPAWN_N_(d, i, k, a, p, 2, NPROC_ARG_(x1), NPROC_ARG_(x2))
#define NPROC_SPAWN_3_(d, i, k, a, p, x1, x2, x3) \
	NPROC_SPAWN_N_(d, i, k, a, p, 3, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3))
#define NPROC_SPAWN_4_(d, i, k, a, p, x1, x2, x3, x4) \
	NPROC_SPAWN_N_(                               \
		d, i, k, a, p, 4, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3), NPROC_ARG_(x4))
#define NPROC_SPAWN_5_(d, i, k, a, p, x1, x2, x3, x4, x5)                                \
	NPROC_SPAWN_N_(d, i, k, a, p, 5, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3), \
		NPROC_ARG_(x4), NPROC_ARG_(x5))
#define NPROC_SPAWN_6_(d, i, k, a, p, x1, x2, x3, x4, x5, x6)                            \
	NPROC_SPAWN_N_(d, i, k, a, p, 6, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3), \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6))
#define NPROC_SPAWN_7_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7)                        \
	NPROC_SPAWN_N_(d, i, k, a, p, 7, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3), \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7))
#define NPROC_SPAWN_8_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8)                    \
	NPROC_SPAWN_N_(d, i, k, a, p, 8, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3), \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8))
#define NPROC_SPAWN_9_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9)                       \
	NPROC_SPAWN_N_(d, i, k, a, p, 9, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),        \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9))
#define NPROC_SPAWN_10_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)                 \
	NPROC_SPAWN_N_(d, i, k, a, p, 10, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10))
#define NPROC_SPAWN_11_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11)            \
	NPROC_SPAWN_N_(d, i, k, a, p, 11, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11))
#define NPROC_SPAWN_12_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12)       \
	NPROC_SPAWN_N_(d, i, k, a, p, 12, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11), NPROC_ARG_(x12))
#define NPROC_SPAWN_13_(d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13)  \
	NPROC_SPAWN_N_(d, i, k, a, p, 13, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11), NPROC_ARG_(x12),              \
		NPROC_ARG_(x13))
#define NPROC_SPAWN_14_(                                                                        \
	d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14)             \
	NPROC_SPAWN_N_(d, i, k, a, p, 14, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11), NPROC_ARG_(x12),              \
		NPROC_ARG_(x13), NPROC_ARG_(x14))
#define NPROC_SPAWN_15_(                                                                        \
	d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15)        \
	NPROC_SPAWN_N_(d, i, k, a, p, 15, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11), NPROC_ARG_(x12),              \
		NPROC_ARG_(x13), NPROC_ARG_(x14), NPROC_ARG_(x15))
#define NPROC_SPAWN_16_(                                                                        \
	d, i, k, a, p, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16)   \
	NPROC_SPAWN_N_(d, i, k, a, p, 16, NPROC_ARG_(x1), NPROC_ARG_(x2), NPROC_ARG_(x3),       \
		NPROC_ARG_(x4), NPROC_ARG_(x5), NPROC_ARG_(x6), NPROC_ARG_(x7), NPROC_ARG_(x8), \
		NPROC_ARG_(x9), NPROC_ARG_(x10), NPROC_ARG_(x11), NPROC_ARG_(x12),              \
		NPROC_ARG_(x13), NPROC_ARG_(x14), NPROC_ARG_(x15), NPROC_ARG_(x16))

/* Fewer than five arguments: the compiler shows this text. */
#define NPROC_SPAWN_SHORT_(...)                                                                   \
	((int)sizeof(struct {                                                                     \
		_Static_assert(0, "nproc_spawn takes device, image, kernel, attr, process, then " \
				  "the arguments of the kernel");                                 \
		int unused;                                                                       \
	}))

/* Two are what a kernel gives: nearside/kernel.h makes something else of them. */
#define NPROC_SPAWN_TWO_ NPROC_SPAWN_SHORT_

/* Picks NPROC_SPAWN_n_ by the number of arguments, without an empty variable argument. */
#define NPROC_SPAWN_COUNTS_                                                                       \
	NPROC_SPAWN_16_, NPROC_SPAWN_15_, NPROC_SPAWN_14_, NPROC_SPAWN_13_, NPROC_SPAWN_12_,      \
		NPROC_SPAWN_11_, NPROC_SPAWN_10_, NPROC_SPAWN_9_, NPROC_SPAWN_8_, NPROC_SPAWN_7_, \
		NPROC_SPAWN_6_, NPROC_SPAWN_5_, NPROC_SPAWN_4_, NPROC_SPAWN_3_, NPROC_SPAWN_2_,   \
		NPROC_SPAWN_1_, NPROC_SPAWN_0_, NPROC_SPAWN_SHORT_, NPROC_SPAWN_SHORT_,           \
		NPROC_SPAWN_TWO_, NPROC_SPAWN_SHORT_, NPROC_SPAWN_SHORT_,
#define NPROC_SPAWN_PICK_(...) NPROC_SPAWN_PICK_EXPANDED_(__VA_ARGS__)
#define NPROC_SPAWN_PICK_EXPANDED_(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, \
	x15, x16, x17, x18, x19, x20, x21, pick, ...)                                           \
	pick

#endif
