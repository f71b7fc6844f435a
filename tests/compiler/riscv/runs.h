/* runs.h - what main.c on the RISC-V hart and test_riscv.c on this machine both know. */
#ifndef NEARSIDE_TESTS_COMPILER_RISCV_RUNS_H
#define NEARSIDE_TESTS_COMPILER_RISCV_RUNS_H

#define RUN_BASE 0x500000000000 /* of far memory, as kernels know it */
enum {
	RUN_NBYTES = 4096 + 64,
	RUN_SEEDS = 2,    /* accepted: 1..RUN_SEEDS; those that are odd block at each pipe call */
	RUN_NUMBERS = 40, /* faults: 0..RUN_NUMBERS */
};

#endif
