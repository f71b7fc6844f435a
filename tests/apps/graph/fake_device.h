/*
 * fake_device.h - the calls of the library that the search makes, played by threads and pipe(2) of
 * this program and by its kernels compiled for the host. So the search's own logic is tested alone,
 * with up to 64 workers, under sanitizers that see into the kernels, and with processes that die
 * when a test wants it.
 */
#ifndef NEARSIDE_TESTS_GRAPH_FAKE_DEVICE_H
#define NEARSIDE_TESTS_GRAPH_FAKE_DEVICE_H

struct fake_plan {
	int victim;               /* the how manieth process to be spawned faults; -1: none */
	int victim_reads;         /* after so many successful reads */
	int lies;                 /* the last to be spawned reports one vertex too many */
	unsigned long far_nbytes; /* of the device; 0: enough */
};

extern struct fake_plan fake_plan;

/* Everything to its default. */
void fake_reset(void);

/* Pipe ends and far memory that nobody has given back yet. */
int fake_left_over(void);

#endif
