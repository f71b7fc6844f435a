/*
 * region.h - the memory of one end of a channel (wire.h): made, sealed, mapped; and the peer's,
 * checked and mapped read-only.
 */
#ifndef NEARSIDE_HOST_NIPC_REGION_H
#define NEARSIDE_HOST_NIPC_REGION_H

#include <stdbool.h>
#include <stddef.h>

#include "host/device.h"
#include "host/nipc/wire.h"

struct ipc_region {
	unsigned char *base; /* of header, data, and data once more; NULL: none */
	size_t header_nbytes, capacity;
	unsigned slots;
	bool has_hugepages;
	bool is_locked;
};

/* What is asked of a region. */
struct ipc_region_wish {
	size_t capacity;
	bool hugepages;
	bool locked;
};

/*
 * Makes a region that this process can write, through this mapping alone, and no other ever.
 * Returns its file, to be sent and closed, or a negative errno with words that name the limit.
 */
int ipc_region_create(
	struct ipc_region *region, const struct ipc_region_wish *wish, struct nhost_error *error);

/* Maps a peer's, of which nothing is believed. -EPROTO: it is not as it must be. */
int ipc_region_map_peer(struct ipc_region *region, int fd, const struct ipc_hello *hello,
	struct nhost_error *error);

void ipc_region_destroy(struct ipc_region *region);

static inline struct ipc_control *ipc_region_control(const struct ipc_region *region)
{
	return (struct ipc_control *)(void *)region->base;
}

static inline struct ipc_line *ipc_region_lines(const struct ipc_region *region)
{
	return (struct ipc_line *)(void *)(region->base + IPC_CONTROL_BYTES);
}

static inline unsigned char *ipc_region_data(const struct ipc_region *region)
{
	return region->base + region->header_nbytes;
}

#endif
