/*
 * kernel.h - what compiled kernel code and the firmware agree on.
 *
 * A process is one block of device memory:
 *
 *     struct nk_process (64 bytes)  | frame of the coroutine | overflow
 *                                   ^ what kernel code is resumed with
 *
 * so kernel code finds its process 64 bytes below its frame and reaches the firmware through the
 * operation table in it: kernel code has no external symbols. The first word of a frame is the
 * address of the resume function, `void resume(void *frame)`; the firmware calls it once per
 * scheduling.
 *
 * An image's code exports one symbol, `nk_kernels`: an array of struct nk_code, one for each kernel
 * in the order of the image's kernel table. An entry builds the frame at process + 1 from the
 * argument words and returns without running any of the kernel's body.
 *
 * Argument words, in the order of the parameters: an integer, float, or far pointer takes one
 * 8-byte word (integers sign- or zero-extended as their type says, a float in the low 4 bytes,
 * _Bool 0 or 1); a struct of n bytes takes (n + 7) / 8 words.
 *
 * Changing anything here changes NK_ABI_VERSION; images carry it and a device refuses another.
 */
#ifndef NEARSIDE_DEVICE_ABI_KERNEL_H
#define NEARSIDE_DEVICE_ABI_KERNEL_H

#include <stdint.h>

enum {
	NK_ABI_VERSION = 8
};

/* The limits of a kernel, each written once; nprocc refuses what exceeds them. */
enum {
	NK_FRAME_MAX = 4096,
	NK_STACK_MAX = 8192,
	NK_PARAMS_MAX = 16,
	NK_STRUCT_PARAM_MAX = 32,
	NK_ARG_WORDS_MAX = NK_PARAMS_MAX * NK_STRUCT_PARAM_MAX / 8,
	NK_ENDS_MAX = 16,     /* given at spawn; open at a time */
	NK_CHILDREN_MAX = 64, /* of a process, not yet waited for */
	NK_CODE_MAX = 64 * 1024,
	NK_NAME_MAX = 63,
	NK_WEIGHT_MAX = 8,
	NK_SCRATCH_MAX = 64 * 1024, /* bytes of scratch memory of a process */
	NK_SCRATCH_UNIT = 1024,     /* that are leased together */
	NK_COPIES_MAX = 8,          /* of a process, in flight */
	NK_LOG_ARGS_MAX = 16,
};

/*
 * Why a process was ended against its will. X(NAME, text shown to people).
 * Kernel code raises them by number; a number that is not here is shown as such.
 */
#define NK_FAULTS(X)                                                        \
	X(FAR_READ, "read outside the far memory granted to the process")   \
	X(FAR_WRITE, "write outside the far memory granted to the process") \
	X(READ_ONLY, "write to far memory granted read-only")               \
	X(BOUNDS, "access outside a private object")                        \
	X(DIVIDE_BY_ZERO, "division by zero")                               \
	X(DIVIDE_OVERFLOW, "division overflow (INT_MIN / -1)")              \
	X(UNREACHABLE, "reached code that was declared unreachable")        \
	X(ASSERT, "assertion failed")                                       \
	X(TRAP, "trap")                                                     \
	X(ALIGNMENT, "atomic access to an address that is no multiple of its size")

enum nk_fault {
	NK_FAULT_NONE,
#define NK_FAULT_ENUM(name, text) NK_FAULT_##name,
	NK_FAULTS(NK_FAULT_ENUM)
#undef NK_FAULT_ENUM
	NK_FAULT_COUNT
};

/*
 * A range of far memory that a process may touch. Segment k of a process is what its k-th far
 * pointer parameter points into; a NULL argument grants the empty segment {0, 0, 0, 0}. An access
 * of n bytes at va is right when va - base < lim, where lim = len < n ? 0 : len - n + 1 (unsigned
 * arithmetic); writes use writable instead of len.
 */
struct nk_segment {
	uint64_t base;     /* first address, as host and kernels see it */
	uint64_t len;      /* bytes that may be read from base */
	uint64_t writable; /* len, or 0 when granted read-only */
	uint64_t delta;    /* add to a far address to get the device's own */
};

/*
 * Bytes of far memory that the kernels of a core have loaded and stored. Kernel code adds to them
 * before it calls one of the operations below, far_read, far_write, killed and fault excepted, and
 * before it returns. What a process that faults or is killed has not added by then is lost.
 */
struct nk_far_bytes {
	uint64_t read;
	uint64_t written;
};

struct nk_process;
struct nk_code;

/* Cores by name. */
enum {
	NK_ANY_CORE = -1,
	NK_SAME_CORE = -2
};

/* How a process starts another. */
struct nk_start {
	int32_t core; /* its number, NK_ANY_CORE or NK_SAME_CORE */
	uint32_t end_count;
	int32_t ends
		[NK_ENDS_MAX]; /* of the starter; they become ends 0, 1, 2... of the new process */
	uint32_t weight;       /* at most NK_WEIGHT_MAX; 0: 1 */
};

/* How a process ended, as its parent is told. */
struct nk_outcome {
	uint32_t ending; /* enum nmsg_ending */
	uint32_t reserved;
	int64_t value; /* exit code, enum nk_fault, or negative errno */
};

/*
 * What kernel code may ask of the firmware. One table per core.
 * read, write: like read(2) and write(2) on end fd; -EAGAIN means: suspend, and when resumed call
 * again with the same arguments. The buffer must stay where it is between the two calls (it is in
 * the frame). `site` is where the call stands in the source, for who asks what the process waits
 * for.
 */
