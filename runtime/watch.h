/*
 * watch.h - who wants to hear when something changes at a pipe or a process, but does not wait in a
 * call there: npipe_poll(), descriptors of ends, relays. All with the device's lock.
 */
#ifndef NEARSIDE_RUNTIME_WATCH_H
#define NEARSIDE_RUNTIME_WATCH_H

#include <stddef.h>
#include <sys/queue.h>

struct nproc_device;

struct watch {
	LIST_ENTRY(watch) of_object;
	/*
	 * Something has happened at the object; what, the watch looks for itself. Does not remove
	 * watches.
	 */
	void (*changed)(struct nproc_device *device, struct watch *watch);
};

LIST_HEAD(watches, watch);

void watches_call(struct nproc_device *device, const struct watches *watches);

static inline void watches_tell(struct nproc_device *device, const struct watches *watches)
{
	if (__builtin_expect(!LIST_EMPTY(watches), 0))
		watches_call(device, watches);
}

#endif
