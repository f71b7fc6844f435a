/*
 * group.c - processes that are ended, and waited for, together. What they start belongs to their
 * group.
 */
#include <errno.h>

#include "runtime/device_int.h"

void group_join(struct nproc *process, uint32_t group)
{
	process->group = group;
	if (group)
		LIST_INSERT_HEAD(&process->device->grouped, process, grouped);
}

void group_leave(struct nproc *process)
{
	if (process->group)
		LIST_REMOVE(process, grouped);
	process->group = 0;
}

static bool has_living(const struct nproc_device *device, uint32_t group)
{
	const struct nproc *process;

	LIST_FOREACH(process, &device->grouped, grouped)
	if (process->group == group)
		return true;
	return false;
}

static int check_group(struct nproc_device *device, uint32_t group)
{
	if (!device_is_usable(device))
		return -EBADF;
	return group ? 0
		     : device_fail(device, EINVAL, "group 0 is no group: name one in nproc_attr");
}

int nproc_kill_group(struct nproc_device *device, uint32_t group)
{
	int result = check_group(device, group);
	struct nproc *process;

	if (result)
		return result;
	port_enter(device);
	port_receive(device);
	LIST_FOREACH(process, &device->grouped, grouped)
	if (process->group == group)
		kill_begin(process, true);
	port_leave(device);
	return 0;
}

int nproc_wait_group(struct nproc_device *device, uint32_t group, int64_t timeout_ns)
{
	struct port_patience patience = port_patience(timeout_ns);
	struct port_waiter waiter = {.state = 0};
	int result = check_group(device, group);

	if (result)
		return result;
	port_enter(device);
	while (has_living(device, group) && !result)
		result = port_wait(device, &device->exit_waiters, &waiter, &patience);
	if (!has_living(device, group))
		result = 0;
	device_note(device, result);
	port_leave(device);
	return result;
}
