/*
 * device.h - devices as the host side sees them: a region, and how to wait and wake.
 *
 * A kind of device is one const table. Region providers stand in host/, executors are added by emu/
 * (emu/table.c defines nhost_devices); the first in the table is the default. runtime/ knows
 * nothing else about who executes.
 */
#ifndef NEARSIDE_HOST_DEVICE_H
#define NEARSIDE_HOST_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/abi/region.h"
#include "host/wait.h"

/* What went wrong, in words: what is missing and what to do. */
struct nhost_error {
	char text[512];
};

/* What to raise where descriptors have run out, EMFILE or ENFILE; NULL for another number. */
const char *nhost_descriptor_limit(int number);

/* Fills error->text like snprintf and returns -number. */
int nhost_fail(struct nhost_error *error, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

enum {
	NHOST_PLACE_MAX = 512
};

/* Options that every kind takes, parsed by nhost_options_parse(). */
struct nhost_options {
	char place[NHOST_PLACE_MAX]; /* a path or a number, for kinds that take one; else "" */
	unsigned cores;
	uint64_t far_nbytes;
	uint32_t processes; /* most at once, on one core */
	uint32_t pipes;
	uint32_t port;                  /* enum nchan_port_kind */
	uint64_t seed;                  /* of a simulation */
	uint32_t faults;                /* 1: a simulation injects some, too */
	uint32_t slow_host, slow_cores; /* in a simulation: by which factor */
	/* Of a device outside the program: seconds without a heartbeat (outside.h). */
	uint32_t suspect_s, lost_s;
};

/* What may stand in front of the options of a device's name. */
enum nhost_place {
	NHOST_NO_PLACE,
	NHOST_PLACE_OR_NONE,
	NHOST_PLACE,
};

/*
 * "cores=2,far=1G,...": starts from the defaults; names the wrong option in error. `place`: what
 * may stand in front; a place that may be missing begins with '/' or '.'. is_made: the device is
 * there already, and options that are about making it are refused.
 */
int nhost_options_parse(const char *text, enum nhost_place place, bool is_made,
	struct nhost_options *options, struct nhost_error *error);

/* What a thread that waits looks at. */
struct nhost_condition {
	/* There is something to do. Called often while it spins. */
	bool (*ready)(void *context);
	/*
	 * Called before sleep, and once more when senders can see that the thread is about to
	 * sleep: reports what was taken (lines may be sent), and is true when there is still
	 * nothing to do.
	 */
	bool (*may_sleep)(void *context);
	void *context;
};

struct nhost_device_ops;
struct nhost_bell;

struct nhost_device {
	const struct nhost_device_ops *ops;
	void *region;                      /* == identity.base */
	const struct nchan_caches *caches; /* of its memory; NULL: that is coherent */
	struct nreg_identity identity;     /* a checked copy */
	char name[256];                    /* what was chosen, with options; cut where longer */
	const struct nchan_pause *pause;   /* for the host's own lines; NULL but in simulation */
	/*
	 * Of the host thread that waits, shared by wait() and who spins before calling it. NULL:
	 * only wait() waits, because nothing happens otherwise.
	 */
	struct nhost_spin *spin;
	/*
	 * Of a device outside: its heartbeat has stopped. Atomic; NULL: it cannot stop by itself.
	 */
	const bool *is_suspect;
	void *executor;
};

struct nhost_device_ops {
	const char *kind;
	const char *summary; /* one line for people */
	enum nhost_place place;
	bool is_made; /* somebody outside has made the device: open() only finds it */
	/* Fills `device` but for ops; far memory reads as zeros. On failure nothing is left. */
	int (*open)(const struct nhost_options *options, struct nhost_device *device,
		struct nhost_error *error);
	/* Stops the executor and unmaps the region. */
	void (*close)(struct nhost_device *device);
	/*
	 * Returns 0 when condition->ready, or earlier (woken, interrupted); -ETIMEDOUT when it is
	 * not and deadline_ns of now() has passed (negative: never). Spins, then asks
	 * condition->may_sleep and sleeps. One thread at a time, no locks held. -EDEADLK: nothing
	 * can ever happen again (simulation). -ENODEV: the device has gone.
	 */
	int (*wait)(struct nhost_device *device, int64_t deadline_ns,
		const struct nhost_condition *condition);
	/* Makes a wait() of another thread return. */
	void (*interrupt)(struct nhost_device *device);
	/*
	 * For hosts that do not wait() but listen to a bell (bell.h), which the caller has armed: a
	 * line for the host that comes after this call rings it; the caller then looks for lines
	 * that came before. Ends with the next wait(). Also called while a bell still rings. The
	 * bell lives as long as the device. Under the lock of the caller. 0; -EDEADLK: nothing can
	 * happen before the host does something (simulation);
	 * -EPERM: not the thread that may wait (simulation); -ENODEV: the device has gone.
	 */
	int (*listen)(struct nhost_device *device, struct nhost_bell *bell);
	/* The core's wake word said that it sleeps. */
	void (*wake)(struct nhost_device *device, unsigned core);
	int64_t (*now)(struct nhost_device *device); /* ns; virtual in simulation */
};

/* NULL-terminated, in order of preference. Defined by emu/table.c. */
extern const struct nhost_device_ops *const nhost_devices[];

/*
 * Opens by name as nproc_device_open() describes it (NULL: NEARSIDE_DEVICE or the first of the
 * table).
 */
int nhost_device_open(const char *name, struct nhost_device *device, struct nhost_error *error);
void nhost_device_close(struct nhost_device *device);

/* Checks what a region says about itself against its true size; fills *copy. */
int nhost_identity_check(const void *region, uint64_t region_bytes, struct nreg_identity *copy,
	struct nhost_error *error);

#endif
