/* front_signature.h - from a kernel's declaration to what an image says about it. */
#ifndef NEARSIDE_COMPILER_FRONT_SIGNATURE_H
#define NEARSIDE_COMPILER_FRONT_SIGNATURE_H

#include "compiler/front_reach.h"
#include "compiler/front_refuse.h"
#include "compiler/nprocc.h"

/*
 * Fills *kernel from the device's reading of its definition; what no process can be given is
 * refused.
 */
void front_signature(
	const struct function *function, struct kernel *kernel, struct refusals *refusals);

#endif
