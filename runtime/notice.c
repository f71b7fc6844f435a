/*
 * notice.c - lines that the host owes to a core, in their order, while there is no room for them.
 */
#include <string.h>

#include "runtime/device_int.h"

struct notice {
	STAILQ_ENTRY(notice) waiting;
	uint64_t head;
	unsigned char payload[NCHAN_PAYLOAD_BYTES];
};

void notices_create(struct nproc_device *device)
{
	device->notices.nbytes = sizeof(struct notice);
	for (unsigned core = 0; core < device_core_count(device); core++)
		STAILQ_INIT(&device->cores[core].notices);
}

/* False: there is no room. */
static bool send(struct nproc_device *device, unsigned core, uint64_t head, const void *payload)
{
	struct nchan_place *place = &device->port.place;

	if (!nchan_place_room(place, core + 1))
		return false;
	nchan_place_send(place, core + 1, head, payload, nchan_head_length(head));
	return true;
}

bool notice_waits(const struct nproc_device *device, unsigned core, enum nchan_kind kind)
{
	const struct notice *notice;

	STAILQ_FOREACH(notice, &device->cores[core].notices, waiting)
	if (nchan_head_kind(notice->head) == kind)
		return true;
	return false;
}

void notice_send(struct nproc_device *device, unsigned core, uint64_t head, const void *payload)
{
	struct notice *notice;

	if (STAILQ_EMPTY(&device->cores[core].notices) && send(device, core, head, payload))
		return;
	notice = pool_take(&device->notices);
	if (!notice) {
		device->port.gone =
			device_fail(device, ENOMEM, "no memory for what a process is to be told");
		return;
	}
	notice->head = head;
	memcpy(notice->payload, payload, nchan_head_length(head));
	STAILQ_INSERT_TAIL(&device->cores[core].notices, notice, waiting);
	nchan_tx_ask(&device->port.place.links[core + 1].tx);
}

static void flush(struct nproc_device *device, unsigned core)
{
	struct notice *notice;

	while ((notice = STAILQ_FIRST(&device->cores[core].notices)) &&
		send(device, core, notice->head, notice->payload)) {
		STAILQ_REMOVE_HEAD(&device->cores[core].notices, waiting);
		pool_put(&device->notices, notice);
	}
	if (notice)
		nchan_tx_ask(&device->port.place.links[core + 1].tx);
}

void notices_flush(struct nproc_device *device)
{
	for (unsigned core = 0; core < device_core_count(device); core++)
		if (!STAILQ_EMPTY(&device->cores[core].notices))
			flush(device, core);
}
