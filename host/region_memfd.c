#include "host/region_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/region.h"

static int no_memory(const struct nreg_identity *identity, struct nhost_error *error)
{
	return nhost_fail(error, ENOMEM,
		"cannot get %" PRIu64 " bytes of far memory: %s; ask for less with the option "
		"far=SIZE, or raise the limit (ulimit -v, vm.overcommit_memory)",
		identity->far_bytes, strerror(errno));
}

static int no_file(struct nhost_error *error)
{
	int number = errno;
	const char *limit = number == EMFILE   ? "close files, or raise their limit (ulimit -n)"
			    : number == ENFILE ? "raise the system's limit of files (fs.file-max)"
			    : number == ENOMEM ? "free some memory"
					       : "let this program call it";

	return nhost_fail(error, number,
		"cannot make a file in memory for the region: memfd_create(): %s; %s",
		strerror(number), limit);
}

/* Growing a file past the limit of its process would raise a signal. */
static bool is_within_file_limit(uint64_t nbytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       limit.rlim_cur >= nbytes;
}

static int make_file(
	const struct nreg_identity *identity, unsigned flags, struct nhost_error *error)
{
	int fd;

	if (!is_within_file_limit(identity->region_bytes))
		return nhost_fail(error, ENOMEM,
			"far memory of %" PRIu64 " bytes is beyond this process's limit for files; "
			"raise it (ulimit -f unlimited) or ask for less with the option far=SIZE",
			identity->far_bytes);
	fd = memfd_create("nearside-region", MFD_CLOEXEC | flags);
	if (fd < 0)
		return no_file(error);
	if (ftruncate(fd, (off_t)identity->region_bytes)) {
		no_memory(identity, error);
		close(fd);
		return -ENOMEM;
	}
	return fd;
}

/* Where there is room. A negative fd: only the addresses. */
static int map(struct nreg_identity *identity, int fd, void **region, struct nhost_error *error)
{
	uint64_t base = NHOST_BASE;

	for (unsigned i = 0; i < NHOST_BASE_COUNT; i++, base += NHOST_BASE_STEP) {
		*region = nhost_region_map_at(base, identity->region_bytes, fd);
		if (*region != MAP_FAILED) {
			identity->base = base;
			return 0;
		}
		if (errno != EEXIST)
			return no_memory(identity, error);
	}
	*region = NULL;
	return nhost_fail(error, EBUSY,
		"no room for a region of %" PRIu64 " bytes at any of %d addresses from 0x%" PRIx64
		" in steps of 0x%" PRIx64
		"; close another device, or ask for less with the option far=SIZE",
		identity->region_bytes, NHOST_BASE_COUNT, NHOST_BASE, NHOST_BASE_STEP);
}

int nhost_region_create(struct nreg_identity *identity, void **region, struct nhost_error *error)
{
	int fd, result;

	*region = NULL;
	nhost_region_lay_out(identity);
	fd = make_file(identity, 0, error);
	if (fd < 0)
		return fd;
	result = map(identity, fd, region, error);
	close(fd);
	if (result) {
		*region = NULL;
		return result;
	}
	madvise(*region, identity->region_bytes, MADV_DONTFORK);
	memcpy(*region, identity, sizeof(*identity));
	return 0;
}

int nhost_region_reserve(uint64_t nbytes, void **region, struct nhost_error *error)
{
	struct nreg_identity identity = {.region_bytes = nbytes, .far_bytes = nbytes};
	int result = map(&identity, -1, region, error);

	if (result)
		*region = NULL;
	return result;
}

void nhost_region_destroy(void *region, uint64_t nbytes)
{
	munmap(region, nbytes);
}

static int create(const char *place, struct nreg_identity *identity, struct nhost_region *region,
	struct nhost_error *error)
{
	int result;
	(void)place;

	*region = (struct nhost_region){.fd = -1};
	result = nhost_region_create(identity, &region->memory, error);
	region->nbytes = identity->region_bytes;
	return result;
}

const struct nhost_region_kind nhost_memfd = {
	.kind = "memfd",
	.create = create,
	.is_zeroed = true,
};

/* Neither side can make it shorter under the other. */
static int create_sealed(const char *place, struct nreg_identity *identity,
	struct nhost_region *region, struct nhost_error *error)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	int result;
	(void)place;

	nhost_region_lay_out(identity);
	*region = (struct nhost_region){.fd = make_file(identity, MFD_ALLOW_SEALING, error)};
	if (region->fd < 0)
		return region->fd;
	result = fcntl(region->fd, F_ADD_SEALS, seals)
			 ? nhost_fail(error, errno, "cannot seal the region: %s", strerror(errno))
			 : nhost_region_map_anywhere(
				   region, identity->region_bytes, NREG_ALIGN, error);
	if (result)
		nhost_region_unmap(region);
	return result;
}

const struct nhost_region_kind nhost_sealed = {
	.kind = "sealed",
	.create = create_sealed,
	.is_zeroed = true,
};
