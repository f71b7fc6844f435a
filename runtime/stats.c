/* stats.c - what has crossed, and how much is alive, in numbers. */
#include <errno.h>
#include <string.h>

#include "runtime/device_int.h"

static void add_link(const struct nchan_link *link, struct nproc_stats *stats)
{
	stats->lines_down += link->lines_out;
	stats->lines_up += link->lines_in;
	stats->bytes_down += link->bytes_out;
	stats->bytes_up += link->bytes_in;
}

int nproc_stats(struct nproc_device *device, struct nproc_stats *stats)
{
	if (!stats)
		return device_fail_nowhere(device);
	if (!device_is_usable(device))
		return -EBADF;
	port_enter(device);
	port_receive(device);
	*stats = (struct nproc_stats){
		.spawns = device->spawns,
		.exits = device->exits,
		.births = device->births_asked,
		.far_bytes_granted = device->far_bytes_granted,
		.log_dropped = device->log.dropped,
	};
	for (unsigned core = 0; core < device_core_count(device); core++) {
		const struct nreg_core *shared = device_core(device, core);
		const struct nreg_core_status *status = &shared->status;

		add_link(&device->port.place.links[core + 1], stats);
		stats->births += nchan_load(&shared->wake.births);
		stats->switches += nchan_load(&status->switches);
		stats->log_dropped += nchan_load(&status->log_dropped);
		stats->far_bytes_read += nchan_load(&status->far.read);
		stats->far_bytes_written += nchan_load(&status->far.written);
	}
	port_leave(device);
	return 0;
}

int nproc_device_info(struct nproc_device *device, struct nproc_device_info *info)
{
	const struct nreg_identity *identity;

	if (!info)
		return device_fail_nowhere(device);
	if (!device_is_usable(device))
		return -EBADF;
	identity = &device->host.identity;
	*info = (struct nproc_device_info){
		.core_count = identity->core_count,
		.far_nbytes = identity->far_bytes,
		.memory_count = 1, /* as long as a region is one range of far memory */
		.scratch_nbytes = identity->scratch_bytes,
		.can_preempt = (identity->capabilities & NREG_PREEMPTS_KERNELS) != 0,
		.has_atomics = (identity->capabilities & NREG_ATOMICS) != 0,
		.is_coherent = (identity->capabilities & NREG_COHERENT) != 0,
	};
	if (device->host.is_suspect)
		info->is_suspect = __atomic_load_n(device->host.is_suspect, __ATOMIC_RELAXED);
	_Static_assert(sizeof(info->name) == sizeof(device->host.name), "names are copied whole");
	memcpy(info->name, device->host.name, sizeof(info->name));
	port_enter(device);
	info->far_free_nbytes = device->far.free_nbytes;
	port_leave(device);
	return 0;
}
