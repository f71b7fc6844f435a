/*
 * bench.h - how nearside-bench measures.
 *
 * A row is one question: Nearside's method, the physical limit, and what a user would take instead.
 * rows.c lists the rows, methods.h the methods. The runner opens all methods of a row and measures
 * them in turns, several times; medians count. Absolute times mean little on a shared machine: what
 * is measured side by side, in one run, can be compared.
 *
 *     rows.c  ->  runner.c  ->  struct bench_result  ->  report_*.c
 *                  |  placement.c: how far apart are the two processors now?
 *                  row_*.c (Nearside), limit_*.c, peer_*.c: open, measure, close
 *
 * A measurement checks its result; a wrong one ends the program. This thread runs on processor 0,
 * the other side on processor 1, which may be one physical core or two, and that changes while a
 * virtual machine runs.
 */
#ifndef NEARSIDE_BENCH_BENCH_H
#define NEARSIDE_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BENCH_METHODS_MAX = 12, /* of a row */
	BENCH_REPEATS_MIN = 5,
	BENCH_REPEATS_MAX = 64,
};

/* What a user reads; samples are nanoseconds for one operation throughout, but for bytes. */
enum bench_unit {
	BENCH_NANOSECONDS,
	BENCH_RATE,           /* operations in a second */
	BENCH_BYTE_RATE,      /* bytes in a second; an operation moves row->nbytes */
	BENCH_BYTES,          /* a size, no time */
	BENCH_NS_IN_A_SECOND, /* processor time */
};

enum bench_goal_kind {
	BENCH_NO_GOAL,
	BENCH_TIMES_LIMIT,   /* at most so many times the limit's nanoseconds */
	BENCH_PART_OF_LIMIT, /* at least this part of the limit's rate */
	BENCH_AT_MOST,       /* in the row's unit */
	BENCH_AT_LEAST,
};

struct bench_goal {
	enum bench_goal_kind kind;
	double value;
};

enum bench_row_flag {
	BENCH_TWO_SIDED = 1 << 0, /* placement matters */
	BENCH_LATENCY = 1 << 1,   /* the slowest hundredth matters, too */
	BENCH_FULL = 1 << 2,      /* too long for every run: --full */
	BENCH_NAMED = 1 << 3,     /* a set of its own: when it is named */
};

/* What a method sees. */
struct bench_side {
	const struct bench_row *row;
	const struct bench_method *method;
	void *state;    /* the method's, from open() to close() */
	uint64_t count; /* operations to measure */

	/*
	 * Set by bench_begin() and bench_end(), or by the method itself where it measures no time.
	 */
	double value;
	double cpu_ns; /* of all threads, for one operation */
	double p99;    /* where the method times single operations by itself; else 0 */
	double lines;  /* that crossed between host and device for one operation */

	/* Lines that have crossed so far; NULL: none do. */
	double (*count_lines)(const struct bench_side *side);
	double began_lines;

	uint64_t *laps; /* NULL: this is not the pass that times each operation */
	size_t lap_count;
	double ns_per_tick;
	double began_ns, began_cpu_ns;
	uint64_t began_tick;
	char reason[160]; /* why open() failed */
};

struct bench_method {
	const char *name;
	/* Operations in one sample; 10 to 30 ms are long enough to see nothing of clocks. */
	uint64_t count;
	/*
	 * NULL, or why this machine cannot measure it: words that live, or side->reason. open may
	 * be NULL.
	 */
	const char *(*open)(struct bench_side *side);
	/* Performs side->count operations between bench_begin() and bench_end(). */
	void (*measure)(struct bench_side *side);
	void (*close)(struct bench_side *side);
};

struct bench_row {
	const char *name;
	const char *title;
	enum bench_unit unit;
	unsigned flags;
	uint64_t nbytes; /* of a message, a write or a table */
	struct bench_goal goal;
	/* [0] Nearside, [1] the limit (NULL: there is none), then peers. */
	const struct bench_method *methods[BENCH_METHODS_MAX];
};

extern const struct bench_row bench_rows[];
extern const unsigned bench_row_count;

/* ---- runner.c ---- */

