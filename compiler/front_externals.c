#include <string.h>

#include "compiler/front_externals.h"

#define ABSENT "does not exist on the device"

/* Those that the kernel library brings, and those that become instructions on every device. */
#define FROM_LIBRARY " memcpy memmove memset "
#define INSTRUCTIONS \
	" abs labs llabs fabs fabsf sqrt sqrtf copysign copysignf __builtin_* __atomic_* __c11_atomic_* __sync_* "

/*
 * Names stand between spaces; one that ends in * stands for all that begin so. The first entry that holds a
 * name counts, for builtins too.
 */
static const struct external externals[] = {
	/* input and output */
	{" printf fprintf dprintf vprintf vfprintf puts fputs putchar putc fputc perror fwrite fflush syslog "
	 "__printf_chk __fprintf_chk __builtin_printf __builtin_fprintf __builtin_puts __builtin_putchar ",
		ABSENT, "use nproc_log(format, ...), which the host receives by nproc_set_log()"},
	{" sprintf snprintf vsnprintf sscanf strtol strtoul strtoll strtoull strtod atoi atol atof "
	 "__builtin_sprintf __builtin_snprintf ",
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
	{" abort __builtin_abort ", ABSENT,
		"use nproc_assert(condition), which ends the process with a fault that names the condition"},
	{" __assert_fail __assert ", "(of assert) " ABSENT,
		"use nproc_assert(condition), which ends the process with a fault that names the condition"},
	{" exit _exit _Exit quick_exit pthread_exit thrd_exit __builtin_exit ", ABSENT,
		"use nproc_exit(code), or return from the kernel"},
	{" setjmp _setjmp sigsetjmp __sigsetjmp longjmp siglongjmp _longjmp __builtin_setjmp __builtin_longjmp ",
		"needs a stack to jump back to, which a process does not keep",
		"return an error code through each function, or end the process with nproc_exit(code)"},
	{" signal sigaction raise kill ", "needs signals, which a process does not have",
		"nproc_kill() ends a process from the host"},
	{" __errno_location ", "(of errno) " ABSENT,
		"calls of a kernel return a negative errno: compare the result, e.g. with -EPIPE"},

	/* memory */
	{" malloc calloc realloc free aligned_alloc posix_memalign mmap munmap sbrk __builtin_malloc "
	 "__builtin_calloc __builtin_realloc __builtin_free ",
		"needs a heap, which a kernel does not have",
		"let the host allocate far memory with nmem_alloc() and pass a `far T *`; small objects are locals"},
	{" alloca __builtin_alloca* ", "would grow the frame of the process, whose size is fixed",
		"use an array of constant size, and check the length; large buffers belong into far memory"},
	{" strlen strnlen strcmp strncmp strcpy strncpy strcat strchr strstr memchr memcmp bcmp bzero "
	 "__builtin_str* __builtin_memcmp __builtin_memchr __builtin_bcmp __memcpy_chk __memmove_chk __memset_chk ",
		ABSENT, "write the loop; memcpy, memmove and memset exist"},
	{" qsort bsearch ", ABSENT,
		"write the sort or search for your type: a comparison cannot be called through a pointer"},

	/* other processes and time */
	{" sched_yield thrd_yield pthread_yield sleep usleep nanosleep poll select ", ABSENT,
		"use nproc_yield(), or wait in npipe_read()"},
	{" pthread_create thrd_create fork vfork clone ",
		"would start a thread, which a kernel cannot",
		"let the host spawn more processes with nproc_spawn()"},
	{" pthread_* mtx_* cnd_* sem_* call_once ", ABSENT,
		"between two waits nothing else runs on a process's core; where cores share far memory, use atomics"},
	{" time clock clock_gettime gettimeofday __builtin_readcyclecounter __builtin_readsteadycounter ",
		"needs a clock, which a kernel does not have",
		"let the host pass times as arguments or through a pipe"},
	{" rand srand random drand48 rand_r getrandom ", ABSENT,
		"write a generator (xorshift is three lines) and let the host pass its seed"},

	/* mathematics: what would differ between devices, or is a call into a library */
	{" fmin fmax fminf fmaxf __builtin_fmin* __builtin_fmax* ", ABSENT,
		"write a < b ? a : b, whose answer is the same on every device"},
	{" floor ceil trunc round rint nearbyint lround llround lrint llrint floorf ceilf truncf roundf rintf "
	 "__builtin_floor* __builtin_ceil* __builtin_trunc* __builtin_round* __builtin_rint* "
	 "__builtin_nearbyint* __builtin_lround* __builtin_llround* __builtin_lrint* __builtin_llrint* "
	 "__builtin_elementwise_* ",
		ABSENT,
		"convert to int64_t and back, and correct by one where that is not what is meant"},
	{" fma fmaf fmod fmodf remainder sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 "
	 "log10 log1p pow cbrt hypot sinf cosf tanf expf exp2f logf log2f powf "
	 "__builtin_fma __builtin_fmaf __builtin_fmod* __builtin_sin* __builtin_cos* __builtin_tan* "
	 "__builtin_exp __builtin_expf __builtin_exp2* __builtin_exp10* __builtin_log __builtin_logf "
	 "__builtin_log2* __builtin_log1* __builtin_pow* __builtin_hypot* __builtin_cbrt* __builtin_ldexp* ",
		ABSENT,
		"kernels have sqrt, fabs and copysign: write the formula, or let the host fill a table"},

	/* the host, and one kind of processor */
	{" nmem_* nproc_* npipe_* nipc_* ", "is a call of the host",
		"nearside/kernel.h lists the calls of kernels; let the host do the rest and pass what comes of it"},
	{" __builtin_ia32_* __builtin_riscv_* __builtin_cpu_* ",
		"exists for one instruction set only",
		"write plain C: nprocc makes code for x86-64 and riscv64, and vectorises loops itself"},
	{" __builtin_return_address __builtin_frame_address __builtin_extract_return_addr "
	 "__builtin_eh_* __builtin_unwind_init __builtin_dwarf_* __builtin_thread_pointer "
	 "__builtin_sponentry __builtin_apply* __builtin___clear_cache ",
		"needs a stack or thread of its own, which a process does not have",
		"leave it out"},
};

static const struct external unknown = {"",
	"has no body in this file, and is not in the kernel library",
	"define it in this file or as static inline in a header; nearside/kernel.h lists the kernel library"};

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

const struct external *front_external(const char *name)
{
	for (size_t i = 0; i < sizeof externals / sizeof *externals; i++) {
		if (holds(externals[i].names, name))
			return &externals[i];
	}
	return holds(FROM_LIBRARY, name) || holds(INSTRUCTIONS, name) ? NULL : &unknown;
}

bool front_is_library_name(const char *name)
{
	return holds(FROM_LIBRARY, name) || !strncmp(name, "nk_", 3) || !strncmp(name, "nkl_", 4);
}
