/*
 * room.h - how much memory this program may still take: its control groups, and the machine.
 *
 * Who takes more than its control group allows gets no error but is killed, whichever call it is
 * in. So who takes much at once asks first. Others take memory meanwhile: it is a look, no promise.
 */
#ifndef NEARSIDE_HOST_ROOM_H
#define NEARSIDE_HOST_ROOM_H

#include <stdint.h>

struct nhost_room {
	uint64_t nbytes;  /* UINT64_MAX: nothing sets a limit */
	char limit[256];  /* for people: what does, */
	char remedy[160]; /* and what to do */
};

/* root: before all paths, for tests; else "". */
void nhost_room_find(const char *root, struct nhost_room *room);

#endif
