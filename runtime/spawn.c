/*
 * spawn.c - a kernel becomes a process.
 *
 *   1  the kernel by its name; arguments become words (arguments.c)
 *   2  with the lock: far pointers become grants, ends are checked, a core is chosen, and its
 *      capacity
 *   3  an id and a grant set are taken; when the core's FIFO has no room for all lines, they are
 *      put back, and after a wait everything from 2 on is done anew
 *   4  lines: GRANTs that the core lacks, then the SPAWN; the ends go there
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/spawn_int.h"

enum {
	NO_ROOM = 1, /* not an errno: wait, then try again */
};

/* A core that takes no line for so long runs a kernel that does not suspend. */
static const int64_t room_timeout_ns = 10ll * 1000 * 1000 * 1000;

/* How long closed pipes of calls may be on their way back. */
static const int64_t call_line_timeout_ns = 1000ll * 1000 * 1000;

/* ---- what is spawned ------------------------------------------------------------------------- */

static int fail_kernel(struct spawn *spawn, const char *name)
{
	const struct nhost_image *image = spawn->image->image;
	char known[320] = "";
	size_t used = 0;

	for (unsigned i = 0; i < nhost_image_kernel_count(image) && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
			nhost_image_string(image, nhost_image_kernel(image, i)->name));
	return device_fail(
		spawn->device, ENOENT, "the image has no kernel '%.64s'; it has %s", name, known);
}

static int convert(
	struct spawn *spawn, const char *name, size_t count, const struct nproc_arg *args)
{
	struct nhost_error error;
	int result, kernel;

	if (!name)
		return device_fail(spawn->device, EINVAL, "the kernel's name is NULL");
	kernel = nhost_image_find(spawn->image->image, name);
	if (kernel < 0)
		return fail_kernel(spawn, name);
	spawn->kernel = (unsigned)kernel;
	spawn->arguments.image = spawn->image->image;
	spawn->arguments.kernel = nhost_image_kernel(spawn->image->image, spawn->kernel);
	result = arguments_convert(&spawn->arguments, count, args, &error);
	return result ? device_fail(spawn->device, -result, "%s", error.text) : 0;
}

/* ---- where to -------------------------------------------------------------------------------- */

unsigned least_loaded_core(const struct nproc_device *device)
{
	unsigned best = 0;

	for (unsigned core = 1; core < device_core_count(device); core++)
		if (device->cores[core].living < device->cores[best].living)
			best = core;
	return best;
}

static int choose_core(struct spawn *spawn)
{
	spawn->core = spawn->attr->core == NPROC_ANY_CORE ? least_loaded_core(spawn->device)
							  : (unsigned)spawn->attr->core;
	return admission_check(
		spawn->device, spawn->core, spawn->attr->ends, spawn->attr->end_count);
}

/* ---- what it takes --------------------------------------------------------------------------- */

void spawn_put_back(struct spawn *spawn)
{
	if (spawn->grants)
		grants_put(&spawn->device->grants, spawn->grants);
	spawn->grants = NULL;
	if (spawn->id)
		ids_put(&spawn->device->process_ids, spawn->id);
	spawn->id = 0;
	calls_put_back(spawn->device, spawn->core, spawn->attr->ends, spawn->attr->end_count);
}

static int take_grants(struct spawn *spawn)
{
	struct nproc_device *device = spawn->device;
	unsigned count = spawn->arguments.grant_count;
	int result;

	if (!count)
		return 0;
	result = grants_get(&device->grants, spawn->arguments.grants, count, &spawn->grants);
	if (result == -EAGAIN)
		return device_fail(device, EAGAIN,
			"living processes use all %" PRIu32
			" grant sets of the device: wait for some to end",
			device->host.identity.grant_sets_max);
	return result ? device_fail(device, -result, "no memory for a grant set") : 0;
}

