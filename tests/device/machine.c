#include "tests/device/machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- the platform: code is a table in this program ---- */

struct loaded_table {
	const struct nk_code *kernels;
	unsigned count;
};

static struct loaded_table table;

static void on_wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
}

static int load(void *context, const void *code, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle)
{
	struct machine *machine = context;

	(void)code;
	(void)nbytes;
	if (machine->load_status)
		return machine->load_status;
	if (kernel_count > table.count)
		return -8;
	*kernels = table.kernels;
	*handle = NULL;
	return 0;
}

static void unload(void *context, void *handle)
{
	struct machine *machine = context;

	(void)handle;
	machine->unloads++;
}

/* ---- the host's place ---- */

static uint64_t on_deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	(void)context;
	(void)end;
	(void)bytes;
	(void)nbytes;
	return 0;
}

static void on_end_event(void *context, struct nchan_end *end)
{
	(void)context;
	(void)end;
}

static void on_forgotten(void *context, uint32_t pipe)
{
	(void)context;
	(void)pipe;
}

static void take_log(struct machine *machine, const struct nchan_line *line)
{
	unsigned nbytes = nchan_head_length(line->head);

	memcpy(machine->log + machine->log_length, &line->word[1], nbytes);
	machine->log_length += nbytes;
	if (!nchan_head_arg(line->head))
		machine->log[machine->log_length++] = '\n';
	machine->log[machine->log_length] = 0;
}

static bool on_message(void *context, unsigned from, const struct nchan_line *line)
{
	struct machine *machine = context;

	(void)from;
	switch (nchan_head_kind(line->head)) {
	case NCHAN_EXIT:
		memcpy(&machine->exits[machine->exit_count++], line->word,
			sizeof(struct nmsg_exit));
		return true;
	case NCHAN_LOADED:
		memcpy(&machine->loaded, line->word, sizeof(machine->loaded));
		machine->loaded_count++;
		return true;
	case NCHAN_STATE:
		if (machine->state_count == MACHINE_EXITS_MAX)
			return false;
		memcpy(&machine->states[machine->state_count++], line->word,
			sizeof(struct nmsg_state));
		return true;
	case NCHAN_LOG:
		take_log(machine, line);
		return true;
	default:
		return false;
	}
}

static const struct nchan_events events = {
	.deliver = on_deliver,
	.readable = on_end_event,
	.writable = on_end_event,
	.forgotten = on_forgotten,
	.message = on_message,
	.wake = on_wake,
};

/* ---- building it ---- */

static void *zeroed(size_t nbytes)
{
	size_t rounded = (nbytes + NREG_ALIGN - 1) / NREG_ALIGN * NREG_ALIGN;
	void *memory = aligned_alloc(NREG_ALIGN, rounded);

	return memory ? memset(memory, 0, rounded) : NULL;
}

static void write_identity(struct machine *machine)
{
	struct nreg_identity *identity = (struct nreg_identity *)(void *)machine->region;

	*identity = (struct nreg_identity){
		.magic = NREG_MAGIC,
		.version = NREG_VERSION,
		.abi_version = NK_ABI_VERSION,
		.base = (uintptr_t)machine->region,
		.far_offset = NREG_ALIGN,
		.far_bytes = MACHINE_FAR_BYTES,
		.region_bytes = NREG_ALIGN + MACHINE_FAR_BYTES,
		.generation = 1,
		.core_count = machine->cores,
		.processes_max = MACHINE_PROCESSES,
		.pipes_max = MACHINE_PIPES,
		.cells_max = MACHINE_CELLS,
		.grant_sets_max = 16,
		.frame_bytes_max = 64 * 1024 * 4,
		.scratch_bytes = MACHINE_SCRATCH,
	};
}

static void open_host(struct machine *machine)
{
	nchan_place_init(
		&machine->host, NCHAN_HOST, machine->cores + 1, machine->links, &events, machine);
	nchan_pool_init(&machine->host.pool, machine->cells, MACHINE_CELLS);
	machine->host.ends = machine->ends;
	machine->host.pipes_max = MACHINE_PIPES;
	for (unsigned i = 0; i < machine->cores; i++) {
		struct nreg_core *core = nreg_core(machine->region, i);

		nchan_tx_init(&machine->links[i + 1].tx, &core->down, 1, 0);
		nchan_rx_init(&machine->links[i + 1].rx, &core->up, 1, 0);
	}
}

struct machine *machine_create(unsigned cores, const struct nk_code *kernels, unsigned kernel_count)
{
	struct machine *machine = zeroed(sizeof(*machine));
	struct ndev_platform platform = {
		.wake = on_wake, .load = load, .unload = unload, .context = machine};
	struct nmsg_load message = {
		.bytes = 64, .image = MACHINE_IMAGE, .kernel_count = (uint16_t)kernel_count};

	table = (struct loaded_table){kernels, kernel_count};
	machine->cores = cores;
	machine->region = zeroed(NREG_ALIGN + MACHINE_FAR_BYTES);
	write_identity(machine);
	machine->memory =
		zeroed(ndev_memory_bytes((struct nreg_identity *)(void *)machine->region));
	machine->device = ndev_init(machine->memory, machine->region, &platform);
	open_host(machine);
	machine_send(machine, 0, NCHAN_LOAD, &message, sizeof(message));
	machine_settle(machine);
	return machine;
}

