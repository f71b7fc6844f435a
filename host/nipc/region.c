#include "host/nipc/region.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/room.h"

enum {
	HUGEPAGE = 2 << 20,
	SLOTS = 1024, /* of a region up to SLOTS * DATA_OF_SLOT */
	DATA_OF_SLOT = 64 << 10,
	OVERHEAD_PART = 64, /* of a region */
	SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL,
};

/* Since Linux 5.14 and 6.1; older ones refuse them, which is no failure. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static size_t page_nbytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_up(size_t nbytes, size_t unit)
{
	return (nbytes + unit - 1) / unit * unit;
}

static size_t file_nbytes(const struct ipc_region *region)
{
	return region->header_nbytes + region->capacity;
}

static size_t map_nbytes(const struct ipc_region *region)
{
	return region->header_nbytes + 2 * region->capacity;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static void lay_out(struct ipc_region *region, size_t capacity, size_t page)
{
	region->slots = SLOTS;
	while (region->slots < IPC_SLOTS_MAX && capacity / DATA_OF_SLOT > region->slots)
		region->slots *= 2;
	region->header_nbytes =
		round_up(IPC_CONTROL_BYTES + (size_t)region->slots * IPC_LINE_BYTES, page);
	region->capacity = round_up(capacity, page);
}

/* Growing a file past the limit of its process would raise a signal. */
static int check_file_limit(const struct ipc_region *region, struct nhost_error *error)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
		limit.rlim_cur >= file_nbytes(region))
		return 0;
	return nhost_fail(error, ENOMEM,
		"a region of %zu bytes is beyond this process's limit for files; raise it "
		"(ulimit -f unlimited) or ask for a smaller capacity",
		file_nbytes(region));
}

static int no_file(int number, struct nhost_error *error)
{
	const char *limit = nhost_descriptor_limit(number);

	if (limit)
		return nhost_fail(error, number, "no descriptor for a region (raise %s)", limit);
	return nhost_fail(error, number == ENOMEM ? ENOMEM : ENOSYS,
		"memfd_create for a region: %s (Linux 4.14 or newer, and nothing that forbids it)",
		strerror(number));
}

static int no_pages(const struct ipc_region *region, int number, struct nhost_error *error)
{
	return nhost_fail(error, ENOMEM,
		"no memory for a region of %zu bytes (%s): ask for a smaller capacity, or raise the "
		"limit of the container or control group (memory.max)",
		file_nbytes(region), strerror(number));
}

/* Where the last page is beyond the limit of a control group, the system kills who asks for it. */
static int check_room(const struct ipc_region *region, struct nhost_error *error)
{
	/* Page tables, and what else the system keeps for each page. */
	const uint64_t nbytes = file_nbytes(region) + file_nbytes(region) / OVERHEAD_PART;
	struct nhost_room room;

	nhost_room_find("", &room);
	if (nbytes <= room.nbytes)
		return 0;
	return nhost_fail(error, ENOMEM,
		"no memory for a region of %zu bytes, as %llu can be had: %s; ask for a smaller "
		"capacity, or %s",
		file_nbytes(region), (unsigned long long)room.nbytes, room.limit, room.remedy);
}

/* All pages are taken here: what is promised later may be a SIGBUS. */
static int fill(const struct ipc_region *region, int fd, struct nhost_error *error)
{
	int number = 0;

	if (ftruncate(fd, (off_t)file_nbytes(region)))
		number = errno;
	else
		do
			number = posix_fallocate(fd, 0, (off_t)file_nbytes(region));
		while (number == EINTR);
	return number ? no_pages(region, number, error) : 0;
}

