/* progress.h - what a long step is doing, for people who watch. */
#ifndef NEARSIDE_GRAPH_PROGRESS_H
#define NEARSIDE_GRAPH_PROGRESS_H

/* Shows one line on stderr, over the last one, if stderr is a terminal. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Wipes it, before anything else is printed. */
void progress_done(void);

#endif
