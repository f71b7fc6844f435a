/*
 * ops.c - what kernel code calls. A process that must wait is put at its end's waiters and answered
 * -EAGAIN; kernel code then suspends and calls again with the same arguments when it is resumed.
 */
#include "channels/quick.h"
#include "device/core_int.h"

/* The functions that never come back do not unwind what a sanitizer has noted about them. */
#if defined(__clang__)
#define LEAVES __attribute__((disable_sanitizer_instrumentation))
#else
#define LEAVES
#endif

/* Kept out of its caller, whose usual way is shorter without it. */
#define SELDOM __attribute__((noinline))

/* The end's id, or 0: not open, or of the other kind. */
static uint32_t end_of(struct process *process, int64_t fd, uint32_t kind)
{
	uint32_t end = fd_end(process, fd);

	return (end & NMSG_END_WRITES) == kind ? end & ~NMSG_END_WRITES : 0;
}

/* What one line, or some of this pipe, bring to the reader. */
static int64_t take_or_receive(
	struct ndev_core *core, struct nchan_end *end, unsigned from, char *bytes, uint64_t nbytes)
{
	uint64_t taken = nchan_take_lines(&core->place, end, from, bytes, nbytes);

	if (taken)
		return (int64_t)taken;
	nchan_place_receive(&core->place, from, 1);
	return nchan_read(&core->place, end, bytes, nbytes);
}

/* As long as there is room for a whole line, the read of a stream goes on. */
static int64_t read_what_has_come(
	struct ndev_core *core, struct nchan_end *end, char *bytes, uint64_t nbytes)
{
	int64_t result = -NCHAN_EAGAIN;
	uint64_t done = 0;
	unsigned from;

	while (core->lines_left && !core->doomed &&
		(from = nchan_place_next(&core->place)) < core->place.count) {
		core->lines_left--;
		result = take_or_receive(core, end, from, bytes + done, nbytes - done);
		if (result != -NCHAN_EAGAIN && result <= 0)
			break;
		done += result > 0 ? (uint64_t)result : 0;
		if (done && (nbytes - done < NCHAN_PAYLOAD_BYTES || nchan_is_of_packets(end)))
			break;
	}
	return done ? (int64_t)done : result;
}

/*
 * Before the process suspends: what it waits for may have come since the core last looked, or come
 * soon. To wait for it here saves both ways through the scheduler, where nobody else waits.
 */
static int64_t read_what_comes(
	struct ndev_core *core, struct nchan_end *end, char *bytes, uint64_t nbytes)
{
	const struct ndev_platform *platform = &core->device->platform;
	int64_t result;
	unsigned looks = 0;

	do
		result = nchan_is_of_calls(end) ? nchan_read(&core->place, end, bytes, nbytes)
						: read_what_has_come(core, end, bytes, nbytes);
	while (result == -NCHAN_EAGAIN && platform->look_on && core->lines_left &&
		core_is_idle(core) && platform->look_on(platform->context, looks++));
	return result;
}

/* Somebody must hear of what happens at the end. */
static bool has_waiters(struct nchan_end *end)
{
	return *nchan_read_waiter(end) | *nchan_write_waiter(end);
}

static uint16_t site_note(uint32_t site)
{
	return site <= UINT16_MAX ? (uint16_t)site : 0;
}

/* Whatever it does, or whether it must wait. */
static SELDOM int64_t read_or_wait(struct process *process, struct nchan_end *end, void *buffer,
	uint64_t nbytes, uint32_t site)
{
	struct ndev_core *core = core_of(process);
	int64_t result = nchan_read(&core->place, end, buffer, nbytes);

	/* Lines of a loan go to who waits. */
	if (result == -NCHAN_EAGAIN && !nchan_is_borrowed(end))
		result = read_what_comes(core, end, buffer, nbytes);
	process->flags &= (uint8_t)~(PROCESS_WOKEN | PROCESS_FENCED);
	if (result == -NCHAN_EAGAIN) {
		process->buffer = buffer;
		process->nbytes = (uint16_t)nchan_min(nbytes, UINT16_MAX);
		process->site = site_note(site);
		wait_at(core, process, nchan_end_id(&core->place, end), PROCESS_READING);
		return result;
	}
	wake_reader(core, end);
	return result;
}

