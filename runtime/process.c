/* process.c - handles of processes: waiting for them, and what is known of them. */
#include <errno.h>

#include "runtime/device_int.h"

static void report(const struct nproc *process, struct nproc_status *status)
{
	if (status)
		status_fill(process, status);
}

/* With the lock, which is given back. */
static int wait_for_end(
	struct nproc *process, struct nproc_status *status, struct port_patience patience)
{
	struct port_waiter waiter = {.state = 0};
	int result = 0;

	while (!process_has_ended(process) && !result)
		result = port_wait(process->device, &process->waiters, &waiter, &patience);
	if (process_has_ended(process))
		result = 0;
	device_note(process->device, result);
	report(process, status);
	port_leave(process->device);
	return result;
}

int nproc_wait(struct nproc *process, struct nproc_status *status, int64_t timeout_ns)
{
	if (!process || !device_is_usable(process->device))
		return -EBADF;
	port_enter(process->device);
	if (!process_has_ended(process))
		return wait_for_end(process, status, port_patience(timeout_ns));
	report(process, status); /* what has come from the device is left to other calls */
	lock_release(&process->device->port.lock);
	return 0;
}

/* The first of them that has ended; count: none has. */
static size_t find_ended(struct nproc *const *processes, size_t count)
{
	size_t i = 0;

	while (i < count && (!processes[i] || !process_has_ended(processes[i])))
		i++;
	return i;
}

static struct nproc_device *device_of(struct nproc *const *processes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (processes[i])
			return processes[i]->device;
	return NULL;
}

static bool is_of_one_device(struct nproc *const *processes, size_t count)
{
	const struct nproc_device *device = device_of(processes, count);

	for (size_t i = 0; i < count; i++)
		if (processes[i] && processes[i]->device != device)
			return false;
	return true;
}

int nproc_wait_any(struct nproc *const *processes, size_t count, size_t *index,
	struct nproc_status *status, int64_t timeout_ns)
{
	struct port_patience patience = port_patience(timeout_ns);
	struct nproc_device *device = device_of(processes, count);
	struct port_waiter waiter = {.state = 0};
	size_t ended;
	int result = 0;

	if (!device)
		return -ECHILD;
	if (!index)
		return device_fail_nowhere(device);
	if (!device_is_usable(device))
		return -EBADF;
	if (!is_of_one_device(processes, count))
		return device_fail(device, EINVAL, "the processes belong to different devices");
	port_enter(device);
	while ((ended = find_ended(processes, count)) == count && !result)
		result = port_wait(device, &device->exit_waiters, &waiter, &patience);
	if (ended < count) {
		*index = ended;
		report(processes[ended], status);
		result = 0;
	}
	device_note(device, result);
	port_leave(device);
	return result;
}

int nproc_status(struct nproc *process, struct nproc_status *status)
{
	if (!process || !device_is_usable(process->device))
		return -EBADF;
	if (!status)
		return device_fail_nowhere(process->device);
	port_enter(process->device);
	port_receive(process->device);
	status_fill(process, status);
	port_leave(process->device);
	return 0;
}

void nproc_close(struct nproc *process)
{
	struct nproc_device *device = process ? process->device : NULL;

	if (!device_is_usable(device))
		return;
	lock_take(&device->port.lock);
	process_put(process);
	lock_release(&device->port.lock);
}
