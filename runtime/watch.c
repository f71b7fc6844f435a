#include "runtime/watch.h"

void watches_call(struct nproc_device *device, const struct watches *watches)
{
	struct watch *watch;

	LIST_FOREACH(watch, watches, of_object)
	watch->changed(device, watch);
}
