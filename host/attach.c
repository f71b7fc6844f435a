#include "host/attach.h"

#include "host/region.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* ---- which machine --------------------------------------------------------------------------- */

/* The kernel's own number, new at each start: two programs that read the same share its futexes. */
uint64_t nhost_machine(void)
{
	char text[64];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t nbytes = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	return nbytes > 0 ? nhost_hash(text, (size_t)nbytes) | 1 : 0;
}

/* ---- looking again and again ----------------------------------------------------------------- */

enum {
	NAP_NS_MIN = 20 * 1000,
	NAP_NS_MAX = 2 * 1000 * 1000,
};

/* Sleeps a little, longer each time; false when the time is over. */
static bool nap(int64_t *nap_ns, int64_t deadline_ns)
{
	const struct timespec pause = {.tv_nsec = *nap_ns};

	if (deadline_ns >= 0 && nhost_clock_ns() >= deadline_ns)
		return false;
	nanosleep(&pause, NULL);
	*nap_ns = *nap_ns * 2 > NAP_NS_MAX ? NAP_NS_MAX : *nap_ns * 2;
	return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void copy_identity(
	struct nreg_identity *copy, const void *region, const struct nchan_caches *caches)
{
	uint64_t words[sizeof(*copy) / sizeof(uint64_t)];

	nchan_refresh(caches, region, sizeof(*copy));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = nchan_load((const uint64_t *)region + i);
	memcpy(copy, words, sizeof(*copy));
}

/* 0: it is being laid out. What was copied is whole if `ready` was the same before and after. */
static unsigned copy_offer(
	struct nreg_identity *copy, void *region, const struct nchan_caches *caches)
{
	const struct nreg_offer *offer = nreg_offer(region);
	uint64_t ready = nchan_hear(caches, &offer->ready);

	if (!ready)
		return 0;
	copy_identity(copy, region, caches);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return nchan_hear(caches, &offer->ready) == ready && copy->generation == ready
		       ? copy->generation
		       : 0;
}

/* Of another release, or no region: waiting would not help. */
static bool is_foreign(const void *region, const struct nchan_caches *caches)
{
	struct nreg_identity copy;

	copy_identity(&copy, region, caches);
	return copy.magic && (copy.magic != NREG_MAGIC || copy.version != NREG_VERSION);
}

/* A device of this machine that has ended while it laid the region out. */
static bool has_ended(const void *region, const struct nchan_caches *caches, int lock)
{
	struct nreg_identity last;

	copy_identity(&last, region, caches);
	return lock >= 0 && last.magic == NREG_MAGIC && last.machine &&
	       last.machine == nhost_machine() && !nhost_region_is_locked(lock, NHOST_LOCK_DEVICE);
}

static int fail_ended(struct nhost_error *error)
{
	return nhost_fail(error, ENODEV,
		"the device of this region has ended: start it again (nearside-device serve --file PATH)");
}

int nhost_attach_read(void *region, uint64_t region_bytes, int lock, int64_t deadline_ns,
	struct nreg_identity *identity, struct nhost_error *error)
{
	/* Whether the memory is coherent is not known before it was read. */
	const struct nchan_caches *caches = nhost_caches_of_processor();
	int64_t nap_ns = NAP_NS_MIN;
	struct nreg_identity copy;

	while (!copy_offer(&copy, region, caches)) {
		if (is_foreign(region, caches)) {
			copy_identity(&copy, region, caches);
			return nhost_identity_check(&copy, region_bytes, identity, error);
		}
		if (has_ended(region, caches, lock))
			return fail_ended(error);
		if (!nap(&nap_ns, deadline_ns))
			return nhost_fail(error, ETIMEDOUT,
				"no device offers this region: start one that serves it "
				"(nearside-device serve --file PATH), or wait until it has started");
	}
	if (copy.region_bytes < region_bytes)
		region_bytes = copy.region_bytes; /* a file or device may be longer */
	return nhost_identity_check(&copy, region_bytes, identity, error);
}

/* ---- claiming -------------------------------------------------------------------------------- */

static uint64_t choose_claim(const struct nreg_identity *identity)
{
	uint64_t machine = nhost_machine();
	bool is_near = machine && machine == identity->machine && nhost_fence_prepare_shared();
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint32_t)nhost_clock_ns() ^ (uint32_t)getpid() << 16;
	return nreg_claim_word(random, machine, is_near, identity->generation);
}

static void store_claim(const struct nhost_attach *attach, struct nreg_claim *line, uint64_t claim)
{
	if (nchan_hear(attach->caches, &line->claim) == claim)
		return;
	nchan_tell(attach->caches, &line->claim, claim);
	nhost_wake_shared(&line->claim);
}