static int make_file(struct ipc_region *region, unsigned flags, struct nhost_error *error)
{
	int fd, result = check_file_limit(region, error);

	if (!result && !(flags & MFD_HUGETLB))
		result = check_room(region, error);
	if (result)
		return result;
	fd = memfd_create("nearside-nipc", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	if (fd < 0)
		return no_file(errno, error);
	result = fill(region, fd, error);
	if (!result)
		return fd;
	close(fd);
	return result;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Aligned, so that huge pages fit; NULL: errno says why. */
static unsigned char *reserve_addresses(size_t nbytes)
{
	unsigned char *all = mmap(NULL, nbytes + HUGEPAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char *aligned;

	if (all == MAP_FAILED)
		return NULL;
	aligned = all + (HUGEPAGE - (uintptr_t)all % HUGEPAGE) % HUGEPAGE;
	if (aligned > all)
		munmap(all, (size_t)(aligned - all));
	munmap(aligned + nbytes, (size_t)(all + HUGEPAGE - aligned));
	return aligned;
}

static int no_addresses(const struct ipc_region *region, int number, struct nhost_error *error)
{
	return nhost_fail(error, number == EPERM ? EPROTO : ENOMEM,
		"no room to map a region of %zu bytes (%s): ask for a smaller capacity, or raise "
		"ulimit -v or vm.max_map_count",
		file_nbytes(region), strerror(number));
}

/* The file, and its data once more. */
static int map(struct ipc_region *region, int fd, int protection, struct nhost_error *error)
{
	unsigned char *base = reserve_addresses(map_nbytes(region));
	const int flags = MAP_SHARED | MAP_FIXED;
	int number;

	if (!base)
		return no_addresses(region, errno, error);
	if (mmap(base, file_nbytes(region), protection, flags, fd, 0) == MAP_FAILED ||
		mmap(base + file_nbytes(region), region->capacity, protection, flags, fd,
			(off_t)region->header_nbytes) == MAP_FAILED) {
		number = errno;
		munmap(base, map_nbytes(region));
		return no_addresses(region, number, error);
	}
	madvise(base, map_nbytes(region), MADV_DONTFORK);
	region->base = base;
	return 0;
}

/* Best effort: where it is refused, the first use of each page costs a fault. */
static void enter_pages(const struct ipc_region *region, int advice)
{
	madvise(region->base, map_nbytes(region), advice);
}

static void want_hugepages(struct ipc_region *region)
{
	if (region->capacity < HUGEPAGE)
		return;
	madvise(region->base, map_nbytes(region), MADV_HUGEPAGE);
	region->has_hugepages =
		!madvise(region->base, file_nbytes(region) / HUGEPAGE * HUGEPAGE, MADV_COLLAPSE);
}

static int lock_pages(struct ipc_region *region, struct nhost_error *error)
{
	struct rlimit limit = {0, 0};

	if (!mlock2(region->base, file_nbytes(region), 0)) {
		region->is_locked = true;
		return 0;
	}
	getrlimit(RLIMIT_MEMLOCK, &limit);
	return nhost_fail(error, ENOMEM,
		"cannot lock a region of %zu bytes in memory: the limit of locked memory is %llu "
		"bytes; raise it (ulimit -l, or LimitMEMLOCK= of the service), ask for a smaller "
		"capacity, or leave out NIPC_LOCKED",
		file_nbytes(region), (unsigned long long)limit.rlim_cur);
}

/* ---- the own region -------------------------------------------------------------------------- */

/* Of the pool of huge pages (vm.nr_hugepages), where the system has one. */
static int try_pool(struct ipc_region *region, const struct ipc_region_wish *wish)
{
	struct nhost_error unused;
	int fd;

	if (!wish->hugepages || wish->capacity < HUGEPAGE)
		return -ENOMEM;
	lay_out(region, wish->capacity, HUGEPAGE);
	fd = make_file(region, MFD_HUGETLB | MFD_HUGE_2MB, &unused);
	if (fd < 0)
		return fd;
	if (map(region, fd, PROT_READ | PROT_WRITE, &unused)) {
		close(fd);
		return -ENOMEM;
	}
	region->has_hugepages = true;
	return fd;
}

static int make_usual(
	struct ipc_region *region, const struct ipc_region_wish *wish, struct nhost_error *error)
{
	int fd, result;

	lay_out(region, wish->capacity, page_nbytes());
	fd = make_file(region, 0, error);
	if (fd < 0)
		return fd;
	result = map(region, fd, PROT_READ | PROT_WRITE, error);
	if (result) {
		close(fd);
		return result;
	}
	if (wish->hugepages)
		want_hugepages(region);
	return fd;
}

static int finish(struct ipc_region *region, int fd, bool locked, struct nhost_error *error)
{
	enter_pages(region, MADV_POPULATE_WRITE);
	if (fcntl(fd, F_ADD_SEALS, SEALS))
		return nhost_fail(error, ENOSYS, "cannot seal a region: %s (Linux 5.1 or newer)",
			strerror(errno));
	return locked ? lock_pages(region, error) : 0;
}

int ipc_region_create(
	struct ipc_region *region, const struct ipc_region_wish *wish, struct nhost_error *error)
{
	int fd, result;

	*region = (struct ipc_region){0};
	fd = try_pool(region, wish);
	if (fd < 0)
		fd = make_usual(region, wish, error);
	if (fd < 0)
		return fd;
	result = finish(region, fd, wish->locked, error);
	if (!result)
		return fd;
	close(fd);
	ipc_region_destroy(region);
	return result;
}

void ipc_region_destroy(struct ipc_region *region)
{
	if (region->base)
		munmap(region->base, map_nbytes(region));
	*region = (struct ipc_region){0};
}

/* ---- a peer's region ------------------------------------------------------------------------- */

static int bad(struct nhost_error *error, const char *what)
{
	return nhost_fail(error, EPROTO, "the peer's region is refused: %s", what);
}

/* A file that can shrink, or whose pages are not there yet, could end this process by SIGBUS. */
static int check_file(
	int fd, const struct ipc_hello *hello, size_t *page, struct nhost_error *error)
{
	struct statfs system;
	struct stat file;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || fstat(fd, &file) || fstatfs(fd, &system))
		return bad(error, "it is not a memory file");
	if ((seals & SEALS) != SEALS)
		return bad(error, "it is not sealed against shrinking, growing and writing");
	if (system.f_type == HUGETLBFS_MAGIC)
		*page = HUGEPAGE;
	else if (system.f_type == TMPFS_MAGIC)
		*page = page_nbytes();
	else
		return bad(error, "it is not a memory file");
	if ((uint64_t)file.st_size != hello->header_nbytes + hello->capacity)
		return bad(error, "its file has another size than it says");
	if ((uint64_t)file.st_blocks * 512 < (uint64_t)file.st_size)
		return bad(error, "its file has holes");
	return 0;
}

static int check_layout(const struct ipc_hello *hello, struct nhost_error *error)
{
	const uint64_t most = (uint64_t)1 << 41;

	if (hello->slots < IPC_SLOTS_MIN || hello->slots > IPC_SLOTS_MAX ||
		(hello->slots & (hello->slots - 1)))
		return bad(error, "its number of lines makes no sense");
	if (hello->header_nbytes > most || !hello->capacity || hello->capacity > most ||
		hello->header_nbytes < IPC_CONTROL_BYTES + (uint64_t)hello->slots * IPC_LINE_BYTES)
		return bad(error, "its sizes make no sense");
	return 0;
}

int ipc_region_map_peer(
	struct ipc_region *region, int fd, const struct ipc_hello *hello, struct nhost_error *error)
{
	size_t page = 0;
	int result = check_layout(hello, error);

	*region = (struct ipc_region){0};
	if (!result)
		result = check_file(fd, hello, &page, error);
	if (!result && (hello->header_nbytes % page || hello->capacity % page))
		result = bad(error, "its parts are not whole pages");
	if (result)
		return result;
	region->slots = hello->slots;
	region->header_nbytes = hello->header_nbytes;
	region->capacity = hello->capacity;
	region->has_hugepages = page == HUGEPAGE;
	result = map(region, fd, PROT_READ, error);
	if (result)
		return result;
	if (page != HUGEPAGE && region->capacity >= HUGEPAGE)
		madvise(region->base, map_nbytes(region), MADV_HUGEPAGE);
	enter_pages(region, MADV_POPULATE_READ);
	return 0;
}
