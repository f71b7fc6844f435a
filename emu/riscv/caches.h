/* caches.h - memory that is not coherent with hosts', by the instructions of Zicbom. */
#ifndef NEARSIDE_EMU_RISCV_CACHES_H
#define NEARSIDE_EMU_RISCV_CACHES_H

#include "channels/caches.h"

extern const struct nchan_caches machine_caches;

#endif
