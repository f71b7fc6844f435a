/*
 * region_file.c - a region in a file that other programs open, too: in /dev/shm or wherever the
 * memory of an emulated machine lies.
 *
 * A file is never made shorter: a program that has it mapped would be ended by a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/region.h"

/* ---- opening --------------------------------------------------------------------------------- */

static int fail_open(const char *path, int flags, struct nhost_error *error)
{
	int number = errno;

	if (number == ENOENT && !(flags & O_CREAT))
		return nhost_fail(error, number,
			"%s: %s; start a device that makes it: nearside-device serve --file %s",
			path, strerror(number), path);
	return nhost_fail(error, number, "%s: %s%s", path, strerror(number),
		number == ENOENT ? "; is its folder there?"
		: number == EACCES
			? "; the device's user must let this one read and write it (chmod)"
			: "");
}

/* Does not wait for the other end of a FIFO. */
static int open_regular(const char *path, int flags, struct stat *status, struct nhost_error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0600);

	if (fd < 0)
		return fail_open(path, flags, error);
	if (fstat(fd, status)) {
		int result = fail_open(path, flags, error);

		close(fd);
		return result;
	}
	if (S_ISREG(status->st_mode))
		return fd;
	close(fd);
	return nhost_fail(error, EINVAL,
		"%s is not a file: a region needs a regular one, in "
		"/dev/shm for example",
		path);
}

/* ---- the device's side ----------------------------------------------------------------------- */

/* A device that ended may have taken away the name just after this one had opened it. */
static bool is_still_there(const char *path, int fd)
{
	struct stat by_name, by_fd;

	return !stat(path, &by_name) && !fstat(fd, &by_fd) && by_name.st_ino == by_fd.st_ino &&
	       by_name.st_dev == by_fd.st_dev;
}

static int open_and_lock(const char *path, struct stat *status, struct nhost_error *error)
{
	for (;;) {
		int fd = open_regular(path, O_CREAT, status, error);
		int result;

		if (fd < 0)
			return fd;
		result = nhost_region_take(fd, NHOST_LOCK_DEVICE, path, error);
		if (!result && is_still_there(path, fd))
			return fd;
		close(fd);
		if (result)
			return result;
	}
}

/*
 * Hosts may still have what a former device has left here; its file was perhaps made for it. What
 * begins like something else is not wiped out.
 */
static int read_former(int fd, const char *path, bool is_new, struct nhost_region *region,
	struct nhost_error *error)
{
	struct nreg_identity identity = {.magic = 0};
	struct nreg_offer offer = {.made = 0};

	if (pread(fd, &identity, sizeof(identity), 0) > 0 && identity.magic &&
		identity.magic != NREG_MAGIC)
		return nhost_fail(error, EEXIST,
			"%s holds something else than a region: take another path, or remove it",
			path);
	if (identity.magic && identity.version == NREG_VERSION &&
		pread(fd, &offer, sizeof(offer), NREG_OFFER_OFFSET) != sizeof(offer))
		offer.made = 0;
	region->generation = nhost_region_last_generation(&identity);
	if (is_new || offer.made)
		snprintf(region->made, sizeof(region->made), "%s", path);
	return 0;
}

static int fail_space(const char *path, uint64_t nbytes, int number, struct nhost_error *error)
{
	return nhost_fail(error, number,
		"%s: no room for %" PRIu64 " bytes: %s; ask for less (--far SIZE), or take a file "
		"where there is more room (df)",
		path, nbytes, strerror(number));
}

/* All of it is there now, and not only when it is touched: that would be a signal's business. */
static int allocate(int fd, const char *path, uint64_t nbytes, const struct stat *status,
	struct nhost_error *error)
{
	struct rlimit limit;
	int number;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
		limit.rlim_cur < nbytes)
		return fail_space(path, nbytes, EFBIG, error);
	if (status->st_size)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, status->st_size);
	number = posix_fallocate(fd, 0, (off_t)nbytes);
	return number ? fail_space(path, nbytes, number, error) : 0;
}

/* The same for the same path, apart from where regions in memory files go. */
static uint64_t usual_base(const char *path)
{
	return NHOST_BASE_SERVED +
	       nhost_hash(path, strlen(path)) % NHOST_BASE_SERVED_COUNT * NHOST_BASE_STEP;
}

/* A device translates addresses: only hosts need the region where the identity says. */
static int create(const char *path, struct nreg_identity *identity, struct nhost_region *region,
	struct nhost_error *error)
{
	struct stat status;
	int result;

	*region = (struct nhost_region){.fd = open_and_lock(path, &status, error)};
	if (region->fd < 0)
		return region->fd;
	nhost_region_lay_out(identity);
	result = read_former(region->fd, path, !status.st_size, region, error);
	if (!result)
		result = allocate(region->fd, path, identity->region_bytes, &status, error);
	if (!identity->base)
		identity->base = usual_base(path);
	if (!result)
		result = nhost_region_map_anywhere(
			region, identity->region_bytes, NREG_ALIGN, error);
	if (result)
		nhost_region_unmap(region);
	else
		nchan_store(&nreg_offer(region->memory)->made, *region->made != 0);
	return result;
}

/* ---- the host's side ------------------------------------------------------------------------- */

static int find(const char *path, int64_t deadline_ns, struct nreg_identity *identity,
	struct nhost_region *region, struct nhost_error *error)
{
	struct stat status;
	int result;

	*region = (struct nhost_region){.fd = open_regular(path, 0, &status, error)};
	if (region->fd < 0)
		return region->fd;
	if (status.st_size < NREG_ALIGN)
		result = nhost_fail(error, EPROTO,
			"%s: a file of %jd bytes is no region: is this the path that nearside-device serve "
			"was given?",
			path, (intmax_t)status.st_size);
	else
		result = nhost_region_take(region->fd, NHOST_LOCK_HOST, path, error);
	if (!result)
		result = nhost_region_adopt(
			region, (uint64_t)status.st_size, NREG_ALIGN, deadline_ns, identity, error);
	if (result)
		nhost_region_unmap(region);
	return result;
}

const struct nhost_region_kind nhost_file = {
	.kind = "file",
	.create = create,
	.is_zeroed = true,
	.find = find,
};
