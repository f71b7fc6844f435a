#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/device_int.h"

int device_fail(struct nproc_device *device, int number, const char *format, ...)
{
	va_list args;

	lock_take(&device->detail_lock);
	va_start(args, format);
	vsnprintf(device->detail.text, sizeof(device->detail.text), format, args);
	va_end(args);
	__atomic_store_n(&device->plain, 0, __ATOMIC_RELAXED);
	lock_release(&device->detail_lock);
	return -number;
}

static const char *plain_text(int number)
{
	switch (number) {
	case EAGAIN:
		return "it could not be done at once, and the call had no time to wait";
	case ETIMEDOUT:
		return "the time has passed, and what the call waited for has not happened";
	case EPIPE:
		return "every reading end of the pipe is closed";
	default: /* EBADF */
		return "the handle is of the pipe's other end, or was given to a process";
	}
}

int device_fail_nowhere(struct nproc_device *device)
{
	if (!device_is_usable(device))
		return -EBADF;
	return device_fail(device, EINVAL, "the address for what the call gives is NULL");
}

const char *nproc_detail(struct nproc_device *device, char *buffer, size_t nbytes)
{
	if (!nbytes)
		return buffer;
	if (!device) {
		snprintf(buffer, nbytes, "no memory for a device");
	} else if (device->guard && !nchan_load(device->guard)) {
		snprintf(buffer, nbytes,
			"the device was opened before a fork(): the child must open its own");
	} else {
		int plain;

		lock_take(&device->detail_lock);
		plain = __atomic_load_n(&device->plain, __ATOMIC_RELAXED);
		snprintf(buffer, nbytes, "%s", plain ? plain_text(plain) : device->detail.text);
		lock_release(&device->detail_lock);
	}
	return buffer;
}