static int64_t op_read(
	struct nk_process *kernel_process, int64_t fd, void *buffer, uint64_t nbytes, uint32_t site)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	struct nchan_end *end;
	uint32_t id;

	if (process->flags & PROCESS_DELIVERED) {
		core->served.end = NULL;
		process->flags &= (uint8_t)~PROCESS_DELIVERED;
		return process->nbytes;
	}
	id = end_of(process, fd, 0);
	if (nchan_unlikely(!id))
		return -NCHAN_EBADF;
	end = nchan_end_by_id(&core->place, id);
	if (!has_waiters(end) && nchan_read_line(&core->place, end, buffer, nbytes)) {
		process->flags &= (uint8_t)~(PROCESS_WOKEN | PROCESS_FENCED);
		return (int64_t)nbytes;
	}
	return read_or_wait(process, end, buffer, nbytes, site);
}

static SELDOM int64_t write_or_wait(struct process *process, struct nchan_end *end,
	const void *buffer, uint64_t nbytes, uint32_t site)
{
	struct ndev_core *core = core_of(process);
	int64_t result = nchan_write_line(&core->place, end, buffer, nbytes)
				 ? (int64_t)nbytes
				 : nchan_write(&core->place, end, buffer, nbytes);

	process->flags &= (uint8_t)~(PROCESS_WOKEN | PROCESS_FENCED);
	if (result == -NCHAN_EAGAIN) {
		process->site = site_note(site);
		wait_at(core, process, nchan_end_id(&core->place, end) | NMSG_END_WRITES,
			PROCESS_WRITING);
	} else {
		wake_writer(core, end);
	}
	return result;
}

/* The end that answers calls is the one that reads them. */
static int64_t answer(struct ndev_core *core, uint32_t id, const void *buffer, uint64_t nbytes)
{
	struct nchan_end *end = nchan_end_by_id(&core->place, id);

	return id && nchan_is_of_calls(end) ? nchan_answer(&core->place, end, buffer, nbytes)
					    : -NCHAN_EBADF;
}

static int64_t op_write(struct nk_process *kernel_process, int64_t fd, const void *buffer,
	uint64_t nbytes, uint32_t site)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	uint32_t id = fd_end(process, fd);
	struct nchan_end *end;

	if (!(id & NMSG_END_WRITES))
		return answer(core, id, buffer, nbytes);
	id &= ~NMSG_END_WRITES;
	end = nchan_end_by_id(&core->place, id);
	if (!has_waiters(end) && core->served.end != end &&
		nchan_queue_line(&core->place, end, buffer, nbytes)) {
		process->flags &= (uint8_t)~(PROCESS_WOKEN | PROCESS_FENCED);
		return (int64_t)nbytes;
	}
	return write_or_wait(process, end, buffer, nbytes, site);
}

/* Where memory is not coherent: what was counted before this line is told before it. */
static int64_t op_write_apart(
	struct nk_process *process, int64_t fd, const void *buffer, uint64_t nbytes, uint32_t site)
{
	core_tell_counts(core_of(process_of(process)));
	return op_write(process, fd, buffer, nbytes, site);
}

static int64_t op_close(struct nk_process *kernel_process, int64_t fd)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	uint32_t end = fd_end(process, fd);

	if (!end)
		return -NCHAN_EBADF;
	process_ends(process)[fd] = 0;
	end_drop(core, end);
	return 0;
}

static int64_t op_dup(struct nk_process *kernel_process, int64_t fd)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	uint32_t id = fd_end(process, fd);
	struct nchan_end *end = nchan_end_by_id(&core->place, id & ~NMSG_END_WRITES);
	int result;

	if (!id)
		return -NCHAN_EBADF;
	if (nchan_is_of_calls(end))
		return -NCHAN_EINVAL;
	result = fd_add(core, process, id);
	if (result >= 0)
		nchan_dup(end, (id & NMSG_END_WRITES) != 0);
	return result;
}

static void drop_both(struct ndev_core *core, struct nchan_end *end)
{
	uint32_t id = nchan_end_id(&core->place, end);

	nchan_drop_reader(&core->place, end);
	nchan_drop_writer(&core->place, nchan_end_by_id(&core->place, id));
}

static int64_t op_pipe(struct nk_process *kernel_process, int32_t *reads, int32_t *writes)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	struct nchan_end *end = nchan_create_here(&core->place);
	uint32_t id = end ? nchan_end_id(&core->place, end) : 0;

	*reads = end ? fd_add(core, process, id) : -NCHAN_ENOMEM;
	*writes = *reads < 0 ? *reads : fd_add(core, process, id | NMSG_END_WRITES);
	if (*writes >= 0)
		return 0;
	if (*reads >= 0)
		process_ends(process)[*reads] = 0;
	if (end)
		drop_both(core, end);
	return *writes;
}

static int64_t op_wait(
	struct nk_process *kernel_process, int64_t child, struct nk_outcome *outcome, uint32_t site)
{
	struct process *process = process_of(kernel_process);

