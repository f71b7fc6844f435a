/*
 * fake_ops.h - a firmware of one process: an operation table that checks how it is called, and a
 * loop that resumes until the process ends. Freestanding, so that it also runs on bare metal.
 *
 * Far memory lies elsewhere than the addresses by which the kernel knows it, and the stack is
 * overwritten between two resumes, so that nothing works by accident.
 */
#ifndef NEARSIDE_TESTS_COMPILER_FAKE_OPS_H
#define NEARSIDE_TESTS_COMPILER_FAKE_OPS_H

#include "device/abi/kernel.h"
#include "world.h"

enum fake_ending {
	FAKE_RUNNING,
	FAKE_EXITED,
	FAKE_FAULTED,
	FAKE_KILLED
};

struct fake_process {
	struct nk_segment segments[NK_PARAMS_MAX]; /* by the test: what is granted */
	unsigned segment_count;
	struct world *world; /* what its pipes are connected with */
	bool killed;         /* by the test: the attention word names it from the start */
	enum fake_ending ending;
	int64_t code;
	uint64_t fault, address;
	uint32_t site;
	unsigned resumes, searches;
	struct nk_far_bytes far_bytes;
	char log[WORLD_LOG_BYTES]; /* formats and argument words, a line each */
	const char *broken; /* how the kernel broke the contract of device/abi/kernel.h, or NULL */
};

/* Runs a kernel until it ends. `record` is followed by room for the frame. */
void fake_run_code(const struct nk_code *code, struct nk_process *record,
	struct fake_process *process, const uint64_t *words);

#endif
