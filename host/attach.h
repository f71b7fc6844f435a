/*
 * attach.h - the host's side of attaching to a device outside its program (docs/protocol.md,
 * "Attaching").
 *
 *     nhost_attach_read()      waits until the device offers the region: its identity, checked
 *     map the region at identity.base
 *     nhost_attach_claim()     waits until the device has taken this host
 *     nhost_attach_beat()      every NREG_BEAT_MS, by a thread of its own
 *     nhost_attach_is_owner()  the region is still this host's
 *     nhost_attach_leave()     the device may take everything back
 *
 * What lies in the region was written by others and is checked on copies. It is reached by 8-byte
 * loads and stores only.
 */
#ifndef NEARSIDE_HOST_ATTACH_H
#define NEARSIDE_HOST_ATTACH_H

#include "host/device.h"

struct nhost_attach {
	void *region;
	const struct nchan_caches *caches; /* of its memory; NULL: that is coherent */
	bool has_lock; /* no other host of this machine is alive: see nhost_region_lock() */
	/* The device is still there, as far as can be seen; NULL: it cannot be. */
	bool (*is_alive)(const void *context);
	const void *context;
	uint64_t claim; /* once the device has taken it; else 0 */
	uint64_t beats;
};

/* What identities of devices on this machine have in `machine`; 0: cannot be told. */
uint64_t nhost_machine(void);

/*
 * Until deadline_ns of nhost_clock_ns(). `region` holds at least NREG_ALIGN bytes of a region of at
 * most region_bytes.
 * `lock` is the descriptor of the region's file, which a device of this machine locks; or -1.
 * -ENODEV     the device has ended
 * -ETIMEDOUT  nobody offers it
 * -EPROTO     it makes no sense: see nhost_identity_check()
 */
int nhost_attach_read(void *region, uint64_t region_bytes, int lock, int64_t deadline_ns,
	struct nreg_identity *identity, struct nhost_error *error);

/*
 * The whole region lies at attach->region, and *identity was read from it; afterwards it says what
 * the device and this host can do together.
 * -EBUSY      another host has the region
 * -ENODEV     the device has ended
 * -ETIMEDOUT  the device does not answer
 * -EPROTO     the device has changed its mind
 */
int nhost_attach_claim(struct nhost_attach *attach, int64_t deadline_ns,
	struct nreg_identity *identity, struct nhost_error *error);

/* False: the device was started again, or has given the region to another. */
bool nhost_attach_is_owner(const struct nhost_attach *attach, unsigned generation);

void nhost_attach_beat(struct nhost_attach *attach);

/* Does nothing without a claim. */
void nhost_attach_leave(struct nhost_attach *attach);

#endif
