/*
 * fds.c - the ends of a process by number. As many as it was given lie in its record or behind its
 * frame; more, in a block.
 */
#include "device/core_int.h"

_Static_assert(NK_ENDS_MAX * sizeof(uint32_t) <= NDEV_BLOCK_BYTES, "a table of ends is one block");

static uint32_t *own_table(const struct process *process)
{
	return (uint32_t *)(uintptr_t)(process->ends[0] | (uint64_t)process->ends[1] << 32);
}

uint32_t *process_ends(struct process *process)
{
	if (nchan_likely(!(process->flags & (PROCESS_MANY_ENDS | PROCESS_OWN_TABLE))))
		return process->ends;
	if (process->flags & PROCESS_OWN_TABLE)
		return own_table(process);
	return (uint32_t *)(void *)((char *)process + process->ends[0]);
}

uint32_t fd_end(struct process *process, int64_t fd)
{
	return fd >= 0 && fd < process->end_count ? process_ends(process)[fd] : 0;
}

/* From now on there is room for NK_ENDS_MAX ends. */
static int grow(struct ndev_core *core, struct process *process)
{
	uint32_t *table = ndev_frames_take(&core->frames, NK_ENDS_MAX * sizeof(*table));

	if (!table)
		return -NCHAN_ENOMEM;
	for (unsigned i = 0; i < NK_ENDS_MAX; i++)
		table[i] = i < process->end_count ? process_ends(process)[i] : 0;
	process->ends[0] = (uint32_t)(uintptr_t)table;
	process->ends[1] = (uint32_t)((uintptr_t)table >> 32);
	process->flags &= (uint8_t)~PROCESS_MANY_ENDS;
	process->flags |= PROCESS_OWN_TABLE;
	return 0;
}

static unsigned room_of(const struct process *process)
{
	if (process->flags & PROCESS_OWN_TABLE)
		return NK_ENDS_MAX;
	return process->flags & PROCESS_MANY_ENDS ? process->end_count : NDEV_INLINE_ENDS;
}

/* The lowest number that names no end. */
int fd_add(struct ndev_core *core, struct process *process, uint32_t end)
{
	unsigned fd = 0;

	while (fd < process->end_count && process_ends(process)[fd])
		fd++;
	if (fd == NK_ENDS_MAX)
		return -NCHAN_EMFILE;
	if (fd >= room_of(process) && grow(core, process))
		return -NCHAN_ENOMEM;
	process_ends(process)[fd] = end;
	if (fd == process->end_count)
		process->end_count++;
	return (int)fd;
}

void end_drop(struct ndev_core *core, uint32_t end)
{
	uint32_t id = end & ~NMSG_END_WRITES;

	if (end & NMSG_END_WRITES)
		nchan_drop_writer(&core->place, nchan_end_by_id(&core->place, id));
	else if (end)
		nchan_drop_reader(&core->place, nchan_end_by_id(&core->place, id));
}

void fds_free(struct ndev_core *core, struct process *process)
{
	if (process->flags & PROCESS_OWN_TABLE)
		ndev_frames_put(&core->frames, own_table(process));
}
