/* table.c - the kinds of devices that there are. */
#include "emu/devices.h"
#include "host/outside.h"

const struct nhost_device_ops *const nhost_devices[] = {
	&nemu_inproc,
	&nemu_sim,
	&nemu_numa,
	&nhost_device_daemon,
	&nhost_device_file,
	&nhost_device_dax,
	NULL,
};
