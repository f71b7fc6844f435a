/* dsa_explain.c - what there is of DSA, in lines for people. */
#include <stdio.h>
#include <stdlib.h>

#include "host/engine/dsa.h"

/* The place behind what has been written; the end if it was cut off. */
static size_t step(size_t length, int written, size_t nbytes)
{
	return written < 0 || length + (size_t)written >= nbytes ? nbytes - 1
								 : length + (size_t)written;
}

static size_t finding_line(char *text, size_t length, size_t nbytes, const char *name,
	const struct dsa_finding *finding)
{
	return step(length,
		snprintf(text + length, nbytes - length, "%s: %s%s%s\n", name, finding->text,
			*finding->remedy ? "; try: " : "", finding->remedy),
		nbytes);
}

static size_t queue_line(char *text, size_t length, size_t nbytes, const struct dsa_facts *facts)
{
	length = step(length,
		snprintf(text + length, nbytes - length,
			"%s: %s, node %d, %s, %u descriptors, batches of %u, transfers of %llu bytes\n",
			facts->name, facts->device, facts->numa_node,
			facts->is_shared ? "shared" : "dedicated", facts->size, facts->max_batch,
			(unsigned long long)facts->max_transfer),
		nbytes);
	return finding_line(text, length, nbytes, facts->name, &facts->finding);
}

bool nhost_dsa_explain(char *text, size_t nbytes)
{
	struct dsa_found *found = malloc(sizeof *found);
	size_t length = 0;
	bool is_usable;

	if (!nbytes || !found) {
		free(found);
		return false;
	}
	text[0] = '\0';
	dsa_find(found);
	length = finding_line(text, length, nbytes, "dsa", &found->finding);
	length = step(length,
		snprintf(text + length, nbytes - length, "dsa: %s\n", found->versions), nbytes);
	for (unsigned i = 0; i < found->count; i++)
		length = queue_line(text, length, nbytes, &found->queues[i]);
	is_usable = found->finding.state == DSA_USABLE;
	free(found);
	return is_usable;
}
