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
	lock_release(&device->detail_lock);
	return -number;
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
		lock_take(&device->detail_lock);
		snprintf(buffer, nbytes, "%s", device->detail.text);
		lock_release(&device->detail_lock);
	}
	return buffer;
}
