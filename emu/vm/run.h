/* run.h - `nearside vm run`, `nearside vm shell` and `nearside vm device`. */
#ifndef NEARSIDE_EMU_VM_RUN_H
#define NEARSIDE_EMU_VM_RUN_H

#include "emu/vm/options.h"

/* Runs options->program in a guest: its exit code, or one of enum vm_exit. */
int vm_run(const struct vm_options *options);

/*
 * Likewise on this machine, with the cores as its device. Without a program: the cores serve
 * options->file until a signal ends it.
 */
int vm_device(const struct vm_options *options);

#endif
