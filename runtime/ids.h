/* ids.h - the numbers 1..max, each given out once until it is put back. */
#ifndef NEARSIDE_RUNTIME_IDS_H
#define NEARSIDE_RUNTIME_IDS_H

#include <stdint.h>

struct ids {
	uint32_t max;
	uint32_t fresh; /* 1..fresh were given out at least once */
	uint32_t back;  /* of them, how many were put back: returned[0..back-1] */
	uint32_t *returned;
};

/* -ENOMEM */
int ids_create(struct ids *ids, uint32_t max);
void ids_destroy(struct ids *ids);

/* 0: all are out. */
uint32_t ids_take(struct ids *ids);
void ids_put(struct ids *ids, uint32_t id);

#endif