struct nk_ops {
	const uint64_t *attention;      /* ends the process that finds its own `self` here */
	struct nk_far_bytes *far_bytes; /* of the core */
	int64_t (*read)(struct nk_process *, int64_t fd, void *buf, uint64_t nbytes, uint32_t site);
	int64_t (*write)(
		struct nk_process *, int64_t fd, const void *buf, uint64_t nbytes, uint32_t site);
	int64_t (*close)(struct nk_process *, int64_t fd);
	/*
	 * Another end for what fd is an end of; a pipe of this core, whose ends are *reads and
	 * *writes.
	 */
	int64_t (*dup)(struct nk_process *, int64_t fd);
	int64_t (*pipe)(struct nk_process *, int32_t *reads, int32_t *writes);
	/*
	 * Starts the kernel `code` with these argument words; never waits: the child's number. The
	 * child's far pointers are granted what the starter's segments hold there. Ends are moved,
	 * on success only.
	 */
	int64_t (*spawn)(struct nk_process *, const struct nk_code *code, const uint64_t *words,
		const struct nk_start *start);
	/* How a child ended (-1: any): its number, which is free again. -EAGAIN as in read. */
	int64_t (*wait)(
		struct nk_process *, int64_t child, struct nk_outcome *outcome, uint32_t site);
	int64_t (*kill)(struct nk_process *, int64_t child);
	/*
	 * Starts to copy between far memory and the process's scratch memory: the copy's number, or
	 * -EAGAIN when NK_COPIES_MAX are in flight. The far side is checked here, and a fault if it
	 * is wrong.
	 */
	int64_t (*get)(
		struct nk_process *, void *to, uint64_t from, uint64_t nbytes, uint32_t site);
	int64_t (*put)(
		struct nk_process *, uint64_t to, const void *from, uint64_t nbytes, uint32_t site);
	/*
	 * Is this copy done, or none that is in flight? 0; -EAGAIN as in read. A negative number is
	 * given back.
	 */
	int64_t (*copied)(struct nk_process *, int64_t number, uint32_t site);
	/*
	 * Where far memory is not coherent: what the process stored in these bytes is in memory;
	 * its next loads of them come from there. A fault when the process may not write them, or
	 * read them.
	 */
	void (*publish)(struct nk_process *, uint64_t va, uint64_t nbytes, uint32_t site);
	void (*refresh)(struct nk_process *, uint64_t va, uint64_t nbytes, uint32_t site);
	/*
	 * The device address of nbytes at far address va, in whichever segment holds them; else a
	 * fault.
	 */
	void *(*far_read)(struct nk_process *, uint64_t va, uint64_t nbytes, uint32_t site);
	void *(*far_write)(struct nk_process *, uint64_t va, uint64_t nbytes, uint32_t site);
	/*
	 * printf subset: %d %i %u %x %X %c %s %p %f %g %e %%, flags 0 - + space #, width,
	 * precision, hh h l ll z j t.
	 */
	void (*log)(struct nk_process *, const char *format, const uint64_t *args, uint64_t count);
	/* The kernel function returned; the caller then leaves its resume function for good. */
	void (*done)(struct nk_process *, int64_t code);
	/* The next three do not come back. */
	void (*exit)(struct nk_process *, int64_t code) __attribute__((noreturn));
	void (*killed)(struct nk_process *) __attribute__((noreturn));
	void (*fault)(struct nk_process *, uint64_t kind, uint64_t address, uint32_t site)
		__attribute__((noreturn));
};

struct nk_process {
	const struct nk_ops *ops;
	const struct nk_segment *segments; /* as many as the kernel has far pointer parameters */
	uint64_t self;                     /* this use of this process id; never 0 */
	uint64_t firmware[5];              /* the firmware's own; kernel code leaves it alone */
};

_Static_assert(
	sizeof(struct nk_process) == 64, "kernel code finds its process 64 bytes below its frame");

/*
 * What lies right below the record of a process whose kernel has scratch memory: that is the
 * process's own while it lives, and not zeroed.
 */
struct nk_near {
	uint64_t firmware[39];
	void *scratch;
};

_Static_assert(sizeof(struct nk_near) % 64 == 0, "the record behind it stays aligned");

struct nk_code {
	void (*entry)(struct nk_process *process, const uint64_t *args);
	uint64_t frame_bytes; /* on this ISA; at most NK_FRAME_MAX */
	uint64_t word_count;  /* of its arguments */
	/*
	 * Bit per argument word: is it a far pointer parameter, and one that does not point to
	 * const?
	 */
	uint64_t far_words;
	uint64_t writable_words;
	uint64_t scratch_bytes; /* at most NK_SCRATCH_MAX */
	/* For who asks what the processes are. The first word of each frame; NULL: not told. */
	void (*resume)(void *frame);
	const char *name;             /* at most NK_NAME_MAX bytes; NULL: not told */
	const struct nk_sites *sites; /* of the image; NULL: none are known */
};

/* Where a site stands in the source, and the file's path is the text at `file`. Line 0: unknown. */
struct nk_site {
	uint32_t file;
	uint32_t line;
};

/* Those sites at which a process can wait, and some others: the first ones of the image's table. */
struct nk_sites {
	uint64_t count;
	const struct nk_site *site;
	const char *text;
};

_Static_assert(NK_ARG_WORDS_MAX <= 64, "a bit for each argument word");

#endif
