/* outside_daemon.c - devices of `nearside-device start`: each program has a worker of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/daemon.h"
#include "host/outside.h"
#include "host/region_memfd.h"

/* Whoever made the file, it can be neither shorter nor longer any more. */
static int check_file(int fd, uint64_t nbytes, struct nhost_error *error)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat status;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || !(seals & F_SEAL_SEAL) || fstat(fd, &status) ||
		(uint64_t)status.st_size != nbytes)
		return nhost_fail(error, EPROTO,
			"nearside-device sent something else than a sealed file for the region");
	return 0;
}

/* Over what was reserved for it. */
static int map_region(int fd, const struct nhost_region *region, struct nhost_error *error)
{
	int result = check_file(fd, region->nbytes, error);

	if (result)
		return result;
	if (mmap(region->memory, region->nbytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) == MAP_FAILED)
		return nhost_fail(error, errno, "cannot map the region: %s", strerror(errno));
	madvise(region->memory, region->nbytes, MADV_DONTFORK);
	return 0;
}

static int adopt(int fd, const struct nhost_region *region, int64_t deadline_ns,
	struct nreg_identity *identity, struct nhost_error *error)
{
	int result = map_region(fd, region, error);

	close(fd);
	if (!result)
		result = nhost_attach_read(
			region->memory, region->nbytes, -1, deadline_ns, identity, error);
	if (!result && identity->base != (uintptr_t)region->memory)
		return nhost_fail(error, EPROTO, "nearside-device made a region for another place");
	if (!result && !(identity->capabilities & NREG_COHERENT))
		return nhost_fail(error, EPROTO,
			"nearside-device made a region of memory that is not coherent");
	return result;
}

static struct nhost_daemon_request request_for(
	const struct nhost_options *options, const struct nhost_region *region)
{
	return (struct nhost_daemon_request){
		.magic = NHOST_DAEMON_MAGIC,
		.ask = NHOST_ASK_OPEN,
		.cores = options->cores,
		.far_nbytes = options->far_nbytes,
		.base = (uintptr_t)region->memory,
		.processes = options->processes,
		.pipes = options->pipes,
		.port = options->port,
	};
}

/* The addresses come first, because only this program knows where it has room. */
static int reserve(
	const struct nhost_options *options, struct nhost_region *region, struct nhost_error *error)
{
	struct nreg_identity identity = {
		.core_count = options->cores, .far_bytes = options->far_nbytes};

	nhost_region_lay_out(&identity);
	*region = (struct nhost_region){.nbytes = identity.region_bytes, .fd = -1};
	return nhost_region_reserve(region->nbytes, &region->memory, error);
}

static int ask(const struct nhost_options *options, const struct nhost_region *region,
	struct nhost_signs *signs, int *file, struct nhost_error *error)
{
	const struct nhost_daemon_request request = request_for(options, region);
	struct nhost_daemon_reply reply;
	int fds[2];
	int result;

	signs->socket = nhost_daemon_connect(options->place, error);
	if (signs->socket < 0)
		return signs->socket;
	result = nhost_daemon_ask(signs->socket, &request, fds, 2, &reply, error);
	if (result) {
		close(signs->socket);
		return result;
	}
	*file = fds[0];
	signs->process = fds[1];
	return 0;
}

static void describe(const struct nhost_options *options, struct nhost_device *device)
{
	snprintf(device->name, sizeof(device->name), "daemon:%.110s%scores=%u,far=%llu%s%s",
		options->place, *options->place ? "," : "", options->cores,
		(unsigned long long)options->far_nbytes, options->port ? ",port=" : "",
		options->port ? nchan_ports[options->port].name : "");
}

static int open_daemon(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	int64_t deadline_ns = nhost_deadline_ns(NHOST_OUTSIDE_PATIENCE_S * 1000000000ll);
	struct nhost_signs signs = {.socket = -1, .process = -1};
	struct nreg_identity identity;
	struct nhost_region region;
	int file, result = reserve(options, &region, error);

	if (result)
		return result;
	result = ask(options, &region, &signs, &file, error);
	if (!result) {
		result = adopt(file, &region, deadline_ns, &identity, error);
		if (result) {
			close(signs.socket);
			close(signs.process);
		}
	}
	if (result) {
		nhost_region_unmap(&region);
		return result;
	}
	result = nhost_outside_open(options, &region, &identity, signs, deadline_ns, device, error);
	if (result == -EAGAIN)
		return nhost_fail(error, EPROTO, "the worker has laid out its region twice");
	if (!result)
		describe(options, device);
	return result;
}

const struct nhost_device_ops nhost_device_daemon = {
	.kind = "daemon",
	.summary = "a device of nearside-device start, a process of its own",
	.place = NHOST_PLACE_OR_NONE,
	.open = open_daemon,
	NHOST_OUTSIDE_SLOTS,
};
