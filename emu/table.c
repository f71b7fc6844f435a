#include "emu/devices.h"
#include "host/outside.h"

const struct nhost_device_ops *const nhost_devices[] = {
	&nemu_inproc,
	&nemu_sim,
	&nhost_device_file,
	NULL,
};