enum answer {
	ANSWER_NONE,
	ANSWER_TAKEN,
	ANSWER_BUSY,
	ANSWER_NEW_OFFER,
};

/* A host of this machine that has died could not say that it has left. */
static bool bury(const struct nhost_attach *attach, uint64_t owner, uint64_t claim)
{
	struct nreg_claim *line = nreg_claim(attach->region);

	if (!attach->has_lock || !nreg_claims_are_of_one_machine(owner, claim))
		return false;
	nchan_tell(attach->caches, &line->left, owner);
	nhost_wake_shared(&line->left);
	return true;
}

static enum answer answer_to(const struct nhost_attach *attach, uint64_t claim)
{
	const struct nreg_offer *offer = nreg_offer(attach->region);
	struct nreg_claim *line = nreg_claim(attach->region);
	uint64_t owner = nchan_hear(attach->caches, &offer->owner);

	if (owner == claim)
		return ANSWER_TAKEN;
	if (nchan_load(&offer->ready) != nreg_claim_generation(claim))
		return ANSWER_NEW_OFFER;
	if (owner && nchan_hear(attach->caches, &line->left) == owner)
		return ANSWER_NONE; /* the device takes everything back */
	if (owner && !nchan_load(&offer->doubts))
		return bury(attach, owner, claim) ? ANSWER_NONE : ANSWER_BUSY;
	store_claim(attach, line, claim);
	return ANSWER_NONE;
}

/* The device may have been slow or away: what was claimed before must not count later. */
static int give_up(const struct nhost_attach *attach, uint64_t claim, struct nhost_error *error)
{
	const struct nchan_caches *caches = attach->caches;
	struct nreg_claim *line = nreg_claim(attach->region);

	if (nchan_hear(caches, &line->claim) == claim)
		nchan_tell(caches, &line->claim, 0);
	if (nchan_hear(caches, &nreg_offer(attach->region)->owner) == claim)
		nchan_tell(caches, &line->left, claim);
	return nhost_fail(error, ETIMEDOUT,
		"the device of this region does not answer: is it stopped, or has it ended? Start it "
		"again (nearside-device serve --file PATH)");
}

static int take(struct nhost_attach *attach, uint64_t claim, struct nreg_identity *identity,
	struct nhost_error *error)
{
	struct nreg_identity now;

	copy_identity(&now, attach->region, attach->caches);
	attach->claim = claim;
	if (now.capabilities & ~identity->capabilities || now.base != identity->base ||
		now.region_bytes != identity->region_bytes ||
		now.generation != identity->generation)
		return nhost_fail(error, EPROTO,
			"the device has changed what the region says while it was being opened");
	identity->capabilities = now.capabilities;
	nchan_tell(attach->caches, &nreg_claim(attach->region)->far_used, 0);
	return 0;
}

int nhost_attach_claim(struct nhost_attach *attach, int64_t deadline_ns,
	struct nreg_identity *identity, struct nhost_error *error)
{
	uint64_t claim = choose_claim(identity);
	int64_t nap_ns = NAP_NS_MIN;

	for (;;) {
		switch (answer_to(attach, claim)) {
		case ANSWER_TAKEN:
			return take(attach, claim, identity, error);
		case ANSWER_BUSY:
			return nhost_fail(error, EBUSY,
				"another program has this region: close its device first");
		case ANSWER_NEW_OFFER:
			return -EAGAIN;
		case ANSWER_NONE:
			break;
		}
		if (attach->is_alive && !attach->is_alive(attach->context))
			return fail_ended(error);
		if (!nap(&nap_ns, deadline_ns))
			return give_up(attach, claim, error);
	}
}

bool nhost_attach_is_owner(const struct nhost_attach *attach, unsigned generation)
{
	const struct nreg_offer *offer = nreg_offer(attach->region);

	return nchan_hear(attach->caches, &offer->ready) == generation &&
	       nchan_load(&offer->owner) == attach->claim;
}

void nhost_attach_beat(struct nhost_attach *attach)
{
	nchan_tell(attach->caches, &nreg_claim(attach->region)->heartbeat, ++attach->beats);
}

void nhost_attach_leave(struct nhost_attach *attach)
{
	struct nreg_claim *line = nreg_claim(attach->region);

	/* One that was taken for dead would hide that the host after it has left. */
	if (attach->claim &&
		nchan_hear(attach->caches, &nreg_offer(attach->region)->owner) == attach->claim) {
		nchan_tell(attach->caches, &line->left, attach->claim);
		nhost_wake_shared(&line->left);
	}
	attach->claim = 0;
}
