/* progress.h - one line on stderr that says what is being measured, where stderr is a terminal. */
#ifndef NEARSIDE_BENCH_PROGRESS_H
#define NEARSIDE_BENCH_PROGRESS_H

struct bench_row;

void bench_progress_begin(unsigned row_count);
void bench_progress(const struct bench_row *row, unsigned repeat, unsigned repeats);
/* Removes the line, so that something can be printed. */
void bench_progress_row_done(void);

#endif
