#include "runtime/spawn_lines.h"

#include <string.h>

static void add(struct spawn_lines *lines, const void *bytes, size_t nbytes)
{
	if (nbytes)
		memcpy(lines->bytes + lines->nbytes, bytes, nbytes);
	lines->nbytes += (unsigned)nbytes;
}

static void pad(struct spawn_lines *lines)
{
	static const unsigned char zeros[8];

	add(lines, zeros, -lines->nbytes % 8);
}

void spawn_lines_join(struct spawn_lines *lines, const struct nmsg_spawn *head,
	const uint32_t *ends, const uint64_t *words)
{
	lines->nbytes = 0;
	add(lines, head, sizeof(*head));
	add(lines, ends, head->end_count * sizeof(*ends));
	pad(lines);
	add(lines, words, head->word_count * sizeof(*words));
}

unsigned spawn_lines_count(const struct spawn_lines *lines)
{
	return (lines->nbytes + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES;
}

void spawn_lines_send(const struct spawn_lines *lines, struct nchan_place *place, unsigned to)
{
	unsigned left = spawn_lines_count(lines);

	for (unsigned done = 0; left--; done += NCHAN_PAYLOAD_BYTES) {
		unsigned now = (unsigned)nchan_min(lines->nbytes - done, NCHAN_PAYLOAD_BYTES);

		nchan_place_send(
			place, to, nchan_head(NCHAN_SPAWN, now, 0, left), lines->bytes + done, now);
	}
}
