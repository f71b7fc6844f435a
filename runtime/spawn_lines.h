/* spawn_lines.h - a spawn as lines (device/abi/message.h). */
#ifndef NEARSIDE_RUNTIME_SPAWN_LINES_H
#define NEARSIDE_RUNTIME_SPAWN_LINES_H

#include "channels/place.h"
#include "device/abi/message.h"

struct spawn_lines {
	unsigned nbytes;
	_Alignas(8) unsigned char bytes[NMSG_SPAWN_LINES_MAX * NCHAN_PAYLOAD_BYTES];
};

/* head->end_count ends (pipe ids, NMSG_END_WRITES), head->word_count words. */
void spawn_lines_join(struct spawn_lines *lines, const struct nmsg_spawn *head,
	const uint32_t *ends, const uint64_t *words);

unsigned spawn_lines_count(const struct spawn_lines *lines);

/* The caller has checked that there is room for all. */
void spawn_lines_send(const struct spawn_lines *lines, struct nchan_place *place, unsigned to);

#endif
