/* dsa.c - the device and each of its queues, as the copy engine sees them. */
#include <stdlib.h>

#include "emu/doctor/doctor.h"
#include "host/engine/dsa.h"

static enum doctor_level level_of(const struct dsa_finding *finding)
{
	if (finding->state == DSA_USABLE)
		return DOCTOR_GOOD;
	return finding->state == DSA_NO_HARDWARE ? DOCTOR_NOTE : DOCTOR_MISSING;
}

static void add(struct doctor *doctor, const char *name, const struct dsa_finding *finding)
{
	doctor_add(doctor, level_of(finding), finding->remedy, "%s: %s", name, finding->text);
}

void doctor_dsa(struct doctor *doctor)
{
	struct dsa_found *found = malloc(sizeof *found);

	if (!found) {
		doctor_add(doctor, DOCTOR_NOTE, "", "no memory to look for it");
		return;
	}
	dsa_find(found);
	add(doctor, "all", &found->finding);
	doctor_add(doctor, DOCTOR_GOOD, "", "%s", found->versions);
	for (unsigned i = 0; i < found->count; i++) {
		const struct dsa_facts *facts = &found->queues[i];

		add(doctor, facts->name, &facts->finding);
		doctor_add(doctor, DOCTOR_GOOD, "",
			"%s: of %s, node %d, %s, %u descriptors, batches of %u, transfers of %llu bytes",
			facts->name, facts->device, facts->numa_node,
			facts->is_shared ? "shared" : "dedicated", facts->size, facts->max_batch,
			(unsigned long long)facts->max_transfer);
	}
	free(found);
}
