#include "host/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nhost_device_ops *find(const char *kind, size_t nbytes)
{
	for (const struct nhost_device_ops *const *ops = nhost_devices; *ops; ops++)
		if (strlen((*ops)->kind) == nbytes && !memcmp((*ops)->kind, kind, nbytes))
			return *ops;
	return NULL;
}

static int fail_unknown(const char *name, struct nhost_error *error)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct nhost_device_ops *const *ops = nhost_devices;
		*ops && used < sizeof(known); ops++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s (%s)",
			used ? ", " : "", (*ops)->kind, (*ops)->summary);
	return nhost_fail(error, EINVAL, "no kind of device is called '%.*s'; there are %s",
		(int)strcspn(name, ":"), name, known);
}

static const char *chosen_name(const char *name)
{
	if (!name)
		name = getenv("NEARSIDE_DEVICE");
	return name && *name ? name : nhost_devices[0]->kind;
}

int nhost_device_open(const char *name, struct nhost_device *device, struct nhost_error *error)
{
	const struct nhost_device_ops *ops;
	struct nhost_options options;
	size_t kind_nbytes;
	int result;

	name = chosen_name(name);
	kind_nbytes = strcspn(name, ":");
	*device = (struct nhost_device){.ops = NULL};
	ops = find(name, kind_nbytes);
	if (!ops)
		return fail_unknown(name, error);
	result = nhost_options_parse(name[kind_nbytes] ? name + kind_nbytes + 1 : "", ops->place,
		ops->is_made, &options, error);
	if (!result)
		result = ops->open(&options, device, error);
	if (!result)
		device->ops = ops;
	return result;
}

void nhost_device_close(struct nhost_device *device)
{
	device->ops->close(device);
}
