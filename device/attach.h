/*
 * attach.h - the device's side of attaching: a host program that the device does not belong to
 * comes, uses the region, and goes, or dies (docs/protocol.md, "Attaching").
 *
 *     ndev_attach_begin()      once, with the region mapped
 *     ndev_attach_offer()      lays the region out anew, with the next generation
 *     ndev_attach_look()       again and again, by one thread or a timer:
 *       NDEV_CLAIMED           ndev_attach_take(), ndev_init() in zeroed memory, start the cores,
 *                              ndev_attach_accept()
 *       NDEV_LEFT              stop the cores, ndev_close(), ndev_attach_offer()
 *     ndev_attach_beat()       every NREG_BEAT_MS, by a timer: the device is alive
 *
 * A host whose heartbeat has stopped is suspect and no more than that, for a debugger or a slow
 * machine stops it, too: it keeps the region until another host wants it. An executor that can see
 * for certain tells (ndev_attach_host_lives(), ndev_attach_host_died()).
 *
 * Nothing here waits. Freestanding; not thread-safe.
 */
#ifndef NEARSIDE_DEVICE_ATTACH_H
#define NEARSIDE_DEVICE_ATTACH_H

#include "device/abi/region.h"

struct ndev_attach {
	char *region;                      /* as this device sees it */
	const struct nchan_caches *caches; /* of its memory; NULL: that is coherent */
	struct nreg_identity identity;
	uint64_t suspect_ns;   /* without a heartbeat for so long the host is suspect; 0: never */
	uint64_t wanted;       /* the claim that NDEV_CLAIMED was about */
	uint64_t owner;        /* 0: the region is free */
	uint64_t heartbeat;    /* the host's, as last seen */
	uint64_t heartbeat_ns; /* when that was new */
	uint64_t beats;        /* the device's own */
	bool has_died;
};

enum ndev_attach_news {
	NDEV_NOTHING,
	NDEV_CLAIMED,
	NDEV_LEFT,
};

/*
 * *identity is complete but for the generation: the region's offers begin behind `generation`, the
 * last one that hosts of this region may remember, or 0.
 */
void ndev_attach_begin(struct ndev_attach *attach, void *region, const struct nchan_caches *caches,
	const struct nreg_identity *identity, unsigned generation, uint64_t suspect_ns);

/*
 * Zeroes all control words but the host's, and `far_nbytes` of far memory (all of it, or
 * ndev_attach_far_used()), and offers the region. No core runs.
 */
void ndev_attach_offer(struct ndev_attach *attach, uint64_t far_nbytes);

/* How much of far memory the host that has gone has touched. */
uint64_t ndev_attach_far_used(const struct ndev_attach *attach);

enum ndev_attach_news ndev_attach_look(struct ndev_attach *attach, uint64_t now_ns);

/*
 * The claim is taken: the region's identity, which ndev_init() reads, says now what this host and
 * the device can do together.
 */
void ndev_attach_take(struct ndev_attach *attach);

/* The cores run: the host may begin. */
void ndev_attach_accept(struct ndev_attach *attach, uint64_t now_ns);

void ndev_attach_beat(struct ndev_attach *attach);

/* The device ends: a host that is there hears of it. */
void ndev_attach_withdraw(struct ndev_attach *attach);

static inline bool ndev_attach_host_is_near(const struct ndev_attach *attach)
{
	return attach->owner & NREG_CLAIM_IS_NEAR;
}

/* It cannot be suspect now. */
static inline void ndev_attach_host_lives(struct ndev_attach *attach, uint64_t now_ns)
{
	attach->heartbeat_ns = now_ns;
}

/* The next look is NDEV_LEFT. */
static inline void ndev_attach_host_died(struct ndev_attach *attach)
{
	attach->has_died = true;
}

#endif
