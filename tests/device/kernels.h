/* kernels.h - kernels written by hand as nprocc would lower them: a resume function on a frame. */
#ifndef NEARSIDE_TESTS_DEVICE_KERNELS_H
#define NEARSIDE_TESTS_DEVICE_KERNELS_H

#include "device/abi/kernel.h"

enum {
	SUM,
	DOUBLE,
	FAULT,
	EXIT,
	YIELD,
	ONCE,
	LEAVE,
	FAR,
	FAR_STORE,
	LOG,
	MANY,
	BREED,
	CALL,
	HUGE,
	KERNELS
};

extern const struct nk_code kernels[KERNELS];

#endif
