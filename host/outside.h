/*
 * outside.h - a device that somebody outside this program executes: how the host waits for it,
 * wakes it, and notices that it has gone. Inside host/ only.
 *
 * Two ways to sleep. Where both sides share a machine (NREG_CAN_WAKE), by wake words as
 * channels/wake.h describes it, with a membarrier and a futex that reach other programs. Elsewhere
 * the host looks again by itself, with growing pauses.
 *
 * A thread of its own, "nearside/watch", writes the host's heartbeat and looks after the device:
 *
 *     another generation, another owner     it was started again, or gave the region away: gone
 *     its lock is free, on one machine      it has ended: gone
 *     its socket is closed, its pid ended   (a worker of nearside-device) gone
 *     no heartbeat for `suspect` seconds    suspect, no more than that: a debugger stops it, too
 *     no heartbeat for `lost` seconds       gone, if that option was given
 *
 * When it has gone every wait ends with -ENODEV.
 */
#ifndef NEARSIDE_HOST_OUTSIDE_H
#define NEARSIDE_HOST_OUTSIDE_H

#include "host/attach.h"
#include "host/device.h"
#include "host/region.h"
#include "host/thread.h"

struct nhost_outside;

/* How it can be seen that the device has ended. Descriptors are owned; -1: there is none. */
struct nhost_signs {
	bool has_lock; /* the device locks the region's file: NHOST_LOCK_DEVICE */
	bool has_heartbeat;
	int socket;  /* to the device: at its end the device has gone */
	int process; /* a pidfd */
};

/*
 * How long opening waits for a device that is about to start or to take everything back from the
 * host before.
 */
enum {
	NHOST_OUTSIDE_PATIENCE_S = 10
};

/*
 * The region is mapped, *identity was read from it; claims it and fills *device but for its name.
 * Takes over region and signs, also on failure. Errors as nhost_attach_claim(), and those of
 * pthread_create() and eventfd().
 */
int nhost_outside_open(const struct nhost_options *options, struct nhost_region *region,
	const struct nreg_identity *identity, struct nhost_signs signs, int64_t deadline_ns,
	struct nhost_device *device, struct nhost_error *error);

void nhost_outside_close(struct nhost_device *device);
int nhost_outside_wait(
	struct nhost_device *device, int64_t deadline_ns, const struct nhost_condition *condition);
int nhost_outside_listen(struct nhost_device *device, struct nhost_bell *bell);
void nhost_outside_interrupt(struct nhost_device *device);
void nhost_outside_wake(struct nhost_device *device, unsigned core);
int64_t nhost_outside_now(struct nhost_device *device);

/* The slots of struct nhost_device_ops that all kinds of devices outside share. */
#define NHOST_OUTSIDE_SLOTS                                                                       \
	.close = nhost_outside_close, .wait = nhost_outside_wait, .listen = nhost_outside_listen, \
	.interrupt = nhost_outside_interrupt, .wake = nhost_outside_wake, .now = nhost_outside_now

/* Rows of the table of kinds. */
extern const struct nhost_device_ops nhost_device_file, nhost_device_dax, nhost_device_daemon;

#endif
