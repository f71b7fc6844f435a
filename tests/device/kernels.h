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
	COPIES,
	HUGE,
	KERNELS
};

/* What kernel COPIES does once it has put its scratch memory, all of it 0x5a. */
enum copies {
	COPIES_RETURN,
	COPIES_WAIT, /* for the copy; exits with 5 */
	COPIES_YIELD,
	COPIES_FAULT
};

extern const struct nk_code kernels[KERNELS];

#endif
