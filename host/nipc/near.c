#include "host/nipc/near.h"

enum {
	LEARN_FROM = 64 << 10, /* bytes: shorter copies go to the cache */
	TRY_EVERY = 64,        /* copies: one goes the way that seems to be worse */
	OUTLIER = 4,           /* times what is usual: the thread lost its processor */
	WEIGHT = 8,
};

/* By a third: less is what the reader loses who finds nothing in the cache. */
bool ipc_near_is_past(const struct ipc_near *learned)
{
	return learned->ticks[1] * 4 < learned->ticks[0] * 3;
}

enum nhost_near ipc_near_by_distance(uint64_t distance)
{
	return distance > nhost_copy_facts()->lasts_nbytes ? NHOST_IN_MEMORY : NHOST_NEAR_BY_SIZE;
}

enum nhost_near ipc_near_choose(struct ipc_near *learned, uint64_t nbytes, uint64_t distance)
{
	const enum nhost_near by_distance = ipc_near_by_distance(distance);
	bool past = ipc_near_is_past(learned);

	if (nbytes < LEARN_FROM || by_distance == NHOST_IN_MEMORY || !learned->is_told)
		return by_distance;
	if (!learned->ticks[0] || !learned->ticks[1])
		past = learned->ticks[0] != 0;
	else if (learned->turn++ % TRY_EVERY == 0)
		past = !past;
	return past ? NHOST_IN_MEMORY : NHOST_IN_CACHE;
}

void ipc_near_learn(struct ipc_near *learned, enum nhost_near near, uint64_t nbytes, uint64_t ticks)
{
	uint64_t *usual = &learned->ticks[near == NHOST_IN_MEMORY];
	uint64_t sample = ticks / (nbytes / LEARN_FROM ? nbytes / LEARN_FROM : 1) + 1;

	learned->is_told = ticks != 0;
	if (!ticks || near == NHOST_NEAR_BY_SIZE || nbytes < LEARN_FROM)
		return;
	if (*usual && sample > OUTLIER * *usual)
		sample = OUTLIER * *usual;
	*usual = *usual ? (*usual * (WEIGHT - 1) + sample) / WEIGHT : sample;
}
