#include "bench/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/bench.h"

static struct {
	bool is_shown;
	unsigned row, rows;
} progress;

void bench_progress_begin(unsigned row_count)
{
	progress.is_shown = isatty(STDERR_FILENO);
	progress.rows = row_count;
	progress.row = 1;
}

void bench_progress(const struct bench_row *row, unsigned repeat, unsigned repeats)
{
	if (progress.is_shown)
		fprintf(stderr, "\r\033[K[%u/%u] %s (%u of %u)", progress.row, progress.rows,
			row->title, repeat + 1, repeats);
}

void bench_progress_row_done(void)
{
	if (progress.is_shown)
		fprintf(stderr, "\r\033[K");
	progress.row++;
}
