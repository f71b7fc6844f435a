#include "emu/devices.h"

const struct nhost_device_ops *const nhost_devices[] = {
	&nemu_inproc,
	&nemu_sim,
	NULL,
};
