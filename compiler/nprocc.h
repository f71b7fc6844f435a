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
#include <sys/types.h>

#include "device/abi/image.h"
#include "device/abi/kernel.h"

/* ---- what the command line asks for (options.c) ------------------------------------------------- */

struct options {
	const char **inputs; /* .c, and in link mode .o, .a, .nk */
	size_t input_count;
	const char *output;
	bool compile_only;        /* -c: write an image, not a program */
	char optimise;            /* '0'..'3', 's' */
	bool debug;               /* -g */
	bool verbose;             /* -v */
	bool report, report_json; /* --report, --report=json */
	const char *depfile;      /* -MF: what make must know; or NULL */
	const char *dump;         /* --dump=STEP or NULL */
	const char **clang_args;  /* -D, -I, -U, -include, -std..., for both parses */
	size_t clang_arg_count;
	const char **host_args; /* -W..., -f..., -m...: for host code alone */
	size_t host_arg_count;
	const char **link_args; /* -l, -L, -Wl, */
	size_t link_arg_count;
};

/* ---- kernels, as found by front and completed by the later steps -------------------------------- */

struct param {
	const char *name;
	const char *type; /* as written */
	enum nimg_param_kind kind;
	unsigned bytes;
	bool is_signed;
	bool is_const;
};

struct kernel {
	const char *name;
	const char *file;
	unsigned line;
	struct param params[NK_PARAMS_MAX];
	unsigned param_count;
	/* by lower and emit */
	uint32_t frame_bytes[NIMG_ISA_COUNT];
	uint32_t stack_bytes[NIMG_ISA_COUNT];
	uint32_t code_bytes[NIMG_ISA_COUNT];
	uint32_t suspends;
	uint32_t yields; /* of them, NPROC_YIELD_AFTER() */
	uint32_t far_accesses;
	uint32_t scratch_bytes;
	const char *largest_name; /* of its private variables; NULL: not known */
	uint32_t largest_bytes;
};

/* A source file or header of which parts are blanked: same lines and columns, without what kernels do not reach. */
struct blanked {
	char *path; /* absolute */
	char *name; /* as the unit named it: what diagnostics say */
	char *source;
};

/* One translation unit on its way through the compiler. */
struct unit {
	const char *path;
	struct blanked
		*blanked; /* by front, the source itself among them: what bitcode.c shows clang */
	size_t blanked_count;
	struct kernel *kernels;
	size_t kernel_count;
};

/* A place in the source that a fault can name. */
struct site {
	const char *file;
	unsigned line;
	unsigned column;
	const char *function;
	const char *text; /* of an assertion; else "" */
};

/* All units of one command: what becomes one image. */
struct program {
	const struct options *options;
	struct unit *units;
	size_t unit_count;
	struct kernel **kernels; /* of all units in order; the image's kernel table */
	size_t kernel_count;
	struct site *sites; /* entry 0: no place known */
	size_t site_count;
	size_t wait_site_count; /* the first ones: those at which processes can wait are among them */
	struct {
		const void *bytes;
		size_t nbytes;
	} code[NIMG_ISA_COUNT]; /* by emit: an ELF shared object each */
};

/* ---- diagnostics (diag.c) ----------------------------------------------------------------------- */

/*
 * file:line:col: error: text
 *         source line
 *             ^
 * note: how to write it instead
 * Counts errors; main exits with 1 when there are any. line 0: no place. note may be NULL.
 */
void diag_error(
	const char *file, unsigned line, unsigned column, const char *text, const char *note);
void diag_warning(
	const char *file, unsigned line, unsigned column, const char *text, const char *note);
void diag_note(const char *file, unsigned line, unsigned column, const char *text);
unsigned diag_error_count(void);

/* ---- front (front.c) ----------------------------------------------------------------------------- */

/*
 * Reads unit->path: fills kernels (name, file, line, params) and blanked. False after errors, all of
 * which were reported. A file without kernels has kernel_count 0 and nothing blanked; that is no error here.
 * What it allocates stays until the compiler ends.
 */
bool front_read(struct unit *unit, const struct options *options);

/* ---- memory that stays until the compiler ends (pool.c); running out of it ends the compiler ------ */

void *pool_alloc(size_t nbytes); /* zeroed */
char *pool_copy(const char *text);
char *pool_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Room for item number `count` in an array that grows in powers of two and may move. */
void *pool_grow(void *items, size_t count, size_t item_bytes);

/* ---- other programs and files (tools.c) ----------------------------------------------------------- */

/* A folder for this run's intermediate files, removed by tools_clean(). */
const char *tools_folder(void);
void tools_clean(void);
bool tools_ends(const char *path, const char *suffix);
/* A command line that grows; NULL is its last argument. */
struct command {
	const char **argv;
	size_t argc;
};
void tools_add(struct command *command, const char *argument);
/* Runs argv[0]; prints the command when verbose. Its exit status, or -1 (reported) when it could not run. */
int tools_run(const char *const argv[], bool verbose);
bool tools_write(const char *path, const void *bytes, size_t nbytes); /* false: reported */
bool tools_read(const char *path, void **bytes, size_t *nbytes);      /* false: reported */
/* Where the public headers and the library are, seen from this program: build tree or installed. */
const char *tools_include_folder(void);
const char *tools_library_folder(void);

/* ---- signals that end the compiler (interrupt.c) --------------------------------------------------- */

/* From now on a signal also removes the folder that is named last, NULL: none, and ends what runs. */
void interrupt_catch(void);
void interrupt_remove(const char *path);
/* A child runs, at most 8 at once, until it is forgotten. */
void interrupt_forward(pid_t child);
void interrupt_forget(pid_t child);
/* After fork(): the folder and the other children are the parent's. */
void interrupt_in_child(void);

/* ---- bitcode (bitcode.c) -------------------------------------------------------------------------- */

/* Compiles the blanked unit: the path of its bitcode file, or NULL after errors, which were reported. */
const char *bitcode_compile(const struct unit *unit, const struct options *options);

/* ---- lower and emit (lower_pipeline.c) ------------------------------------------------------------ */

/*
 * From the units' bitcode files to program->code and program->sites, and the figures of each kernel. False
 * after errors, which were reported.
 */
bool lower_program(struct program *program, const char *const *bitcode_paths);

/* ---- image (image.c) ------------------------------------------------------------------------------ */

/* The image of a program, in the pool. */
void image_build(const struct program *program, void **bytes, size_t *nbytes);

/* ---- link (link.c) -------------------------------------------------------------------------------- */

/* Writes an object file that holds the image between nearside_image_begin and _end. */
bool link_object(
	const struct options *options, const char *path, const void *image, size_t image_nbytes);

/* Compiles the inputs as host code, puts the image inside, links options->output. */
bool link_program(const struct program *program, const void *image, size_t image_nbytes);

/* ---- what is printed (report.c, steps.c) ---------------------------------------------------------- */

/* Of the figures of all ISAs. */
uint32_t report_largest(const uint32_t *figures);
void report_print(const struct program *program, bool json);

/* Of all that was printed. False: standard output cannot be written, which is reported. */
bool report_flush(void);

/* With -v: names the step that now begins, and prints how long the one before it took. */
void step_begin(const struct options *options, const char *name);
void step_end(const struct options *options);

#endif
