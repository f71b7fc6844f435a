/*
 * arguments.h - the arguments of a spawn against the parameters of its kernel.
 *
 * arguments_convert() turns everything but far pointers into argument words; arguments_grant()
 * looks the pointers up, with the lock held.
 */
#ifndef NEARSIDE_RUNTIME_ARGUMENTS_H
#define NEARSIDE_RUNTIME_ARGUMENTS_H

#include <nearside/nproc.h>

#include "device/abi/kernel.h"
#include "host/image.h"
#include "runtime/far.h"
#include "runtime/grants.h"

struct arguments {
	const struct nhost_image *image;
	const struct nimg_kernel *kernel;
	uint64_t words[NK_ARG_WORDS_MAX];
	unsigned word_count;
	struct grant grants[NK_PARAMS_MAX];  /* one for each far pointer parameter */
	const void *pointers[NK_PARAMS_MAX]; /* the same, as given */
	unsigned grant_count;
};

/*
 * image and kernel are set. -EINVAL: number or kind; -ERANGE: an integer that does not fit. error
 * says which, and what the kernel's parameters are.
 */
int arguments_convert(struct arguments *arguments, size_t count, const struct nproc_arg *args,
	struct nhost_error *error);

/* -EFAULT: a pointer into no allocation. */
int arguments_grant(
	struct arguments *arguments, const struct far_memory *far, struct nhost_error *error);

#endif
