/*
 * scratch.c - memory near a core that its processes lease from start to end, in runs of units. The
 * first run that is long enough is taken.
 */
#include "device/core_int.h"

static uint64_t units_of(uint64_t nbytes)
{
	return (nbytes + NK_SCRATCH_UNIT - 1) / NK_SCRATCH_UNIT;
}

uint64_t scratch_unit_count(const struct nreg_identity *identity)
{
	return identity->scratch_bytes / NK_SCRATCH_UNIT;
}

void *scratch_take(struct ndev_core *core, uint64_t nbytes)
{
	uint64_t wanted = units_of(nbytes), count = scratch_unit_count(&core->device->identity);
	uint64_t start = 0;

	if (nbytes > NK_SCRATCH_MAX)
		return NULL;
	for (uint64_t at = 0; at < count;) {
		uint16_t run = core->scratch_runs[at];

		at += run ? run : 1;
		if (run)
			start = at;
		if (at - start < wanted)
			continue;
		core->scratch_runs[start] = (uint16_t)wanted;
		return core->scratch + start * NK_SCRATCH_UNIT;
	}
	return NULL;
}

void scratch_put(struct ndev_core *core, void *scratch)
{
	core->scratch_runs[((char *)scratch - core->scratch) / NK_SCRATCH_UNIT] = 0;
}
