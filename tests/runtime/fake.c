#include "tests/runtime/fake.h"

#include "device/abi/image.h"
#include "host/region_memfd.h"

struct fake fake;

/* ---- the table of functions ------------------------------------------------------------------ */

static int open_fake(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	int result = nhost_region_create(&fake.identity, &fake.region, error);
	(void)options;

	if (result)
		return result;
	for (unsigned core = 0; core < fake.identity.core_count; core++) {
		struct nreg_core *shared = nreg_core(fake.region, core);

		nchan_rx_init(&fake.down[core], &shared->down, fake.identity.generation, 0);
		nchan_tx_init(&fake.up[core], &shared->up, fake.identity.generation, 0);
	}
	device->region = fake.region;
	device->identity = fake.identity;
	snprintf(device->name, sizeof device->name, "fake");
	return 0;
}

static void close_fake(struct nhost_device *device)
{
	nhost_region_destroy(device->region, fake.identity.region_bytes);
	fake.region = NULL;
}

static bool answer_loads(void)
{
	for (unsigned core = 0; core < fake.identity.core_count; core++) {
		uint64_t head = nchan_rx_peek(&fake.down[core]);
		struct nmsg_loaded loaded = {.status = fake.load_status};
		struct nmsg_load load;
		struct nchan_line line;

		if (head && nchan_head_kind(head) == NCHAN_CURSOR)
			nchan_rx_take(&fake.down[core], &line);
		head = nchan_rx_peek(&fake.down[core]);
		if (!head || nchan_head_kind(head) != NCHAN_LOAD)
			continue;
		nchan_rx_take(&fake.down[core], &line);
		memcpy(&load, line.word, sizeof load);
		loaded.image = load.image;
		fake_send(core, NCHAN_LOADED, 0, 0, &loaded, sizeof loaded);
		fake_report(core);
		return true;
	}
	return false;
}

static int wait_fake(
	struct nhost_device *device, int64_t deadline_ns, const struct nhost_condition *condition)
{
	(void)device;
	fake.waits++;
	if (fake.wait_result)
		return fake.wait_result;
	while (!condition->ready(condition->context)) {
		if (fake.answers_loads && answer_loads())
			continue;
		if (!condition->may_sleep(condition->context))
			break;
		if (fake.on_wait && fake.on_wait())
			continue;
		if (deadline_ns < 0)
			return -EDEADLK;
		fake.now = deadline_ns;
		return -ETIMEDOUT;
	}
	return 0;
}

static int listen_fake(struct nhost_device *device, struct nhost_bell *bell)
{
	(void)device;
	fake.listens++;
	fake.bell = bell;
	return 0;
}

static void interrupt_fake(struct nhost_device *device)
{
	(void)device;
}

static void wake_fake(struct nhost_device *device, unsigned core)
{
	(void)device;
	(void)core;
	fake.wakes++;
}

static int64_t now_fake(struct nhost_device *device)
{
	(void)device;
	fake.clock_reads++;
	return fake.now;
}

static const struct nhost_device_ops ops = {
	.kind = "fake",
	.summary = "a test is its cores",
	.open = open_fake,
	.close = close_fake,
	.wait = wait_fake,
	.listen = listen_fake,
	.interrupt = interrupt_fake,
	.wake = wake_fake,
	.now = now_fake,
};

const struct nhost_device_ops *const nhost_devices[] = {&ops, NULL};

/* ---- opening and closing --------------------------------------------------------------------- */

void fake_reset(void)
{
	fake = (struct fake){
		.answers_loads = true,
		.identity =
			{
				.far_bytes = 1 << 20,
				.generation = 1,
				.capabilities =
					NREG_COHERENT | NREG_PREEMPTS_KERNELS | NREG_CAN_WAKE,
				.core_count = 2,
				.isa = NIMG_X86_64,
				.processes_max = 1000,
				.pipes_max = 1000,
				.cells_max = 10000,
				.grant_sets_max = 100,
				.frame_bytes_max = 65536,
			},
	};
}

void fake_start(void)
{
	struct small_image small;

	small_image_make(&small);
	assert_int_equal(nproc_device_open("fake", &fake.device), 0);
	assert_int_equal(
		nproc_image_open_memory(fake.device, &small, sizeof small, &fake.image), 0);
}

int fake_open(void **state)
{
	(void)state;
	fake_reset();
	fake_start();
	return 0;
}

int fake_close(void **state)
{
	(void)state;
	nproc_device_close(fake.device);
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool fake_try_take(unsigned core, struct nchan_line *line)
{
	while (nchan_rx_take(&fake.down[core], line))
		if (nchan_head_kind(line->head) != NCHAN_CURSOR)
			return true;
	return false;
}

struct nchan_line fake_take(unsigned core, enum nchan_kind kind)
{
	struct nchan_line line = {.head = 0};

	assert_true(fake_try_take(core, &line));
	assert_int_equal(nchan_head_kind(line.head), kind);
	return line;
}

void fake_assert_silent(unsigned core)
{
	struct nchan_line line;

	assert_false(fake_try_take(core, &line));
}

void fake_send(unsigned core, enum nchan_kind kind, uint32_t pipe, uint32_t arg,
	const void *payload, unsigned nbytes)
{
	nchan_tx_put(&fake.up[core], nchan_head(kind, nbytes, pipe, arg), payload, nbytes);
	if (fake.bell)
		nhost_bell_ring(fake.bell);
}

void fake_report(unsigned core)
{
	uint64_t consumed = nchan_rx_report(&fake.down[core]);

	fake_send(core, NCHAN_CURSOR, 0, 0, &consumed, sizeof consumed);
}

bool fake_take_all(unsigned core)
{
	struct nchan_line line;

	while (nchan_rx_take(&fake.down[core], &line))
		;
	if (fake.down[core].next == fake.down[core].reported)
		return false;
	fake_report(core);
	return true;
}

uint64_t fake_take_spawn(unsigned core)
{
	struct nchan_line line = fake_take(core, NCHAN_SPAWN);
	struct nmsg_spawn spawn;

	memcpy(&spawn, line.word, sizeof spawn);
	for (unsigned left = nchan_head_arg(line.head); left; left--)
		fake_take(core, NCHAN_SPAWN);
	return spawn.self;
}

void fake_exit(unsigned core, uint64_t self, int64_t code)
{
	const struct nmsg_exit how = {.self = self, .value = code, .ending = NMSG_EXITED};

	fake_send(core, NCHAN_EXIT, 0, 0, &how, sizeof how);
}

void assert_detail(const char *text)
{
	char detail[512];

	if (strstr(nproc_detail(fake.device, detail, sizeof detail), text))
		return;
	print_error("'%s' is not in '%s'\n", text, detail);
	fail();
}
