/* kernels.h - what tests know of kernels.c. */
#ifndef NEARSIDE_TESTS_EMU_KERNELS_H
#define NEARSIDE_TESTS_EMU_KERNELS_H

enum test_kernel {
	TEST_ECHO,
	TEST_LOOP,
	TEST_FAULT,
	TEST_KERNEL_COUNT
};

enum {
	TEST_FAULT_SITE = 7
};

#endif