	process->site = site_note(site);
	return kin_take_ended(core_of(process), process, child, outcome);
}

static int64_t op_kill(struct nk_process *kernel_process, int64_t number)
{
	struct process *process = process_of(kernel_process);
	struct ndev_core *core = core_of(process);
	enum kin_state state = KIN_ENDED;
	uint64_t child = 0;
	int error = kin_child(core, process, number, &state, &child);

	if (state == KIN_ABROAD)
		return kill_abroad(core, child);
	if (state == KIN_ALIVE)
		process_kill(core, process_find(core, child));
	return error;
}

static void op_log(
	struct nk_process *kernel_process, const char *format, const uint64_t *args, uint64_t count)
{
	struct process *process = process_of(kernel_process);

	log_message(core_of(process), process, format, args, count);
}

/* The kernel returned; its resume function goes on to return to run() (process.c). */
static void op_done(struct nk_process *kernel_process, int64_t code)
{
	struct process *process = process_of(kernel_process);
	struct nmsg_exit how = {.self = process->self, .value = code, .ending = NMSG_EXITED};
	struct ndev_core *core = core_of(process);

	process->state = PROCESS_ENDED;
	core->ending = how;
}

LEAVES static void __attribute__((noreturn)) leave(
	struct process *process, const struct nmsg_exit *how)
{
	struct ndev_core *core = core_of(process);

	process->state = PROCESS_ENDED;
	core->ending = *how;
	ndev_context_jump(&core->context);
}

LEAVES static void __attribute__((noreturn)) op_exit(struct nk_process *process, int64_t code)
{
	struct nmsg_exit how = {.self = process->self, .value = code, .ending = NMSG_EXITED};

	leave(process_of(process), &how);
}

LEAVES static void __attribute__((noreturn)) op_killed(struct nk_process *process)
{
	struct nmsg_exit how = {.self = process->self, .ending = NMSG_KILLED};

	leave(process_of(process), &how);
}

LEAVES static void __attribute__((noreturn)) op_fault(
	struct nk_process *process, uint64_t kind, uint64_t address, uint32_t site)
{
	struct nmsg_exit how = {
		.self = process->self,
		.address = address,
		.site = site,
		.fault = (uint16_t)kind,
		.ending = NMSG_FAULTED,
	};

	leave(process_of(process), &how);
}

LEAVES void ndev_core_trap(struct ndev_core *core, uint64_t address, uint64_t offset)
{
	struct process *process = core->running;
	struct nmsg_exit how = {
		.value = (int64_t)offset,
		.address = address,
		.fault = NK_FAULT_TRAP,
		.ending = NMSG_FAULTED,
	};

	if (!process)
		return;
	how.self = process->self;
	leave(process, &how);
}

LEAVES static void *op_far_read(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	void *found = grants_search(process_of(process), va, nbytes, false);

	if (!found)
		op_fault(process, NK_FAULT_FAR_READ, va, site);
	return found;
}

LEAVES static void *op_far_write(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	void *found = grants_search(process_of(process), va, nbytes, true);
	bool readable = !found && grants_search(process_of(process), va, nbytes, false);

	if (!found)
		op_fault(process, readable ? NK_FAULT_READ_ONLY : NK_FAULT_FAR_WRITE, va, site);
	return found;
}

LEAVES static void op_publish(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	const struct ndev_core *core = core_of(process_of(process));

	if (nbytes)
		nchan_publish(core->device->platform.caches,
			op_far_write(process, va, nbytes, site), nbytes);
}

LEAVES static void op_refresh(
	struct nk_process *process, uint64_t va, uint64_t nbytes, uint32_t site)
{
	const struct ndev_core *core = core_of(process_of(process));

	if (nbytes)
		nchan_refresh(core->device->platform.caches, op_far_read(process, va, nbytes, site),
			nbytes);
}

void ops_init(struct ndev_core *core)
{
	bool is_coherent = !core->device->platform.caches;

	core->ops = (struct nk_ops){
		.attention = is_coherent ? &core->shared->attention.victim : &core->victim,
		.far_bytes = &core->shared->status.far,
		.read = op_read,
		.write = is_coherent ? op_write : op_write_apart,
		.close = op_close,
		.dup = op_dup,
		.pipe = op_pipe,
		.spawn = op_spawn,
		.wait = op_wait,
		.kill = op_kill,
		.get = op_get,
		.put = op_put,
		.copied = op_copied,
		.publish = op_publish,
		.refresh = op_refresh,
		.far_read = op_far_read,
		.far_write = op_far_write,
		.log = op_log,
		.done = op_done,
		.exit = op_exit,
		.killed = op_killed,
		.fault = op_fault,
	};
}
