/*
 * front_externals.c - three lists: what kernels may call without a body in sight, what to use
 * instead of the rest of the C library, and instead of other builtins.
 *
 * Names stand between spaces; one that ends in * stands for all that begin so. The first entry that
 * holds a name counts. A builtin is found by its own name or by that of the function that it stands
 * for, without "__builtin_".
 */
#include <string.h>

#include "compiler/front_externals.h"

#define BUILTIN_PREFIX "__builtin_"

/* ---- what kernels have ---------------------------------------------------------------------- */

/* From the kernel library; instructions on every device, alike as functions and as builtins. */
#define FROM_LIBRARY " memcpy memmove memset memcmp "
#define INSTRUCTIONS " abs labs llabs fabs fabsf sqrt sqrtf copysign copysignf "

/* Most are operators to clang, and calls only where it finds an argument wrong. */
#define ATOMICS " __sync_* __atomic_* __c11_atomic_* "

/* Only functions of variable arguments have them, which are refused themselves. */
#define VARIABLE_ARGUMENTS "va_* "

/* Builtins that are constants or instructions on every device. */
#define BUILTINS                                                                             \
	" memcpy_inline memset_inline clz* ctz* ffs* clrsb* popcount* parity* bswap* "       \
	"bitreverse* rotateleft* rotateright* add_overflow sub_overflow mul_overflow sadd* " \
	"ssub* smul* uadd* usub* umul* addc* subc* expect expect_with_probability "          \
	"constant_p object_size dynamic_object_size unreachable trap prefetch isnan isinf* " \
	"isfinite isnormal issubnormal iszero issignaling isfpclass fpclassify signbit* "    \
	"isgreater* isless* isunordered huge_val* inf* nan* convertvector shufflevector "    \
	"reduce_add reduce_and reduce_or reduce_xor reduce_min reduce_max elementwise_abs "  \
	"elementwise_min elementwise_max elementwise_add_sat elementwise_sub_sat "           \
	"elementwise_popcount elementwise_bitreverse is_aligned align_up align_down "        \
	"nontemporal_load nontemporal_store classify_type FILE FUNCTION LINE COLUMN " VARIABLE_ARGUMENTS

/* ---- instead of the C library --------------------------------------------------------------- */

#define ABSENT "does not exist on the device"

static const struct external functions[] = {
	/* input and output */
	{" printf fprintf dprintf vprintf vfprintf puts fputs putchar putc fputc perror fwrite "
	 "fflush syslog __printf_chk __fprintf_chk ",
		ABSENT, "use nproc_log(format, ...), which the host receives by nproc_set_log()"},
	{" sprintf snprintf vsnprintf sscanf strtol strtoul strtoll strtoull strtod atoi atol atof ",
		ABSENT,
		"leave text to the host: send it numbers through a pipe, or use nproc_log(format, ...)"},
	{" read recv recvfrom pread fread fgets getchar getc fgetc scanf fscanf ", ABSENT,
		"use npipe_read(fd, bytes, nbytes): ends 0, 1, 2... are those that the host passed"},
	{" write send sendto pwrite ", ABSENT,
		"use npipe_write(fd, bytes, nbytes): ends 0, 1, 2... are those that the host passed"},
	{" close fclose shutdown ", ABSENT, "use npipe_close(fd)"},
	{" open openat fopen socket connect accept pipe ", ABSENT,
		"files and sockets are the host's: it passes pipe ends when it spawns the process"},

	/* the end of a process */
	{" abort ", ABSENT,
		"use nproc_assert(condition), which ends the process with a fault that names the condition"},
	{" __assert_fail __assert ", "(of assert) " ABSENT,
		"use nproc_assert(condition), which ends the process with a fault that names the condition"},
	{" exit _exit _Exit quick_exit pthread_exit thrd_exit ", ABSENT,
		"use nproc_exit(code), or return from the kernel"},
	{" setjmp _setjmp sigsetjmp __sigsetjmp longjmp siglongjmp _longjmp ",
		"needs a stack to jump back to, which a process does not keep",
		"return an error code through each function, or end the process with nproc_exit(code)"},
	{" signal sigaction raise kill ", "needs signals, which a process does not have",
		"nproc_kill() ends a process from the host"},
	{" __errno_location ", "(of errno) " ABSENT,
		"calls of a kernel return a negative errno: compare the result, e.g. with -EPIPE"},

	/* memory */
	{" malloc calloc realloc free aligned_alloc posix_memalign mmap munmap sbrk ",
		"needs a heap, which a kernel does not have",
		"let the host allocate far memory with nmem_alloc() and pass a `far T *`; small objects are locals"},
	{" alloca* ", "would grow the frame of the process, whose size is fixed",
		"use an array of constant size, and check the length; large buffers belong into far memory"},
	{" str* memchr bcmp bzero __memcpy_chk __memmove_chk __memset_chk ", ABSENT,
		"write the loop; memcpy, memmove, memset and memcmp exist"},
	{" qsort bsearch ", ABSENT,
		"write the sort or search for your type: a comparison cannot be called through a pointer"},

	/* other processes and time */
	{" sched_yield thrd_yield pthread_yield sleep usleep nanosleep poll select ", ABSENT,
		"use nproc_yield(), or wait in npipe_read()"},
	{" pthread_create thrd_create fork vfork clone ",
		"would start a thread, which a kernel cannot",
		"start more processes with nproc_spawn(), in kernels as on the host"},
	{" pthread_* mtx_* cnd_* sem_* call_once ", ABSENT,
		"between two waits nothing else runs on a process's core; where cores share far memory, use atomics"},
	{" time clock clock_gettime gettimeofday readcyclecounter readsteadycounter ",
		"needs a clock, which a kernel does not have",
		"let the host pass times as arguments or through a pipe"},
	{" rand srand random drand48 rand_r getrandom ", ABSENT,
		"write a generator (xorshift is three lines) and let the host pass its seed"},

	/* mathematics: what would differ between devices, or is a call into a library */
	{" fmin* fmax* ", ABSENT, "write a < b ? a : b, whose answer is the same on every device"},
	{" floor* ceil* trunc* round* rint* nearbyint* lround* llround* lrint* llrint* ", ABSENT,
		"convert to int64_t and back, and correct by one where that is not what is meant"},
	{" fma fmaf fmod* remainder* sin* cos* tan* asin* acos* atan* exp exp2* exp10* expf expm1* "
	 "log log2* log1* logf pow* cbrt* hypot* ldexp* frexp* modf* ",
		ABSENT,
		"kernels have sqrt, fabs and copysign: write the formula, or let the host fill a table"},

	{" nmem_* nproc_* npipe_* nipc_* ", "is a call of the host",
		"nearside/kernel.h lists the calls of kernels; let the host do the rest and pass what comes of it"},
};