void machine_destroy(struct machine *machine)
{
	ndev_close(machine->device);
	free(machine->memory);
	free(machine->region);
	free(machine);
}

/* ---- running it ---- */

bool machine_step_core(struct machine *machine, unsigned core)
{
	return ndev_core_step(ndev_core(machine->device, core));
}

bool machine_step_host(struct machine *machine)
{
	unsigned taken = 0;

	for (unsigned i = 1; i < machine->host.count; i++)
		taken += nchan_place_receive(&machine->host, i, 64);
	nchan_place_flush(&machine->host);
	nchan_place_report(&machine->host, !taken);
	return taken != 0;
}

void machine_settle(struct machine *machine)
{
	bool busy = true;

	while (busy) {
		busy = machine_step_host(machine);
		for (unsigned i = 0; i < machine->cores; i++) {
			busy |= machine_step_core(machine, i);
			busy |= !ndev_core_may_sleep(ndev_core(machine->device, i));
		}
	}
}

void machine_send(struct machine *machine, unsigned core, enum nchan_kind kind, const void *payload,
	unsigned nbytes)
{
	nchan_place_send(&machine->host, core + 1, nchan_head(kind, nbytes, 0, 0), payload, nbytes);
}

static unsigned join(const struct machine_spawn *spawn, unsigned char *bytes)
{
	struct nmsg_spawn head = {
		.self = spawn->self,
		.image = (uint16_t)spawn->image,
		.kernel = (uint16_t)spawn->kernel,
		.grant_set = (uint16_t)spawn->grant_set,
		.end_count = spawn->end_count & 31,
		.extra_turns = (spawn->weight ? spawn->weight - 1 : 0) & 7,
		.word_count = (uint8_t)spawn->word_count,
	};
	unsigned words = (unsigned)(sizeof(head) + spawn->end_count * 4 + 7) & ~7u;

	memcpy(bytes, &head, sizeof(head));
	if (spawn->end_count)
		memcpy(bytes + sizeof(head), spawn->ends, spawn->end_count * 4);
	if (spawn->word_count)
		memcpy(bytes + words, spawn->words, spawn->word_count * 8);
	return words + spawn->word_count * 8;
}

void machine_spawn(struct machine *machine, const struct machine_spawn *spawn)
{
	unsigned char bytes[NMSG_SPAWN_BYTES_MAX] = {0};
	unsigned nbytes = join(spawn, bytes);
	unsigned lines = (nbytes + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES;

	for (unsigned i = 0; i < lines; i++) {
		unsigned left = nbytes - i * NCHAN_PAYLOAD_BYTES;
		unsigned now = left < NCHAN_PAYLOAD_BYTES ? left : NCHAN_PAYLOAD_BYTES;

		nchan_place_send(&machine->host, spawn->core + 1,
			nchan_head(NCHAN_SPAWN, now, 0, lines - 1 - i),
			bytes + i * NCHAN_PAYLOAD_BYTES, now);
	}
	for (unsigned i = 0; i < spawn->end_count; i++) {
		struct nchan_end *end =
			nchan_find(&machine->host, spawn->ends[i] & ~NMSG_END_WRITES);

		if (!(spawn->ends[i] & NMSG_END_WRITES)) {
			nchan_pass_reader(&machine->host, end, spawn->core + 1);
			continue;
		}
		nchan_pass_writer(&machine->host, end, spawn->core + 1);
		nchan_drop_writer(&machine->host, end);
	}
}

uint64_t machine_spawn_simple(struct machine *machine, uint32_t id, unsigned kernel)
{
	struct machine_spawn spawn = {
		.self = nreg_self(id, 1), .image = MACHINE_IMAGE, .kernel = kernel};

	machine_spawn(machine, &spawn);
	return spawn.self;
}

const struct nmsg_exit *machine_exit(const struct machine *machine, uint64_t self)
{
	for (unsigned i = 0; i < machine->exit_count; i++)
		if (machine->exits[i].self == self)
			return &machine->exits[i];
	return NULL;
}

void machine_create_pipe(struct machine *machine, uint32_t pipe)
{
	nchan_create(&machine->host, pipe);
}

int64_t machine_write(struct machine *machine, uint32_t pipe, const void *bytes, uint64_t nbytes)
{
	return nchan_write(&machine->host, nchan_find(&machine->host, pipe), bytes, nbytes);
}

int64_t machine_read(struct machine *machine, uint32_t pipe, void *bytes, uint64_t nbytes)
{
	return nchan_read(&machine->host, nchan_find(&machine->host, pipe), bytes, nbytes);
}

void machine_set_attention(struct machine *machine, unsigned core, uint64_t self)
{
	nchan_store(&nreg_core(machine->region, core)->attention.victim, self);
}

uint64_t machine_far(const struct machine *machine)
{
	return (uintptr_t)machine->region + NREG_ALIGN;
}
