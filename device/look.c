/*
 * look.c - somebody outside looks at the core's processes: the answer is written into the core's
 * own part of the region, some processes at a time.
 */
#include "device/core_int.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static uint64_t length_of(const char *text)
{
	uint64_t nbytes = 0;

	while (text[nbytes])
		nbytes++;
	return nbytes;
}

/* The end of a text that is too long; what was not written is zero. */
static void put_text(char *to, uint64_t room, const char *text)
{
	uint64_t nbytes = length_of(text);
	uint64_t skipped = nbytes < room ? 0 : nbytes + 1 - room;

	nchan_copy(to, text + skipped, nbytes - skipped);
}

/* ---- a process ------------------------------------------------------------------------------- */

/* By what its frame begins with. */
static const struct nk_code *code_of(
	const struct ndev_device *device, const struct process *process)
{
	uint64_t resume = *(const uint64_t *)(const void *)(process + 1);

	if (process->state == PROCESS_LEAVING)
		return NULL; /* its frame has something else */
	for (unsigned i = 0; i < NDEV_IMAGES_MAX; i++) {
		const struct nk_code *kernels = image_kernel(device, i, 0);

		for (unsigned k = 0; kernels && k < device->images[i].kernel_count; k++)
			if (kernels[k].resume && (uintptr_t)kernels[k].resume == resume)
				return &kernels[k];
	}
	return NULL;
}

static void put_place(struct nreg_process *to, const struct nk_code *code, unsigned site)
{
	const struct nk_sites *sites = code->sites;

	if (!sites || site >= sites->count || !sites->site[site].line)
		return;
	to->line = sites->site[site].line;
	put_text(to->file, sizeof(to->file), sites->text + sites->site[site].file);
}

static enum nreg_doing doing_of(const struct process *process)
{
	static const uint8_t doing[] = {
		[PROCESS_READY] = NREG_READY,
		[PROCESS_READING] = NREG_READS,
		[PROCESS_WRITING] = NREG_WRITES,
		[PROCESS_WAITING] = NREG_WAITS,
		[PROCESS_COPYING] = NREG_COPIES,
		[PROCESS_LEAVING] = NREG_LEAVES,
	};

	return doing[process->state];
}

/* The one child that it waits for, if it lives here. */
static uint32_t awaited_child(const struct ndev_core *core, const struct process *process)
{
	uint32_t ids[NK_CHILDREN_MAX];

	return kin_awaited(core, process, ids) == 1 ? ids[0] : 0;
}

static uint32_t count_ends(struct process *process)
{
	const uint32_t *ends = process_ends(process);
	uint32_t count = 0;

	for (unsigned i = 0; i < process->end_count; i++)
		count += ends[i] != 0;
	return count;
}

static void describe(const struct ndev_core *core, struct process *process, struct nreg_process *to)
{
	const struct nk_code *code = code_of(core->device, process);

	*to = (struct nreg_process){
		.self = process->self,
		.doing = doing_of(process),
		.frame_bytes = (uint32_t)process_block_bytes(core, process),
		.end_count = count_ends(process),
	};
	if (to->doing == NREG_READS || to->doing == NREG_WRITES)
		to->waits_for = report_end(core, process->end);
	else if (to->doing == NREG_WAITS)
		to->waits_for = awaited_child(core, process);
	if (code && code->name)
		put_text(to->kernel, sizeof(to->kernel), code->name);
	if (code && to->doing != NREG_READY)
		put_place(to, code, process->site);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* As the region is written: by words. */
union words {
	struct nreg_process process;
	uint64_t word[sizeof(struct nreg_process) / sizeof(uint64_t)];
};

static void store(struct nreg_process *to, const union words *from)
{
	uint64_t *word = (uint64_t *)(void *)to;

	for (uint64_t i = 0; i < sizeof(from->word) / sizeof(from->word[0]); i++)
		nchan_store(&word[i], from->word[i]);
}

/* Where the next answer begins; 0: all have been looked at. */
static uint32_t fill(const struct ndev_core *core, struct nreg_look *look, uint32_t id)
{
	uint32_t end = (uint32_t)nchan_min(id + (uint64_t)NREG_LOOK_IDS, core->ids_fresh + 1ull);
	uint64_t count = 0;

	for (; id < end && count < NREG_LOOK_PROCESSES; id++) {
		struct process *process = process_by_id(core, id);
		union words record;

		if (!process || process->state == PROCESS_ENDED)
			continue;
		describe(core, process, &record.process);
		store(&look->process[count++], &record);
	}
	nchan_store(&look->count, count);
	return id <= core->ids_fresh ? id : 0;
}

bool look_answer(struct ndev_core *core)
{
	const struct nchan_caches *caches = core->device->platform.caches;
	struct nreg_look *look = &core->shared->look;
	uint64_t wanted = nchan_load(&look->wanted);

	if (!images_try_lock(core->device))
		return false; /* another core loads one: in the next round */
	/* Who reads the last answer sees that it is none any more. */
	nchan_tell(caches, &look->done, 0);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	nchan_store(&look->next, fill(core, look, nreg_look_first(wanted)));
	images_unlock(core->device);
	core->look_answered = wanted;
	nchan_publish(caches, look->process, sizeof(look->process));
	nchan_tell(caches, &look->done, wanted);
	return true;
}
