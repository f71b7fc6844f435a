/* kernel_impl.h - the macros behind kernel.h. Not for direct use. */
#ifndef NEARSIDE_KERNEL_IMPL_H
#define NEARSIDE_KERNEL_IMPL_H

#define NK_PICK_(end, kernel_call, host_call) \
	_Generic((end), struct npipe *: host_call, default: kernel_call)

/* An argument of nproc_log() as a word. */
static inline uint64_t nk_log_double(double v)
{
	union {
		double f;
		uint64_t u;
	} bits = {.f = v};
	return bits.u;
}

static inline uint64_t nk_log_integer(uint64_t v)
{
	return v;
}

static inline uint64_t nk_log_pointer(const volatile void *v)
{
	return (uint64_t)(uintptr_t)v;
}

static inline uint64_t nk_log_far(const far volatile void *v)
{
	return (uint64_t)(uintptr_t)v;
}

__attribute__((format(printf, 1, 2))) static inline void nk_log_check(const char *format, ...)
{
	(void)format;
}

#endif