static int take(struct spawn *spawn)
{
	struct nproc_device *device = spawn->device;
	int result;

	spawn->id = ids_take(&device->process_ids);
	if (!spawn->id)
		return device_fail(device, EAGAIN,
			"the device holds %" PRIu32
			" processes, all it can: wait for some to end, or open it "
			"with processes=N",
			device->host.identity.processes_max);
	result = take_grants(spawn);
	if (!result)
		result = calls_take(device, spawn->core, spawn->attr->ends, spawn->attr->end_count);
	if (result)
		spawn_put_back(spawn);
	return result;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static uint32_t name_of(const struct spawn *spawn, const struct npipe *end)
{
	uint32_t call = spawn->device->pipes[end->pipe].call;

	return nchan_name_of(end->end) | (end->writes ? NMSG_END_WRITES : 0) |
	       (call ? (call - 1) << NCHAN_MODE_SHIFT : 0);
}

static uint64_t next_self(const struct spawn *spawn)
{
	return nreg_self(spawn->id, spawn->device->serial + 1);
}

void spawn_join(struct spawn *spawn)
{
	const struct nproc_attr *attr = spawn->attr;
	const struct nmsg_spawn head = {
		.self = next_self(spawn),
		.image = spawn->image->id,
		.kernel = (uint16_t)spawn->kernel,
		.grant_set = spawn->grants ? spawn->grants->id : 0,
		.end_count = attr->end_count & 31,
		.extra_turns = (attr->weight ? attr->weight - 1 : 0) & 7,
		.word_count = (uint8_t)spawn->arguments.word_count,
	};
	uint32_t ends[NPROC_ENDS_MAX];

	spawn->lent = 0;
	for (unsigned i = 0; i < attr->end_count; i++) {
		bool lent = spawn_lends(spawn, attr->ends[i]);

		ends[i] = name_of(spawn, attr->ends[i]) | (lent ? NMSG_END_BORROWS : 0);
		spawn->lent |= (uint32_t)lent << i;
	}
	spawn_lines_join(&spawn->lines, &head, ends, spawn->arguments.words);
}

static void send_to(
	const struct spawn *spawn, enum nchan_kind kind, const void *payload, unsigned nbytes)
{
	nchan_place_send(&spawn->device->port.place, spawn->core + 1,
		nchan_head(kind, nbytes, 0, 0), payload, nbytes);
}

static void send_grants(const struct spawn *spawn)
{
	struct grant_set *set = spawn->grants;

	if (!spawn->grant_lines)
		return;
	if (spawn->revoke)
		send_to(spawn, NCHAN_REVOKE, &(struct nmsg_revoke){set->id},
			sizeof(struct nmsg_revoke));
	for (uint16_t i = 0; i < set->count; i++) {
		const struct grant *grant = &set->uses[i].grant;
		struct nmsg_grant message = {.set = set->id, .index = i, .count = set->count};

		if (grant->extent) {
			message.base = grant->extent->base;
			message.len = grant->extent->asked;
			message.writable = grant->is_writable ? message.len : 0;
		}
		send_to(spawn, NCHAN_GRANT, &message, sizeof(message));
	}
	grants_told(&spawn->device->grants, set, spawn->core);
}

static void pass_end(const struct spawn *spawn, struct npipe *end, bool lent)
{
	struct nchan_place *place = &spawn->device->port.place;
	struct pipe *pipe = &spawn->device->pipes[end->pipe];
	struct nchan_end *passed = end->end;

	admission_charge(spawn->device, spawn->core, end, lent);
	end->end = NULL;
	pipe_loses_handle(spawn->device, pipe, end->writes);
	/* A thread that waits at this handle finds it given away. */
	port_call_all(spawn->device, end->writes ? &pipe->writers : &pipe->readers);
	if (end->fd)
		end_fd_give_away(end->fd);
	watches_tell(spawn->device, &pipe->watches);
	if (end->writes) {
		nchan_pass_writer(place, passed, spawn->core + 1);
		nchan_drop_writer(place, passed);
	} else if (lent) {
		nchan_lend_reader(place, passed, spawn->core + 1);
	} else {
		nchan_pass_reader(place, passed, spawn->core + 1);
	}
}

static void send_all(struct spawn *spawn)
{
	send_grants(spawn);
	calls_assign(spawn->device, spawn->attr->ends, spawn->attr->end_count);
	spawn_lines_send(&spawn->lines, &spawn->device->port.place, spawn->core + 1);
	for (unsigned i = 0; i < spawn->attr->end_count; i++)
		pass_end(spawn, spawn->attr->ends[i], spawn->lent >> i & 1);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static struct nproc *make_record(struct spawn *spawn, uint64_t self)
{
	struct nproc *process = pool_take(&spawn->device->nprocs);

	if (!process)
		return NULL;
	*process = (struct nproc){
		.device = spawn->device,
		.image = spawn->image,
		.grants = spawn->grants,
		.self = self,
		.state = NPROC_RUNNING,
		.references = 2,
		.core = (uint16_t)spawn->core,
		.kernel = (uint16_t)spawn->kernel,
	};
	TAILQ_INIT(&process->waiters);
	LIST_INIT(&process->watches);
	group_join(process, spawn->attr->group);
	return process;
}

static void enlist(struct spawn *spawn, struct nproc *process)
{
	struct nproc_device *device = spawn->device;

	device->serial++;
	device->processes[spawn->id] = process;
	device->cores[spawn->core].living++;
	device->spawns++;
	if (spawn->grants)
		device->far_bytes_granted += grants_nbytes(spawn->grants);
	spawn->image->living++;
	spawn->image->references++;
}

/* Once its lines are joined. */
static bool has_room(struct spawn *spawn)
{
	const struct nproc_device *device = spawn->device;

	spawn->grant_lines = 0;
	if (spawn->grants)
		spawn->grant_lines = grants_lines_due(
			&device->grants, spawn->grants, spawn->core, &spawn->revoke);
	spawn->lines_wanted = spawn->grant_lines + spawn_lines_count(&spawn->lines);
	return nchan_place_room(&device->port.place, spawn->core + 1) >= spawn->lines_wanted;
}

bool spawn_send(struct spawn *spawn)
{
	if (!has_room(spawn))
		return false;
	send_all(spawn);
	return true;
}

struct nproc *spawn_enlist(struct spawn *spawn)
{
	struct nproc *process = make_record(spawn, next_self(spawn));

	if (process)
		enlist(spawn, process);
	return process;
}

static int commit(struct spawn *spawn, struct nproc **process)
{
	spawn_join(spawn);
	if (!has_room(spawn)) {
		spawn_put_back(spawn);
		return NO_ROOM;
	}
	*process = spawn_enlist(spawn);
	if (!*process) {
		spawn_put_back(spawn);
		return device_fail(spawn->device, ENOMEM, "no memory for a process's record");
	}
	send_all(spawn);
	return 0;
}

int spawn_take(struct spawn *spawn)
{
	struct nhost_error error;
	int result = arguments_grant(&spawn->arguments, &spawn->device->far, &error);

	if (result)
		return device_fail(spawn->device, -result, "%s", error.text);
	result = choose_core(spawn);
	return result ? result : take(spawn);
}

static int attempt(struct spawn *spawn, struct nproc **process)
{
	int result = spawn_check_ends(spawn);

	if (!result)
		result = spawn_take(spawn);
	return result ? result : commit(spawn, process);
}

static int fail_stuck(const struct spawn *spawn)
{
	const struct nreg_core *shared = device_core(spawn->device, spawn->core);
	const struct nproc *process =
		head_by_self(spawn->device, spawn->core, nchan_load(&shared->status.running));

	return device_fail(spawn->device, EAGAIN,
		"core %u has taken no line for %" PRId64
		" s; kernel '%s' runs there and does not suspend: "
		"wait for it, or kill it",
		spawn->core, room_timeout_ns / 1000 / 1000 / 1000,
		process ? nproc_image_kernel(process->image, process->kernel) : "(unknown)");
}

/* One whose pipe is closed comes back from the device in a moment. */
static int wait_for_call_line(struct spawn *spawn, struct nproc **process, int result)
{
	struct port_patience patience = port_patience(call_line_timeout_ns);
	struct port_waiter waiter = {.state = 0};
	struct nproc_device *device = spawn->device;

	while (nchan_unlikely(result == -EMFILE) && device->pipes_away &&
		!port_wait(device, &device->port.room_waiters, &waiter, &patience))
		result = attempt(spawn, process);
	return result;
}

static int attempt_until_room(struct spawn *spawn, struct nproc **process)
{
	int result = attempt(spawn, process);

	result = wait_for_call_line(spawn, process, result);
	while (result == NO_ROOM) {
		struct port_patience patience = port_patience(room_timeout_ns);

		result = port_wait_for_room(
			spawn->device, spawn->core, spawn->lines_wanted, &patience);
		if (result == -ETIMEDOUT)
			return fail_stuck(spawn);
		if (!result)
			result = attempt(spawn, process);
	}
	return result;
}

int nproc_spawnv(struct nproc_device *device, struct nproc_image *image, const char *kernel,
	const struct nproc_attr *attr, struct nproc **process, size_t arg_count,
	const struct nproc_arg *args)
{
	static const struct nproc_attr usual = NPROC_ATTR_INIT;
	struct spawn spawn;
	int result;

	if (!process)
		return device_fail_nowhere(device);
	*process = NULL;
	memset(&spawn, 0, offsetof(struct spawn, arguments));
	spawn.device = device;
	spawn.image = image;
	spawn.attr = attr ? attr : &usual;
	if (!device_is_usable(device))
		return -EBADF;
	if (!image || image->device != device)
		return device_fail(device, EBADF, "the image %s",
			image ? "was opened on another device" : "is NULL");
	result = convert(&spawn, kernel, arg_count, args);
	if (!result)
		result = spawn_check_attr(&spawn);
	if (result)
		return result;
	port_enter(device);
	result = attempt_until_room(&spawn, process);
	port_leave(device);
	return result;
}
