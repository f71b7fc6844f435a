#include "device/core_int.h"

#include "channels/wake.h"

enum {
	LINES_PER_ROUND = 64, /* taken from one place */
	RUNS_PER_ROUND = 64,
};

/* ---- what pipes tell the core ---------------------------------------------------------------- */

static uint64_t on_deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	return deliver_to_reader(context, end, bytes, nbytes);
}

static void on_readable(void *context, struct nchan_end *end)
{
	wake_reader(context, end);
}

static void on_writable(void *context, struct nchan_end *end)
{
	wake_writer(context, end);
}

/* Only the host is told that. */
static void on_forgotten(void *context, uint32_t pipe)
{
	(void)context;
	(void)pipe;
}

static bool on_message(void *context, unsigned from, const struct nchan_line *line)
{
	struct ndev_core *core = context;

	if (from != NCHAN_HOST)
		return false;
	switch (nchan_head_kind(line->head)) {
	case NCHAN_SPAWN:
		return receive_spawn(core, line);
	case NCHAN_EXIT:
		return receive_exit(core, line);
	case NCHAN_GRANT:
		return receive_grant(core, line);
	case NCHAN_REVOKE:
		return receive_revoke(core, line);
	case NCHAN_LOAD:
		return receive_load(core, line);
	case NCHAN_ASK:
		return receive_ask(core, line);
	case NCHAN_NAME:
		return nchan_take_name(&core->place, line);
	case NCHAN_KILL:
		core->attention_seen = 0; /* look, even if the word is what it was before */
		if (nchan_head_length(line->head) == sizeof(struct nmsg_kill))
			family_doom(core, line->word[0]);
		return true;
	default:
		return false;
	}
}

static void on_wake(void *context, unsigned place)
{
	struct ndev_core *core = context;
	const struct ndev_platform *platform = &core->device->platform;

	platform->wake(platform->context, place);
}

