/*
 * region_dax.c - a region in a device DAX, /dev/daxX.Y: CXL memory, or another range of physical
 * memory that the kernel hands out whole.
 */
#include "host/region_dax.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/region.h"

/* ---- sysfs ----------------------------------------------------------------------------------- */

static bool read_number(const char *folder, const char *name, uint64_t *number)
{
	char path[512], text[32] = "", *end;
	ssize_t nbytes;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	nbytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	*number = strtoull(text, &end, 0);
	return nbytes > 0 && end != text;
}

int nhost_dax_read(const char *folder, struct nhost_dax *dax, struct nhost_error *error)
{
	*dax = (struct nhost_dax){0};
	if (!read_number(folder, "size", &dax->nbytes))
		return nhost_fail(error, ENODEV,
			"it is no device DAX: there is no %s/size; `nearside doctor` says what this "
			"machine has",
			folder);
	if (!read_number(folder, "align", &dax->align))
		dax->align = NREG_ALIGN; /* kernels before 5.10 do not say */
	if (!dax->align || dax->align & (dax->align - 1) || dax->align > dax->nbytes ||
		dax->nbytes % dax->align || dax->nbytes < NREG_ALIGN)
		return nhost_fail(error, EPROTO,
			"%s says %" PRIu64 " bytes, aligned to %" PRIu64
			": a region needs at least %d bytes, and all of them aligned",
			folder, dax->nbytes, dax->align, NREG_ALIGN);
	return 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int fail_open(const char *path, struct nhost_error *error)
{
	int number = errno;
	const char *advice =
		number == ENOENT
			? "; a CXL region becomes a device DAX when it is bound to the driver "
			  "device_dax"
		: number == EACCES || number == EPERM
			? "; let this user read and write it (chmod, or a udev rule)"
			: "";

	return nhost_fail(error, number, "%s: %s%s", path, strerror(number), advice);
}

static int read_about(int fd, const char *path, struct nhost_dax *dax, struct nhost_error *error)
{
	struct stat status;
	char folder[64];

	if (fstat(fd, &status))
		return fail_open(path, error);
	if (!S_ISCHR(status.st_mode))
		return nhost_fail(error, EINVAL,
			"%s is no device DAX but a file: file:%s opens a region in one", path,
			path);
	snprintf(folder, sizeof(folder), "/sys/dev/char/%u:%u", major(status.st_rdev),
		minor(status.st_rdev));
	return nhost_dax_read(folder, dax, error);
}

static int open_and_lock(const char *path, enum nhost_lock lock, struct nhost_dax *dax,
	struct nhost_region *region, struct nhost_error *error)
{
	int result;

	*region = (struct nhost_region){.fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)};
	if (region->fd < 0)
		return fail_open(path, error);
	result = read_about(region->fd, path, dax, error);
	return result ? result : nhost_region_take(region->fd, lock, path, error);
}

/* ---- the device's side ----------------------------------------------------------------------- */

static int make_room(const char *path, const struct nhost_dax *dax, struct nreg_identity *identity,
	struct nhost_error *error)
{
	nhost_region_lay_out(identity);
	if (identity->region_bytes > dax->nbytes)
		return nhost_fail(error, ENOSPC,
			"%s has %" PRIu64 " bytes, the region needs %" PRIu64
			": ask for less (--far SIZE)",
			path, dax->nbytes, identity->region_bytes);
	if (!identity->base)
		identity->base = NHOST_BASE_SERVED;
	if (identity->base % dax->align)
		return nhost_fail(error, EINVAL,
			"%s must be mapped at a multiple of %" PRIu64 ", and 0x%" PRIx64
			" is none (--base)",
			path, dax->align, identity->base);
	return 0;
}

static int create(const char *path, struct nreg_identity *identity, struct nhost_region *region,
	struct nhost_error *error)
{
	struct nhost_dax dax;
	struct nreg_identity before;
	int result = open_and_lock(path, NHOST_LOCK_DEVICE, &dax, region, error);

	if (!result)
		result = make_room(path, &dax, identity, error);
	if (!result)
		result = nhost_region_map_anywhere(region, dax.nbytes, dax.align, error);
	if (result) {
		nhost_region_unmap(region);
		return result;
	}
	memcpy(&before, region->memory, sizeof(before));
	region->generation = nhost_region_last_generation(&before);
	return 0;
}

/* ---- the host's side ------------------------------------------------------------------------- */

static int find(const char *path, int64_t deadline_ns, struct nreg_identity *identity,
	struct nhost_region *region, struct nhost_error *error)
{
	struct nhost_dax dax;
	int result = open_and_lock(path, NHOST_LOCK_HOST, &dax, region, error);

	if (!result)
		result = nhost_region_adopt(
			region, dax.nbytes, dax.align, deadline_ns, identity, error);
	if (result)
		nhost_region_unmap(region);
	return result;
}

const struct nhost_region_kind nhost_dax = {
	.kind = "dax",
	.create = create,
	.is_zeroed = false,
	.find = find,
};
