/*
 * region.h - the memory that a region lies in. One row of a table for each kind; who executes the
 * device is another matter.
 *
 *     memfd  region_memfd.c   no name leads to it
 *     sealed region_memfd.c   likewise, for a program that is sent the file
 *     numa   region_numa.c    likewise, on the memory of a chosen NUMA node
 *     file   region_file.c    a file, which other programs open
 *     dax    region_dax.c     a device DAX, likewise: CXL memory
 *
 * A device makes its region with create(); a host program opens one that a device outside it made
 * with find(). Regions are not inherited by children of fork().
 */
#ifndef NEARSIDE_HOST_REGION_H
#define NEARSIDE_HOST_REGION_H

#include "device/abi/region.h"
#include "host/caches.h"
#include "host/device.h"

struct nhost_region {
	void *memory;    /* at identity.base, all of it */
	uint64_t nbytes; /* that are mapped, at least identity.region_bytes */
	int fd;          /* holds the lock of the device or the host, where others can see it; -1 */
	char made[NHOST_PLACE_MAX]; /* the file that was made for it and goes with it; else "" */
	int node;                   /* NUMA; only of kind numa */
	unsigned generation;        /* of the last device that made this region; 0: none is known */
	/* What makes it seen by the other side; NULL: the memory is coherent. */
	const struct nchan_caches *caches;
	/* Of a modelled cache, which `memory` is the copy of; NULL: there is none. */
	struct nhost_cache *cache;
	void *behind; /* the memory that is behind it */
};

struct nhost_region_kind {
	const char *kind;
	/*
	 * Makes the memory, or takes what is at `place` for it, and zeroes it where that costs
	 * little; is_zeroed says so. As nhost_region_create(); identity->base may be chosen
	 * already.
	 */
	int (*create)(const char *place, struct nreg_identity *identity,
		struct nhost_region *region, struct nhost_error *error);
	bool is_zeroed;
	/*
	 * Maps what a device outside this program has made, where its identity says, and fills in
	 * *identity, checked. NULL: there is none that others can see.
	 */
	int (*find)(const char *place, int64_t deadline_ns, struct nreg_identity *identity,
		struct nhost_region *region, struct nhost_error *error);
};

extern const struct nhost_region_kind nhost_memfd, nhost_sealed, nhost_numa, nhost_file, nhost_dax;

void nhost_region_unmap(struct nhost_region *region);

/* ---- where regions lie ----------------------------------------------------------------------- */

/*
 * Of the 47 bits of addresses, thread sanitizers (gcc 12, clang 19) leave to programs what lies
 * below 2 TiB, around PIE programs at 0x5500... and above 0x7e80...; address sanitizers take the
 * first and keep their heap in the middle. The kernel's own choices for mmap() lie in the topmost
 * TiB. So regions that a program makes for itself lie at the first of NHOST_BASE_COUNT places where
 * it has room; those that others make, which have no choice, lie behind.
 */
#define NHOST_BASE        UINT64_C(0x7e8000000000)
#define NHOST_BASE_STEP   UINT64_C(0x400000000) /* 16 GiB */
#define NHOST_BASE_SERVED (NHOST_BASE + NHOST_BASE_COUNT * NHOST_BASE_STEP)
enum {
	NHOST_BASE_COUNT = 24,
	NHOST_BASE_SERVED_COUNT = 8,
};

/* ---- what the kinds share -------------------------------------------------------------------- */

/* Fills in what follows from the sizes: the fields that nhost_region_create() fills in but base. */
void nhost_region_lay_out(struct nreg_identity *identity);

/* Without a file only the addresses. MAP_FAILED with EEXIST where something else is. */
void *nhost_region_map_at(uint64_t base, uint64_t nbytes, int fd);

/* The first nbytes of region->fd, at a multiple of `align`, and not in children of fork(). */
int nhost_region_map_anywhere(
	struct nhost_region *region, uint64_t nbytes, uint64_t align, struct nhost_error *error);

/*
 * From here on region->memory is a modelled cache of what was mapped there, at `base` (0:
 * anywhere). The errors of mmap(); -EBUSY as nhost_region_adopt().
 */
int nhost_region_model_cache(struct nhost_region *region, const struct nreg_identity *identity,
	uint64_t base, struct nhost_error *error);

/* FNV-1a: a number that is the same for the same bytes, and else probably another. */
uint64_t nhost_hash(const void *bytes, size_t nbytes);

/* Of what lies at the start of a former region, or of anything else. */
unsigned nhost_region_last_generation(const struct nreg_identity *before);

/*
 * Maps region->fd, reads what it says of itself, and moves the mapping to where that is. On failure
 * the caller calls nhost_region_unmap(). Errors as nhost_attach_read();
 * -EBUSY      something else is there in this program
 * -EOPNOTSUPP  the memory is not coherent, and this program cannot make it seem so
 */
int nhost_region_adopt(struct nhost_region *region, uint64_t nbytes, uint64_t align,
	int64_t deadline_ns, struct nreg_identity *identity, struct nhost_error *error);

/* ---- locks: fcntl() locks of one byte, which end with the program that holds them ------------ */

enum nhost_lock {
	NHOST_LOCK_DEVICE,
	NHOST_LOCK_HOST,
};

/* 0, -EAGAIN (another program has it) or another negative errno. */
int nhost_region_lock(int fd, enum nhost_lock lock);

/* Likewise, with the reason for people. -EBUSY: another device or host of `path` has it. */
int nhost_region_take(int fd, enum nhost_lock lock, const char *path, struct nhost_error *error);

/* Another program has it. */
bool nhost_region_is_locked(int fd, enum nhost_lock lock);

#endif
