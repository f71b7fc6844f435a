/*
 * region_memfd.h - a region in memory of this machine that no file name leads to.
 *
 * It lies where address and thread sanitizers leave room to programs, at the same place on every
 * run as long as that is free, so that pointers in far memory look alike from run to run. A child
 * of fork() does not have it.
 */
#ifndef NEARSIDE_HOST_REGION_MEMFD_H
#define NEARSIDE_HOST_REGION_MEMFD_H

#include "device/abi/region.h"
#include "host/device.h"

/*
 * Makes a zeroed region for identity->core_count cores and far_bytes of far memory, backed only
 * where it is touched, and writes the identity into it. The layout and version fields of *identity
 * are filled in; the others are the caller's.
 * -EBUSY   every address range tried is taken
 * -ENOMEM  the system does not give that much memory
 */
int nhost_region_create(struct nreg_identity *identity, void **region, struct nhost_error *error);

/* Addresses where such a region fits: mapped without memory. Errors as above. */
int nhost_region_reserve(uint64_t nbytes, void **region, struct nhost_error *error);

void nhost_region_destroy(void *region, uint64_t nbytes);

#endif
