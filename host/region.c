#include "host/region.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/attach.h"

/* ---- layout ---------------------------------------------------------------------------------- */

void nhost_region_lay_out(struct nreg_identity *identity)
{
	identity->magic = NREG_MAGIC;
	identity->version = NREG_VERSION;
	identity->abi_version = NK_ABI_VERSION;
	nreg_lay_out(identity);
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void *map_exactly(uint64_t base, uint64_t nbytes, int may, int flags, int fd)
{
	void *wanted = (void *)(uintptr_t)base;
	void *map = mmap(wanted, nbytes, may, flags | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

	if (map != MAP_FAILED && map != wanted) { /* a kernel before 4.17 */
		munmap(map, nbytes);
		errno = EEXIST;
		return MAP_FAILED;
	}
	return map;
}

void *nhost_region_map_at(uint64_t base, uint64_t nbytes, int fd)
{
	if (fd < 0)
		return map_exactly(base, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return map_exactly(base, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
}

void nhost_region_unmap(struct nhost_region *region)
{
	if (*region->made)
		unlink(region->made);
	nhost_cache_destroy(region->cache);
	if (region->behind)
		munmap(region->behind, region->nbytes);
	if (region->memory)
		munmap(region->memory, region->nbytes);
	if (region->fd >= 0)
		close(region->fd);
	*region = (struct nhost_region){.fd = -1};
}

static int fail_place(uint64_t base, uint64_t nbytes, struct nhost_error *error)
{
	int number = errno == EEXIST ? EBUSY : errno;

	if (number == EBUSY)
		return nhost_fail(error, EBUSY,
			"the region must lie at 0x%" PRIx64 " to 0x%" PRIx64
			", and this program has something there: close what it has opened before, or "
			"serve the region at another address (nearside-device serve --base)",
			base, base + nbytes);
	return nhost_fail(error, number,
		"cannot map a region of %" PRIu64 " bytes at 0x%" PRIx64 ": %s", nbytes, base,
		strerror(number));
}

int nhost_region_map_anywhere(
	struct nhost_region *region, uint64_t nbytes, uint64_t align, struct nhost_error *error)
{
	uint64_t room = nbytes + align;
	char *place =
		mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *begin, *map;

	if (place == MAP_FAILED)
		return nhost_fail(error, errno,
			"no room for the addresses of %" PRIu64 " bytes: %s (ulimit -v)", nbytes,
			strerror(errno));
	begin = (char *)(((uintptr_t)place + align - 1) / align * align);
	map = mmap(begin, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
		region->fd, 0);
	if (map == MAP_FAILED) {
		int number = errno;

		munmap(place, room);
		return nhost_fail(error, number, "cannot map a region of %" PRIu64 " bytes: %s",
			nbytes, strerror(number));
	}
	if (begin > place)
		munmap(place, (size_t)(begin - place));
	if (begin + nbytes < place + room)
		munmap(begin + nbytes, (size_t)(place + room - begin) - nbytes);
	madvise(map, nbytes, MADV_DONTFORK);
	region->memory = map;
	region->nbytes = nbytes;
	return 0;
}

/* What is mapped somewhere goes to where the identity says. */
static int move_to(struct nhost_region *region, uint64_t base, struct nhost_error *error)
{
	uint64_t nbytes = region->nbytes;
	void *place = nhost_region_map_at(base, nbytes, -1);

	if (place == MAP_FAILED)
		return fail_place(base, nbytes, error);
	if (mremap(region->memory, nbytes, nbytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) != place) {
		int result = fail_place(base, nbytes, error);

		munmap(place, nbytes);
		return result;
	}
	region->memory = place;
	return 0;
}

/* ---- memory that is not coherent ------------------------------------------------------------- */

/* Fixed, or wherever there is room. MAP_FAILED. */
static void *map_copy(uint64_t base, uint64_t nbytes)
{
	void *copy = base ? nhost_region_map_at(base, nbytes, -1)
			  : mmap(NULL, nbytes, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (copy == MAP_FAILED || !mprotect(copy, nbytes, PROT_READ | PROT_WRITE))
		return copy;
	munmap(copy, nbytes);
	return MAP_FAILED;
}

int nhost_region_model_cache(struct nhost_region *region, const struct nreg_identity *identity,
	uint64_t base, struct nhost_error *error)
{
	void *copy = map_copy(base, region->nbytes);
	int result;

	if (copy == MAP_FAILED)
		return fail_place(base, region->nbytes, error);
	madvise(copy, region->nbytes, MADV_DONTFORK);
	result = nhost_cache_create(region->memory, copy, region->nbytes, identity->far_offset,
		identity->cache_seed, &region->cache, error);
	if (result) {
		munmap(copy, region->nbytes);
		return result;
	}
	region->behind = region->memory;
	region->memory = copy;
	region->caches = nhost_cache_operations(region->cache);
	return 0;
}

/* What a host before this one has left in this machine's caches goes now, and not later. */
static int use_instructions(struct nhost_region *region, const struct nreg_identity *identity,
	struct nhost_error *error)
{
	region->caches = nhost_caches_of_processor();
	if (!region->caches)
		return nhost_fail(error, EOPNOTSUPP,
			"the region's memory is not coherent with this machine's caches, and "
			"programs cannot write back caches here: open it on an x86-64 machine");
	nchan_refresh(region->caches, region->memory, identity->far_offset);
	return 0;
}

static int settle(struct nhost_region *region, const struct nreg_identity *identity,
	struct nhost_error *error)
{
	int result = 0;

	if (identity->capabilities & NREG_MODELLED_CACHE)
		return nhost_region_model_cache(region, identity, identity->base, error);
	if (!(identity->capabilities & NREG_COHERENT))
		result = use_instructions(region, identity, error);
	return result ? result : move_to(region, identity->base, error);
}

int nhost_region_adopt(struct nhost_region *region, uint64_t nbytes, uint64_t align,
	int64_t deadline_ns, struct nreg_identity *identity, struct nhost_error *error)
{
	int result = nhost_region_map_anywhere(region, nbytes, align, error);

	if (!result)
		result = nhost_attach_read(
			region->memory, nbytes, region->fd, deadline_ns, identity, error);
	if (!result && identity->base % align)
		return nhost_fail(error, EPROTO,
			"the region wants to lie at 0x%" PRIx64
			", and must lie at a multiple of %" PRIu64,
			identity->base, align);
	return result ? result : settle(region, identity, error);
}

uint64_t nhost_hash(const void *bytes, size_t nbytes)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < nbytes; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}

unsigned nhost_region_last_generation(const struct nreg_identity *before)
{
	return before->magic == NREG_MAGIC ? before->generation & NCHAN_GENERATION_MAX : 0;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static struct flock range_of(enum nhost_lock lock)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock, .l_len = 1};
}

int nhost_region_lock(int fd, enum nhost_lock lock)
{
	struct flock range = range_of(lock);

	if (!fcntl(fd, F_OFD_SETLK, &range))
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

int nhost_region_take(int fd, enum nhost_lock lock, const char *path, struct nhost_error *error)
{
	int result = nhost_region_lock(fd, lock);

	if (!result)
		return 0;
	if (result != -EAGAIN)
		return nhost_fail(
			error, -result, "%s: cannot lock it: %s", path, strerror(-result));
	if (lock == NHOST_LOCK_DEVICE)
		return nhost_fail(error, EBUSY,
			"%s: another device serves it: end that one, or take another place", path);
	return nhost_fail(error, EBUSY,
		"%s: another program has this region, or this one has opened it before: close that "
		"device first",
		path);
}

bool nhost_region_is_locked(int fd, enum nhost_lock lock)
{
	struct flock range = range_of(lock);

	return !fcntl(fd, F_OFD_GETLK, &range) && range.l_type != F_UNLCK;
}
