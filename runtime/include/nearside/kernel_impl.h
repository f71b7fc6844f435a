/* kernel_impl.h - the macros behind kernel.h. Not for direct use. */
#ifndef NEARSIDE_KERNEL_IMPL_H
#define NEARSIDE_KERNEL_IMPL_H

#define NK_PICK_(end, kernel_call, host_call) \
	_Generic((end),                       \
		struct npipe *: host_call,    \
		struct nproc *: host_call,    \
		void *: host_call,            \
		default: kernel_call)

/* With one argument the kernel's, with two the host's. */
#define NK_BY_COUNT_(x1, x2, call, ...) call

/* Likewise with two, and with three. */
#define NK_BY_COUNT_3_(x1, x2, x3, call, ...) call

/* A result, not an object: that would live, and be kept, to the end of the block. */
static inline struct nproc_start nk_here(void)
{
	struct nproc_start start = NPROC_START_INIT;
	return start;
}

/*
 * What is written through a pointer of the kernel's is written by code that is checked like the
 * kernel's.
 */
static inline int nk_wait(int child, struct nproc_outcome *outcome)
{
	struct nk_waited waited = nk_wait_child(child);
	if (outcome && waited.number >= 0) {
		outcome->state = (enum nproc_state)waited.state;
		outcome->error = waited.state == NPROC_REFUSED ? (int)waited.value : 0;
		outcome->exit_code = waited.state == NPROC_EXITED ? waited.value : 0;
	}
	return waited.number;
}

static inline int nk_create(int *ends)
{
	int64_t both = nk_pipe();
	if (both < 0)
		return (int)both;
	ends[0] = (int)(both & 0xff);
	ends[1] = (int)(both >> 8);
	return 0;
}

static inline int nk_get_far(void *scratch, const far void *from, size_t nbytes)
{
	return nk_get(scratch, (uint64_t)from, nbytes);
}

static inline int nk_put_far(far void *to, const void *scratch, size_t nbytes)
{
	return nk_put((uint64_t)to, scratch, nbytes);
}

static inline void nk_publish_far(const far void *pointer, size_t nbytes)
{
	nk_publish((uint64_t)pointer, nbytes);
}

static inline void nk_refresh_far(const far void *pointer, size_t nbytes)
{
	nk_refresh((uint64_t)pointer, nbytes);
}

/* ---- nproc_log() ----------------------------------------------------------------------------- */

/*
 * Arguments become words: floats by their bits, all else converted, so that a far pointer keeps its
 * address.
 */
static inline uint64_t nk_log_double(double v)
{
	union {
		double f;
		uint64_t u;
	} bits = {.f = v};
	return bits.u;
}

/*
 * The compiler makes of it a look at as much of the string as is printed: one without an end is
 * this kernel's mistake.
 */
uint64_t nk_log_string(const char *v);

/* Never called: the compiler checks the format against the arguments. */
__attribute__((format(printf, 1, 2))) static inline void nk_log_check(const char *format, ...)
{
	(void)format;
}

/*
 * The argument where its type is of one kind, else something of that kind: every branch must
 * compile.
 */
#define NK_LOG_FLOATING_(x) _Generic((x), float: (x), double: (x), default: 0.0)
#define NK_LOG_TEXT_(x)     _Generic((x), char *: (x), const char *: (x), default: (const char *)0)
#define NK_LOG_OTHER_(x)    _Generic((x), float: 0, double: 0, default: (x))

/* Strings in far memory are refused by the compiler, which knows this name. */
#ifdef NEARSIDE_COMPILING_KERNELS
uint64_t nk_log_far_string(const far char *v);
#define NK_LOG_FAR_TEXT_(x) \
	_Generic((x), far char *: (x), const far char *: (x), default: (const far char *)0)
#define NK_LOG_FAR_CASES_(x)                                 \
	far char * : nk_log_far_string(NK_LOG_FAR_TEXT_(x)), \
		     const far char * : nk_log_far_string(NK_LOG_FAR_TEXT_(x)),
