/*
 * nprocc.h - the compiler's inner contract, a section per step in the order of the pipeline (main.c).
 *
 *   front     libclang: finds kernels and their reach, judges them, blanks everything else    front_*.c
 *   bitcode   clang: the blanked source becomes bitcode for the host triple                   bitcode.c
 *   lower     LLVM-C: close the world, suspend, bounds, optimise, far checks, kill polls      lower_*.c
 *   emit      LLVM-C and lld: one ELF shared object per ISA                                   emit.c
 *   image     the .nk file                                                                    image.c
 *   link      single source: host code by clang, the image inside, one program                link.c
 *
 * Only front_*.c include clang-c, only lower_*.c and emit.c include llvm-c.
 */
#ifndef NEARSIDE_COMPILER_NPROCC_H
#define NEARSIDE_COMPILER_NPROCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/abi/image.h"
#include "device/abi/kernel.h"

/* ---- what the command line asks for (options.c) ------------------------------------------------- */

struct options {
	const char **inputs; /* .c, and in link mode .o, .a, .nk */
	size_t input_count;
	const char *output;
	bool compile_only;         /* -c: write an image, not a program */
	char optimise;             /* '0'..'3', 's' */
	bool debug;                /* -g */
	bool verbose;              /* -v */
	bool report, report_json;  /* --report, --report=json */
	const char *dump;          /* --dump=STEP or NULL */
	const char **clang_args;   /* -D, -I, -U, -include, -std..., for both parses */
	size_t clang_arg_count;
	const char **link_args;    /* -l, -L, -Wl, */
	size_t link_arg_count;
};

/* ---- kernels, as found by front and completed by the later steps -------------------------------- */

struct param {
	char *name;
	char *type; /* as written */
	enum nimg_param_kind kind;
	unsigned bytes;
	bool is_signed;
	bool is_const;
};

struct kernel {
	char *name;
	char *file;
	unsigned line;
	struct param params[NK_PARAMS_MAX];
	unsigned param_count;
	/* by lower and emit */
	uint32_t frame_bytes[NIMG_ISA_COUNT];
	uint32_t stack_bytes[NIMG_ISA_COUNT];
	uint32_t code_bytes[NIMG_ISA_COUNT];
	uint32_t suspends;
	uint32_t far_accesses;
};

struct site {
	char *file;
	unsigned line;
	unsigned column;
	char *function;
	char *text; /* of an assertion; else "" */
};

/* One translation unit on its way through the compiler. */
struct unit {
	const char *path;
	char *device_source; /* by front: the source with everything but kernels and their reach blanked */
	struct kernel *kernels;
	size_t kernel_count;
	struct site *sites; /* entry 0: no place known */
	size_t site_count;
};

/* ---- diagnostics (diag.c) ----------------------------------------------------------------------- */

/*
 * file:line:col: error: text
 *         source line
 *             ^
 * note: how to write it instead
 * Counts errors; main exits with 1 when there are any. line 0: no place. note may be NULL.
 */
void diag_error(const char *file, unsigned line, unsigned column, const char *text, const char *note);
void diag_warning(const char *file, unsigned line, unsigned column, const char *text, const char *note);
unsigned diag_error_count(void);

/* ---- front (front.c) ----------------------------------------------------------------------------- */

/*
 * Reads unit->path: fills kernels (name, file, line, params) and device_source. False after errors, all of
 * which were reported. A file without kernels has kernel_count 0 and no device_source; that is no error here.
 */
bool front_read(struct unit *unit, const struct options *options);

#endif
