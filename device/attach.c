#include "device/attach.h"

/* What only programs of one machine can do to each other's words. */
enum {
	NEAR_ONLY = NREG_CAN_WAKE | NREG_ATOMICS
};

static struct nreg_offer *offer_of(const struct ndev_attach *attach)
{
	return nreg_offer(attach->region);
}

static const struct nreg_claim *claim_of(const struct ndev_attach *attach)
{
	return nreg_claim(attach->region);
}

void ndev_attach_begin(struct ndev_attach *attach, void *region, const struct nchan_caches *caches,
	const struct nreg_identity *identity, unsigned generation, uint64_t suspect_ns)
{
	*attach = (struct ndev_attach){.region = region,
		.caches = caches,
		.identity = *identity,
		.suspect_ns = suspect_ns};
	attach->identity.generation = generation;
}

/* ---- offering -------------------------------------------------------------------------------- */

/* Control words are seen by others meanwhile: a word at a time. */
static void zero_words(const struct ndev_attach *attach, void *begin, uint64_t nbytes)
{
	uint64_t *words = begin;

	nchan_refresh(attach->caches, begin, nbytes);
	for (uint64_t i = 0; i < nbytes / sizeof(*words); i++)
		nchan_store(&words[i], 0);
	nchan_publish(attach->caches, begin, nbytes);
}

static void zero_far(const struct ndev_attach *attach, uint64_t nbytes)
{
	char *far = attach->region + attach->identity.far_offset;

	nchan_refresh(attach->caches, far, nbytes);
	__builtin_memset(far, 0, nbytes);
	nchan_publish(attach->caches, far, nbytes);
}

static void write_identity(const struct ndev_attach *attach, const struct nreg_identity *identity)
{
	nchan_copy(attach->region, identity, sizeof(*identity));
	nchan_publish(attach->caches, attach->region, sizeof(*identity));
}

uint64_t ndev_attach_far_used(const struct ndev_attach *attach)
{
	return nchan_min(nchan_hear(attach->caches, &claim_of(attach)->far_used),
		attach->identity.far_bytes);
}

void ndev_attach_offer(struct ndev_attach *attach, uint64_t far_nbytes)
{
	struct nreg_identity *identity = &attach->identity;
	struct nreg_offer *offer = offer_of(attach);

	nchan_tell(attach->caches, &offer->ready, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* nobody copies what is written from here on */
	nchan_store(&offer->owner, 0);
	nchan_store(&offer->doubts, 0);
	zero_words(attach, nreg_host(attach->region), sizeof(struct nreg_host));
	zero_words(attach, nreg_calls(attach->region),
		NREG_CORES_OFFSET - NREG_CALLS_OFFSET +
			(uint64_t)identity->core_count * NREG_CORE_BYTES);
	zero_far(attach, far_nbytes);
	identity->generation = identity->generation % NCHAN_GENERATION_MAX + 1;
	attach->owner = 0;
	attach->wanted = 0;
	attach->has_died = false;
	/* Hosts that look on believe what they copied when `ready` has not changed meanwhile. */
	write_identity(attach, identity);
	nchan_tell(attach->caches, &offer->ready, identity->generation);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* A claim that is about the generation on offer, and not the owner's; or 0. */
static uint64_t new_claim(const struct ndev_attach *attach)
{
	uint64_t claim = nchan_hear(attach->caches, &claim_of(attach)->claim);

	return claim != attach->owner && nreg_claim_generation(claim) == attach->identity.generation
		       ? claim
		       : 0;
}

static enum ndev_attach_news look_for_host(struct ndev_attach *attach)
{
	attach->wanted = new_claim(attach);
	return attach->wanted ? NDEV_CLAIMED : NDEV_NOTHING;
}

static bool is_suspect(struct ndev_attach *attach, uint64_t now_ns)
{
	uint64_t heartbeat = nchan_hear(attach->caches, &claim_of(attach)->heartbeat);

	if (heartbeat != attach->heartbeat) {
		attach->heartbeat = heartbeat;
		attach->heartbeat_ns = now_ns;
	}
	return attach->suspect_ns && now_ns - attach->heartbeat_ns >= attach->suspect_ns;
}

static bool has_left(const struct ndev_attach *attach)
{
	return nchan_hear(attach->caches, &claim_of(attach)->left) == attach->owner;
}

enum ndev_attach_news ndev_attach_look(struct ndev_attach *attach, uint64_t now_ns)
{
	bool doubts;

	if (!attach->owner)
		return look_for_host(attach);
	if (attach->has_died || has_left(attach))
		return NDEV_LEFT;
	doubts = is_suspect(attach, now_ns);
	nchan_tell(attach->caches, &offer_of(attach)->doubts, doubts);
	return doubts && new_claim(attach) ? NDEV_LEFT : NDEV_NOTHING;
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* The identity on offer is whole again at the next ndev_attach_offer(). */
void ndev_attach_take(struct ndev_attach *attach)
{
	struct nreg_identity identity = attach->identity;

	if (!(attach->wanted & NREG_CLAIM_IS_NEAR))
		identity.capabilities &= ~(uint32_t)NEAR_ONLY;
	write_identity(attach, &identity);
}

void ndev_attach_accept(struct ndev_attach *attach, uint64_t now_ns)
{
	attach->owner = attach->wanted;
	attach->heartbeat = nchan_hear(attach->caches, &claim_of(attach)->heartbeat);
	attach->heartbeat_ns = now_ns;
	nchan_tell(attach->caches, &offer_of(attach)->owner, attach->owner);
}

void ndev_attach_beat(struct ndev_attach *attach)
{
	nchan_tell(attach->caches, &offer_of(attach)->heartbeat, ++attach->beats);
}

void ndev_attach_withdraw(struct ndev_attach *attach)
{
	nchan_tell(attach->caches, &offer_of(attach)->ready, 0);
}