#else
#define NK_LOG_FAR_CASES_(x)
#endif

#define NK_LOG_WORD_(x)                                       \
	_Generic((x),                                         \
		float: nk_log_double(NK_LOG_FLOATING_(x)),    \
		double: nk_log_double(NK_LOG_FLOATING_(x)),   \
		char *: nk_log_string(NK_LOG_TEXT_(x)),       \
		const char *: nk_log_string(NK_LOG_TEXT_(x)), \
		NK_LOG_FAR_CASES_(x) default: (uint64_t)(NK_LOG_OTHER_(x)))

#define NK_LOG_NONE_(format) (NK_LOG_CHECK_((format)), nk_log(format, (const uint64_t *)0, 0))
#define NK_LOG_SOME_(format, ...)                                                \
	(NK_LOG_CHECK_((format, __VA_ARGS__)),                                   \
		nk_log(format, (const uint64_t[]){NK_LOG_WORDS_(__VA_ARGS__)},   \
			sizeof((const uint64_t[]){NK_LOG_WORDS_(__VA_ARGS__)}) / \
				sizeof(uint64_t)))
#define NK_LOG_CHECK_(arguments) (0 ? nk_log_check arguments : (void)0)

/* Which of the two, by the number of arguments; standard C11 without an empty variable argument. */
#define NK_LOG_(...)                                                                      \
	NK_LOG_PICK_(__VA_ARGS__, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, \
		NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_,     \
		NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_SOME_,     \
		NK_LOG_SOME_, NK_LOG_SOME_, NK_LOG_NONE_, unused)                         \
	(__VA_ARGS__)
#define NK_LOG_PICK_(                                                                        \
	f, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, pick, ...) \
	pick

#define NK_LOG_WORDS_(...)                                                                      \
	NK_LOG_PICK_(_, __VA_ARGS__, NK_LOG_W16_, NK_LOG_W15_, NK_LOG_W14_, NK_LOG_W13_,        \
		NK_LOG_W12_, NK_LOG_W11_, NK_LOG_W10_, NK_LOG_W9_, NK_LOG_W8_, NK_LOG_W7_,      \
		NK_LOG_W6_, NK_LOG_W5_, NK_LOG_W4_, NK_LOG_W3_, NK_LOG_W2_, NK_LOG_W1_, unused) \
	(__VA_ARGS__)
#define NK_LOG_W1_(x)       NK_LOG_WORD_(x)
#define NK_LOG_W2_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W1_(__VA_ARGS__)
#define NK_LOG_W3_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W2_(__VA_ARGS__)
#define NK_LOG_W4_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W3_(__VA_ARGS__)
#define NK_LOG_W5_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W4_(__VA_ARGS__)
#define NK_LOG_W6_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W5_(__VA_ARGS__)
#define NK_LOG_W7_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W6_(__VA_ARGS__)
#define NK_LOG_W8_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W7_(__VA_ARGS__)
#define NK_LOG_W9_(x, ...)  NK_LOG_WORD_(x), NK_LOG_W8_(__VA_ARGS__)
#define NK_LOG_W10_(x, ...) NK_LOG_WORD_(x), NK_LOG_W9_(__VA_ARGS__)
#define NK_LOG_W11_(x, ...) NK_LOG_WORD_(x), NK_LOG_W10_(__VA_ARGS__)
#define NK_LOG_W12_(x, ...) NK_LOG_WORD_(x), NK_LOG_W11_(__VA_ARGS__)
#define NK_LOG_W13_(x, ...) NK_LOG_WORD_(x), NK_LOG_W12_(__VA_ARGS__)
#define NK_LOG_W14_(x, ...) NK_LOG_WORD_(x), NK_LOG_W13_(__VA_ARGS__)
#define NK_LOG_W15_(x, ...) NK_LOG_WORD_(x), NK_LOG_W14_(__VA_ARGS__)
#define NK_LOG_W16_(x, ...) NK_LOG_WORD_(x), NK_LOG_W15_(__VA_ARGS__)

#endif