/* ---- instead of other builtins -------------------------------------------------------------- */

static const struct external builtins[] = {
	{" ia32_* riscv_* cpu_* ", "exists for one instruction set only",
		"write plain C: nprocc makes code for x86-64 and riscv64, and vectorises loops itself"},
	{" return_address frame_address extract_return_addr eh_* unwind_init dwarf_* thread_pointer "
	 "sponentry apply* __clear_cache coro_* ",
		"needs a stack or thread of its own, which a process does not have",
		"leave it out"},
	{" assume* ", "would drop checks where its promise is not kept",
		"use nproc_assert(condition), or leave it out"},
	{" debugtrap verbose_trap ", "would stop the whole device",
		"use __builtin_trap(), which ends the process with a fault"},
};

static const struct external unknown_function = {"",
	"has no body in this file, and is not in the kernel library",
	"define it in this file or as static inline in a header; nearside/kernel.h lists the kernel library"};
static const struct external unknown_builtin = {"", "is no builtin that kernels have",
	"write plain C: docs/kernel-language.md lists the builtins"};

/* ---- finding a name ------------------------------------------------------------------------- */

/* Does the word of `length` characters at `pattern` stand for `name`? */
static bool matches(const char *pattern, size_t length, const char *name)
{
	if (pattern[length - 1] == '*')
		return !strncmp(pattern, name, length - 1);
	return strlen(name) == length && !strncmp(pattern, name, length);
}

static bool holds(const char *names, const char *name)
{
	const char *word = names + 1;
	while (*word) {
		size_t length = strcspn(word, " ");
		if (matches(word, length, name))
			return true;
		word += length + 1;
	}
	return false;
}

static const struct external *find(const struct external *list, size_t count, const char *name,
	const struct external *otherwise)
{
	for (size_t i = 0; i < count; i++) {
		if (holds(list[i].names, name))
			return &list[i];
	}
	return otherwise;
}

static const struct external *find_function(const char *name, const struct external *otherwise)
{
	return find(functions, sizeof functions / sizeof *functions, name, otherwise);
}

static const struct external *find_builtin(const char *name)
{
	if (holds(BUILTINS, name))
		return NULL;
	return find(builtins, sizeof builtins / sizeof *builtins, name,
		find_function(name, &unknown_builtin));
}

const struct external *front_external(const char *name)
{
	bool is_builtin = !strncmp(name, BUILTIN_PREFIX, strlen(BUILTIN_PREFIX));
	const char *function = is_builtin ? name + strlen(BUILTIN_PREFIX) : name;
	if (holds(FROM_LIBRARY, function) || holds(INSTRUCTIONS, function) || holds(ATOMICS, name))
		return NULL;
	return is_builtin ? find_builtin(function) : find_function(name, &unknown_function);
}

bool front_is_library_name(const char *name)
{
	return holds(FROM_LIBRARY, name) || !strncmp(name, "nk_", 3) || !strncmp(name, "nkl_", 4);
}
