/*
 * devices.h - the kinds of device that emu/ adds to the table in table.c.
 */
#ifndef NEARSIDE_EMU_DEVICES_H
#define NEARSIDE_EMU_DEVICES_H

#include "host/device.h"

/* Cores are threads of this program. */
extern const struct nhost_device_ops nemu_inproc;

/* Likewise, and far memory is on a NUMA node: numa:1, numa:far. */
extern const struct nhost_device_ops nemu_numa;

/* Host and cores take turns in one thread, in an order drawn from a seed (schedule.h). */
extern const struct nhost_device_ops nemu_sim;

/* A hash of all decisions so far: equal for equal seeds and programs. */
uint64_t nemu_sim_trace(const struct nhost_device *device);

/* How much processor time one turn may take before what runs in it is ended (sim_watch.h). */
void nemu_sim_set_patience(const struct nhost_device *device, int64_t patience_ns);

#endif
