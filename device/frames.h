/*
 * frames.h - memory for processes: a record and a frame in one block.
 *
 * Blocks are multiples of 64 bytes. Each size has its own slabs of 64 KiB; a slab that is empty
 * again may serve another size. Nothing is written into memory that was never used.
 */
#ifndef NEARSIDE_DEVICE_FRAMES_H
#define NEARSIDE_DEVICE_FRAMES_H

#include <stdint.h>

enum {
	NDEV_SLAB_BYTES = 64 * 1024,
	NDEV_BLOCK_BYTES = 64,
	NDEV_BLOCK_CLASSES = 80, /* the largest block: 79 * 64 bytes */
};

struct ndev_slab {
	uint32_t next,
		previous; /* of its size's slabs with room, or of the free slabs; index + 1 */
	uint16_t class_;
	uint16_t used;
	uint16_t fresh;     /* blocks that were ever handed out */
	uint16_t free_head; /* where a returned block is, in 64 bytes from the slab's begin, + 1 */
};

struct ndev_frames {
	char *memory;
	struct ndev_slab *slabs;
	uint32_t slab_count;
	uint32_t fresh; /* slabs that were ever used */
	uint32_t free_head;
	uint32_t with_room[NDEV_BLOCK_CLASSES];
};

/* slabs: memory_bytes / NDEV_SLAB_BYTES of them, zeroed. */
void ndev_frames_init(
	struct ndev_frames *frames, void *memory, uint64_t memory_bytes, struct ndev_slab *slabs);

/* NULL: none is left, or nbytes is too large. Not zeroed. */
void *ndev_frames_take(struct ndev_frames *frames, uint64_t nbytes);
void ndev_frames_put(struct ndev_frames *frames, void *block);

/* How large a block is that was taken. */
uint64_t ndev_frames_block_bytes(const struct ndev_frames *frames, const void *block);

#endif