static const struct nchan_events events = {
	.deliver = on_deliver,
	.readable = on_readable,
	.writable = on_writable,
	.forgotten = on_forgotten,
	.message = on_message,
	.wake = on_wake,
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Hands out parts of the private memory; with a NULL base it only counts. */
struct cut {
	char *base;
	uint64_t used;
};

static void *cut(struct cut *memory, uint64_t count, uint64_t bytes, uint64_t align)
{
	uint64_t offset = (memory->used + align - 1) & ~(align - 1);

	memory->used = offset + count * bytes;
	return memory->base ? memory->base + offset : NULL;
}

struct core_memory {
	struct nchan_link *links;
	struct nchan_cell *cells;
	uint32_t *ends;
	uint64_t *processes;
	struct kin *kin;
	struct grant_set *grants;
	struct ndev_slab *slabs;
	uint16_t *scratch_runs;
	void *scratch;
	void *frames;
};

static struct core_memory cut_core(struct cut *memory, const struct nreg_identity *identity)
{
	uint64_t ids = kin_ids_max(identity) + 1ull;
	struct core_memory parts;

	parts.links = cut(memory, identity->core_count + 1ull, sizeof(struct nchan_link), 64);
	parts.ends = cut(memory, identity->pipes_max + 1ull, sizeof(uint32_t), 64);
	parts.processes = cut(memory, ids, sizeof(uint64_t), 64);
	parts.kin = cut(memory, ids, sizeof(struct kin), 64);
	parts.grants = cut(memory, identity->grant_sets_max + 1ull, sizeof(struct grant_set), 64);
	parts.slabs = cut(
		memory, identity->frame_bytes_max / NDEV_SLAB_BYTES, sizeof(struct ndev_slab), 64);
	parts.scratch_runs = cut(memory, scratch_unit_count(identity) + 1, sizeof(uint16_t), 64);
	/* From here on as its users find it, see ndev_clear(). */
	parts.cells = cut(memory, identity->cells_max + 1ull, sizeof(struct nchan_cell), 64);
	parts.scratch = cut(memory, 1, identity->scratch_bytes, 64);
	parts.frames = cut(memory, 1, identity->frame_bytes_max, 4096);
	return parts;
}

static struct ndev_device *cut_device(struct cut *memory, const struct nreg_identity *identity,
	struct nchan_fifo **fifos, struct ndev_core **cores)
{
	struct ndev_device *device = cut(memory, 1, sizeof(*device), 64);

	*cores = cut(memory, identity->core_count, sizeof(struct ndev_core), 64);
	*fifos = cut(memory, (uint64_t)identity->core_count * identity->core_count,
		sizeof(struct nchan_fifo), 64);
	return device;
}

uint64_t ndev_memory_bytes(const struct nreg_identity *identity)
{
	struct cut memory = {NULL, 0};
	struct nchan_fifo *fifos;
	struct ndev_core *cores;

	cut_device(&memory, identity, &fifos, &cores);
	for (unsigned i = 0; i < identity->core_count; i++)
		cut_core(&memory, identity);
	return memory.used;
}

void ndev_clear(void *memory, const struct nreg_identity *identity)
{
	struct cut rest = {memory, 0};
	struct nchan_fifo *fifos;
	struct ndev_core *cores;
	char *begin = memory;

	cut_device(&rest, identity, &fifos, &cores);
	for (unsigned i = 0; i < identity->core_count; i++) {
		struct core_memory parts = cut_core(&rest, identity);

		__builtin_memset(begin, 0, (uint64_t)((char *)parts.cells - begin));
		begin = (char *)memory + rest.used;
	}
}

/* ---- start ----------------------------------------------------------------------------------- */

static void open_link(struct ndev_core *core, unsigned place, struct nchan_fifo *out,
	struct nchan_fifo *in, uint64_t *asleep)
{
	struct nchan_link *link = &core->links[place];
	unsigned generation = core->device->identity.generation;

	nchan_tx_init(&link->tx, out, generation, 0);
	nchan_rx_init(&link->rx, in, generation, 0);
	link->tx.pause = core->device->platform.pause;
	nchan_link_choose_port(link, core->device->identity.port,
		place == NCHAN_HOST ? core->device->platform.caches : NULL);
	if (core->device->identity.capabilities & NREG_CAN_WAKE)
		link->asleep = asleep;
}

static void open_links(struct ndev_core *core)
{
	struct ndev_device *device = core->device;
	unsigned count = device->identity.core_count;

	open_link(core, NCHAN_HOST, &core->shared->up, &core->shared->down,
		&nreg_host(device->region)->asleep);
	for (unsigned i = 0; i < count; i++)
		if (i != core->index)
			open_link(core, i + 1, &device->fifos[core->index * count + i],
				&device->fifos[i * count + core->index],
				&nreg_core(device->region, i)->wake.asleep);
	if (device->identity.capabilities & NREG_COHERENT)
		nchan_place_open_calls(
			&core->place, nreg_calls(device->region), device->identity.generation);
}

static void core_init(struct ndev_core *core, struct ndev_device *device, unsigned index,
	const struct core_memory *parts)
{
	const struct nreg_identity *identity = &device->identity;

	core->device = device;
	core->index = index;
	core->shared = nreg_core(device->region, index);
	core->links = parts->links;
	core->processes = parts->processes;
	core->processes_max = identity->processes_max;
	core->kin = parts->kin;
	core->ids_max = kin_ids_max(identity);
	core->ids_fresh = identity->processes_max;
	core->grants = parts->grants;
	core->grant_sets_max = identity->grant_sets_max;
	core->scratch = parts->scratch;
	core->scratch_runs = parts->scratch_runs;
	nchan_place_init(
		&core->place, index + 1, identity->core_count + 1, parts->links, &events, core);
	nchan_pool_init(&core->place.pool, parts->cells, identity->cells_max);
	core->place.ends = parts->ends;
	core->place.pipes_max = identity->pipes_max;
	ndev_frames_init(&core->frames, parts->frames, identity->frame_bytes_max, parts->slabs);
	ops_init(core);
	open_links(core);
}

struct ndev_device *ndev_init(void *memory, void *region, const struct ndev_platform *platform)
{
	struct cut rest = {memory, 0};
	struct nreg_identity identity = *(const struct nreg_identity *)region;
	struct nchan_fifo *fifos;
	struct ndev_core *cores;
	struct ndev_device *device = cut_device(&rest, &identity, &fifos, &cores);

	device->platform = *platform;
	device->identity = identity;
	device->region = region;
	device->delta = (uint64_t)(uintptr_t)region - identity.base;
	device->cores = cores;
	device->fifos = fifos;
	for (unsigned i = 0; i < identity.core_count; i++) {
		struct core_memory parts = cut_core(&rest, &identity);

		core_init(&cores[i], device, i, &parts);
	}
	return device;
}

struct ndev_core *ndev_core(struct ndev_device *device, unsigned index)
{
	return &device->cores[index];
}

bool ndev_core_has_lines(const struct ndev_core *core)
{
	return nchan_place_has_lines(&core->place);
}

uint64_t *ndev_core_wake_word(struct ndev_core *core)
{
	return &core->shared->wake.asleep;
}

/* ---- the round ------------------------------------------------------------------------------- */

/* The host wants a process ended that does not run now; one that runs finds the word itself. */
static bool look_at_attention(struct ndev_core *core)
{
	uint64_t victim = nchan_load(core->ops.attention);
	struct process *process;

	if (nchan_likely(victim == core->attention_seen))
		return false;
	core->attention_seen = victim;
	process = process_find(core, victim);
	if (process)
		process_kill(core, process);
	return true;
}

static bool take_lines(struct ndev_core *core)
{
	bool taken = core->place.calls_awaited && nchan_place_receive_calls(&core->place);

	for (unsigned i = 0; i < core->place.count; i++)
		if (i != core->place.self && nchan_rx_look(&core->links[i].rx))
			taken |= nchan_place_receive(&core->place, i, LINES_PER_ROUND) != 0;
	core->place.left_to_reader = 0;
	return taken;
}

static void send_what_waits(struct ndev_core *core)
{
	if (nchan_unlikely(core->letters != NULL))
		letters_flush(core);
	if (nchan_unlikely(core->exits.head || core->refusals || core->finished_head))
		exits_flush(core);
	if (nchan_unlikely(core->owes_loaded))
		loaded_flush(core);
	nchan_place_flush(&core->place);
	if (nchan_unlikely(core->place.faults != core->faults_told)) {
		core->faults_told = core->place.faults;
		nchan_tell(core->device->platform.caches, &core->shared->wake.faults,
			core->faults_told);
	}
}

bool ndev_core_step(struct ndev_core *core)
{
	bool busy = take_lines(core);

	busy |= look_at_attention(core);
	if (nchan_unlikely(look_is_wanted(core)))
		busy |= look_answer(core);
	busy |= processes_run(core, RUNS_PER_ROUND);
	if (nchan_unlikely(core->copying_head))
		busy |= copies_step(core);
	if (nchan_unlikely(core->owes_report))
		busy |= report_step(core);
	send_what_waits(core);
	if (!busy)
		nchan_place_report(&core->place, false);
	return busy;
}

bool core_is_idle(const struct ndev_core *core)
{
	bool owes = core->letters || core->exits.head || core->refusals || core->finished_head ||
		    core->owes_loaded || core->owes_report || core->place.owing_count;

	return !owes && !core->ready.head && !core->copying_head && !core->doomed &&
	       !nchan_place_has_lines(&core->place) &&
	       nchan_load(core->ops.attention) == core->attention_seen && !look_is_wanted(core);
}

void core_tell_counts(const struct ndev_core *core)
{
	nchan_publish(
		core->device->platform.caches, core->shared, offsetof(struct nreg_core, attention));
}

bool ndev_core_may_sleep(struct ndev_core *core)
{
	nchan_place_report(&core->place, true);
	core_tell_counts(core);
	return !core->ready.head && !core->copying_head && !nchan_place_has_lines(&core->place) &&
	       nchan_load(core->ops.attention) == core->attention_seen && !look_is_wanted(core);
}

void ndev_core_end_running(struct ndev_core *core)
{
	uint64_t *word =
		core->device->platform.caches ? &core->victim : &core->shared->attention.victim;

	nchan_store(word, nchan_load(&core->shared->status.running));
}

/* What processes have stored there goes to memory now, and never later. */
static void heed_recall(struct ndev_device *device, const struct nchan_caches *caches)
{
	const struct nreg_recall *line = nreg_recall(device->region);
	uint64_t serial = nchan_hear(caches, &line->serial);
	uint64_t offset = nchan_load(&line->offset), all = device->identity.far_bytes;

	if (serial == device->recalled)
		return;
	device->recalled = serial;
	if (offset < all)
		nchan_refresh(caches, device->region + device->identity.far_offset + offset,
			nchan_min(nchan_load(&line->nbytes), all - offset));
	nchan_tell(caches, &nreg_offer(device->region)->recalled, serial);
}

void ndev_exchange(struct ndev_device *device)
{
	const struct nchan_caches *caches = device->platform.caches;

	if (caches)
		heed_recall(device, caches);
	for (unsigned i = 0; caches && i < device->identity.core_count; i++) {
		struct ndev_core *core = &device->cores[i];

		nchan_store(&core->victim, nchan_hear(caches, &core->shared->attention.victim));
		nchan_refresh(caches, &core->shared->look.wanted, sizeof(uint64_t));
		core_tell_counts(core);
	}
}
