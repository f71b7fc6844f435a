/* region_dax.h - what sysfs says of a device DAX. */
#ifndef NEARSIDE_HOST_REGION_DAX_H
#define NEARSIDE_HOST_REGION_DAX_H

#include "host/device.h"

struct nhost_dax {
	uint64_t nbytes;
	uint64_t align; /* of every mapping: a power of 2 */
};

/*
 * Reads FOLDER/size and FOLDER/align; sysfs has that folder for character device 250:0 at
 * /sys/dev/char/250:0.
 * -ENODEV  they are not there: it is no device DAX
 * -EPROTO  they make no sense
 */
int nhost_dax_read(const char *folder, struct nhost_dax *dax, struct nhost_error *error);

#endif
