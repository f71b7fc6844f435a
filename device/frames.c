#include "device/frames.h"

#include <stdbool.h>
#include <stddef.h>

void ndev_frames_init(
	struct ndev_frames *frames, void *memory, uint64_t memory_bytes, struct ndev_slab *slabs)
{
	*frames = (struct ndev_frames){
		.memory = memory,
		.slabs = slabs,
		.slab_count = (uint32_t)(memory_bytes / NDEV_SLAB_BYTES),
	};
}

static char *slab_memory(const struct ndev_frames *frames, const struct ndev_slab *slab)
{
	return frames->memory + (uint64_t)(slab - frames->slabs) * NDEV_SLAB_BYTES;
}

static uint32_t index_of(const struct ndev_frames *frames, const struct ndev_slab *slab)
{
	return (uint32_t)(slab - frames->slabs) + 1;
}

static bool is_full(const struct ndev_slab *slab)
{
	return (slab->used + 1u) * slab->class_ > NDEV_SLAB_BYTES / NDEV_BLOCK_BYTES;
}

static void list(struct ndev_frames *frames, struct ndev_slab *slab)
{
	uint32_t *head = &frames->with_room[slab->class_];

	slab->previous = 0;
	slab->next = *head;
	if (*head)
		frames->slabs[*head - 1].previous = index_of(frames, slab);
	*head = index_of(frames, slab);
}

static void unlist(struct ndev_frames *frames, struct ndev_slab *slab)
{
	if (slab->previous)
		frames->slabs[slab->previous - 1].next = slab->next;
	else
		frames->with_room[slab->class_] = slab->next;
	if (slab->next)
		frames->slabs[slab->next - 1].previous = slab->previous;
}

/* A slab without blocks for this size; NULL: none is left. */
static struct ndev_slab *open_slab(struct ndev_frames *frames, unsigned class_)
{
	struct ndev_slab *slab;

	if (frames->free_head) {
		slab = &frames->slabs[frames->free_head - 1];
		frames->free_head = slab->next;
	} else if (frames->fresh < frames->slab_count) {
		slab = &frames->slabs[frames->fresh++];
	} else {
		return NULL;
	}
	*slab = (struct ndev_slab){.class_ = (uint16_t)class_};
	list(frames, slab);
	return slab;
}

void *ndev_frames_take(struct ndev_frames *frames, uint64_t nbytes)
{
	uint64_t class_ = (nbytes + NDEV_BLOCK_BYTES - 1) / NDEV_BLOCK_BYTES;
	struct ndev_slab *slab;
	char *block;

	if (!class_ || class_ >= NDEV_BLOCK_CLASSES)
		return NULL;
	slab = frames->with_room[class_] ? &frames->slabs[frames->with_room[class_] - 1]
					 : open_slab(frames, (unsigned)class_);
	if (!slab)
		return NULL;
	if (slab->free_head) {
		block = slab_memory(frames, slab) + (slab->free_head - 1u) * NDEV_BLOCK_BYTES;
		slab->free_head = *(uint16_t *)(void *)block;
	} else {
		block = slab_memory(frames, slab) + slab->fresh++ * class_ * NDEV_BLOCK_BYTES;
	}
	slab->used++;
	if (is_full(slab))
		unlist(frames, slab);
	return block;
}

uint64_t ndev_frames_block_bytes(const struct ndev_frames *frames, const void *block)
{
	uint64_t offset = (uint64_t)((const char *)block - frames->memory);

	return frames->slabs[offset / NDEV_SLAB_BYTES].class_ * (uint64_t)NDEV_BLOCK_BYTES;
}

void ndev_frames_put(struct ndev_frames *frames, void *block)
{
	uint64_t offset = (uint64_t)((char *)block - frames->memory);
	struct ndev_slab *slab = &frames->slabs[offset / NDEV_SLAB_BYTES];

	if (is_full(slab))
		list(frames, slab);
	*(uint16_t *)block = slab->free_head;
	slab->free_head = (uint16_t)(offset % NDEV_SLAB_BYTES / NDEV_BLOCK_BYTES + 1);
	if (--slab->used)
		return;
	unlist(frames, slab);
	slab->next = frames->free_head;
	frames->free_head = index_of(frames, slab);
}