struct bench_figure {
	const struct bench_method *method;
	bool is_disturbed;  /* a peer that other programs kept waiting */
	const char *absent; /* why there is no figure; NULL: there is one */
	char reason[160];
	double value, p99, cpu_ns;         /* medians; 0: none */
	double lines;                      /* of the last sample: they hardly differ */
	double samples[BENCH_REPEATS_MAX]; /* of value, ascending */
	unsigned sample_count;
};

struct bench_result {
	const struct bench_row *row;
	struct bench_figure figures[BENCH_METHODS_MAX];
	unsigned figure_count;
	unsigned repeats; /* samples of Nearside and of the limit that count */
	unsigned dropped; /* the processors moved, or other programs used them */
	bool is_mixed;    /* too few were left, so that all count: no ground for a verdict */
	double others;    /* part of all processors' time that other programs took meanwhile */
	double bounce_ns; /* median of those that count; 0: the row has one side */
};

struct bench_plan {
	unsigned repeats;
	double patience_ns; /* for a row, while repeats cannot be compared */
};

void bench_run_row(
	const struct bench_row *row, const struct bench_plan *plan, struct bench_result *result);

/* ---- judge.c ---- */

enum bench_verdict {
	BENCH_UNKNOWN, /* no goal, no figure, or no comparable repeats */
	BENCH_MET,
	BENCH_MISSED
};

enum bench_verdict bench_judge(const struct bench_result *result);
/* Nearside against the goal: at most 1 is met. 0: there is no such ratio. */
double bench_goal_ratio(const struct bench_result *result);
/*
 * Nearside's nanoseconds by the limit's, or for rates the limit's part that it reaches. 0: no
 * limit.
 */
double bench_limit_ratio(const struct bench_result *result);
/* What a user reads, of a sample or median. */
double bench_in_unit(const struct bench_row *row, double value);

/* ---- clock.c ---- */

double bench_now_ns(void);
/* Processor time of all threads of this program that live. */
double bench_cpu_ns(void);
double bench_thread_cpu_ns(int thread);
void bench_begin(struct bench_side *side);
void bench_end(struct bench_side *side, uint64_t operations);
/* The 99th percentile of single operations, after a pass with laps. */
double bench_p99(const struct bench_side *side);
/* Sorts. part 0.5 is the median. */
double bench_quantile(double *samples, size_t count, double part);

/* After each operation, where row->flags has BENCH_LATENCY. */
static inline void bench_lap(struct bench_side *side)
{
	if (side->laps)
		side->laps[side->lap_count++] = __builtin_ia32_rdtsc();
}

/* ---- load.c: who else is at work on this machine ---- */

struct bench_load {
	double now_ns;
	double busy_ns, all_ns; /* of all processors, since the machine began */
	double own_ns;          /* of this program */
	double waited_ns;       /* that its threads wanted a processor and had none */
};

struct bench_load bench_load_now(void);
/*
 * The part of all processors' time since then that other programs, or other virtual machines, took.
 */
double bench_load_others(const struct bench_load *since);
/* The part of the time that has passed since then in which this program waited for a processor. */
double bench_load_waited(const struct bench_load *since);

/* ---- threads.c ---- */

/* First. Processors 0 and 1 are the first two that this program may use; false: there is one. */
bool bench_find_processors(void);
void bench_pin_self(unsigned processor);
/* Processors 0 and 1: for threads that a library starts. */
void bench_pin_self_to_both(void);
/* Every thread of this program whose name starts so. */
void bench_for_threads(const char *name, void (*each)(int thread, void *context), void *context);
double bench_threads_cpu_ns(const char *name);
void bench_pin_threads(const char *name, unsigned processor);
/* The other side of a peer: a thread on processor 1 that does one job at a time. */
void bench_partner_start(void (*job)(struct bench_side *side), struct bench_side *side);
void bench_partner_join(void);

/* ---- placement.c ---- */

/* One 8-byte word of one line from processor 0 to 1 and back. */
double bench_bounce_ns(void);
/* Both are one physical core, by the time of a bounce. */
bool bench_is_close(double bounce_ns);

/* ---- main.c: where messages of failures come from ---- */

_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A measurement whose result is wrong measures nothing. */
void bench_check(const struct bench_side *side, bool is_right);

#endif
