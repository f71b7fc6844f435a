#include "tests/apps/graph/fake_device.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nearside/nmem.h>
#include <nearside/nproc.h>

/* To the host's compiler kernels are static functions, so they live in this file. */
#include "apps/graph/bfs_kernels.c"

#undef npipe_read
#undef npipe_read_full
#undef npipe_write
#undef npipe_close
#undef nmem_publish
#undef nmem_refresh

struct npipe {
	int fd; /* -1: given away */
};

struct nproc {
	pthread_t thread;
	int fd[NPROC_ENDS_MAX];
	unsigned end_count;
	struct nproc_arg args[NPROC_PARAMS_MAX];
	int number, is_levels, is_joined;
	struct nproc_status status;
};

enum {
	ALLOCATIONS_MAX = 16
};

struct nproc_device {
	void *allocation[ALLOCATIONS_MAX];
	int allocation_count;
	int spawned;
	struct nproc_device_info info;
};

struct fake_plan fake_plan = {.victim = -1};
static atomic_int open_ends;
static _Thread_local struct nproc *self;

void fake_reset(void)
{
	fake_plan = (struct fake_plan){.victim = -1};
}

int fake_left_over(void)
{
	return open_ends;
}

/* ---- what kernels call -------------------------------------------------------------------- */

void nk_publish(uint64_t address, size_t nbytes)
{
	(void)address, (void)nbytes;
}

void nk_refresh(uint64_t address, size_t nbytes)
{
	(void)address, (void)nbytes;
}

static void end_with(enum nproc_state state, int64_t code)
{
	for (unsigned i = 0; i < self->end_count; i++) {
		if (self->fd[i] < 0)
			continue;
		close(self->fd[i]);
		open_ends--;
	}
	self->status = (struct nproc_status){.state = state,
		.exit_code = code,
		.fault = "told to",
		.file = "",
		.function = "",
		.text = ""};
}

static _Noreturn void fault(void)
{
	end_with(NPROC_FAULTED, 0);
	pthread_exit(NULL);
}

ssize_t nk_read_full(int fd, void *bytes, size_t nbytes)
{
	size_t done = 0;
	ssize_t got = 1;

	if (self->number == fake_plan.victim && fake_plan.victim_reads-- == 0)
		fault();
	while (done < nbytes && got > 0) {
		got = read(self->fd[fd], (char *)bytes + done, nbytes - done);
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

ssize_t nk_write(int fd, const void *bytes, size_t nbytes)
{
	struct bfs_report lie;

	if (self->is_levels && fd == LEVELS_ANSWER && fake_plan.lies) {
		memcpy(&lie, bytes, sizeof lie);
		lie.reached++;
		bytes = &lie;
	}
	return write(self->fd[fd], bytes, nbytes) < 0 ? -errno : (ssize_t)nbytes;
}

void nk_yield(void)
{
}

_Noreturn void nk_assert_failed(const char *condition)
{
	(void)condition;
	fault();
}

/* ---- what the host part calls ------------------------------------------------------------- */

int nproc_device_open(const char *name, struct nproc_device **device)
{
	const char *cores = strstr(name, "cores="), *far_size = strstr(name, "far=");

	*device = calloc(1, sizeof **device);
	if (!*device || !cores || !far_size)
		return -EINVAL;
	snprintf((*device)->info.name, sizeof(*device)->info.name, "%s", name);
	(*device)->info.core_count = (unsigned)atoi(cores + strlen("cores="));
	(*device)->info.far_free_nbytes = strtoull(far_size + strlen("far="), NULL, 10) << 20;
	if (fake_plan.far_nbytes)
		(*device)->info.far_free_nbytes = fake_plan.far_nbytes;
	return 0;
}

void nproc_device_close(struct nproc_device *device)
{
	if (!device)
		return;
	for (int i = 0; i < device->allocation_count; i++)
		free(device->allocation[i]);
	free(device);
}

const char *nproc_detail(struct nproc_device *device, char *buffer, size_t nbytes)
{
	(void)device;
	snprintf(buffer, nbytes, "detail");
	return buffer;
}

int nproc_device_info(struct nproc_device *device, struct nproc_device_info *info)
{
	*info = device->info;
	return 0;
}

int nproc_image_open_embedded(struct nproc_device *device, const unsigned char *begin,
	const unsigned char *end, struct nproc_image **image)
{
	(void)device, (void)begin, (void)end;
	*image = NULL;
	return 0;
}

int nmem_alloc(struct nproc_device *device, size_t nbytes, void **pointer)
{
	*pointer = aligned_alloc(NMEM_ALIGN, (nbytes + NMEM_ALIGN - 1) / NMEM_ALIGN * NMEM_ALIGN);
	if (!*pointer || device->allocation_count == ALLOCATIONS_MAX)
		return -ENOMEM;
	memset(*pointer, 0, nbytes);
	device->allocation[device->allocation_count++] = *pointer;
	return 0;
}

/* Threads of one program share their memory. */
int nmem_publish(struct nproc_device *device, const void *pointer, size_t nbytes)
{
	(void)device, (void)pointer, (void)nbytes;
	return 0;
}

int nmem_refresh(struct nproc_device *device, const void *pointer, size_t nbytes)
{
	(void)device, (void)pointer, (void)nbytes;
	return 0;
}

static struct npipe *new_end(int fd)
{
	struct npipe *end = malloc(sizeof *end);

	if (end)
		*end = (struct npipe){fd};
	open_ends++;
	return end;
}

int npipe_create(struct nproc_device *device, struct npipe *end[2])
{
	int fd[2];

	(void)device;
	if (pipe(fd) != 0)
		return -errno;
	end[0] = new_end(fd[0]);
	end[1] = new_end(fd[1]);
	return end[0] && end[1] ? 0 : -ENOMEM;
}

void npipe_close(struct npipe *end)
{
	if (!end)
		return;
	if (end->fd >= 0) {
		close(end->fd);
		open_ends--;
	}
	free(end);
}

int64_t npipe_read_full(struct npipe *end, void *bytes, size_t nbytes)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < nbytes && got > 0) {
		got = read(end->fd, (char *)bytes + done, nbytes - done);
		done += got > 0 ? (size_t)got : 0;
	}
	return (int64_t)done;
}

#define FAR(i) ((void *)(uintptr_t)process->args[i].value.pointer)

static void *run(void *context)
{
	struct nproc *process = context;
	int64_t code;

	self = process;
	if (process->is_levels)
		code = bfs_levels(FAR(0), FAR(1), FAR(2), FAR(3), FAR(4), FAR(5),
			process->args[6].value.integer, process->args[7].value.integer,
			(uint32_t)process->args[8].value.integer);
	else
		code = bfs_worker(FAR(0), FAR(1), FAR(2), FAR(3), FAR(4), FAR(5),
			(uint32_t)process->args[6].value.integer);
	end_with(NPROC_EXITED, code);
	return NULL;
}

int nproc_spawnv(struct nproc_device *device, struct nproc_image *image, const char *kernel,
	const struct nproc_attr *attr, struct nproc **process, size_t arg_count,
	const struct nproc_arg *args)
{
	struct nproc *new = calloc(1, sizeof *new);

	(void)image;
	if (!new)
		return -ENOMEM;
	new->number = device->spawned++;
	new->is_levels = strcmp(kernel, "bfs_levels") == 0;
	memcpy(new->args, args, arg_count * sizeof *args);
	new->end_count = attr->end_count;
	for (unsigned i = 0; i < attr->end_count; i++) {
		new->fd[i] = attr->ends[i]->fd;
		attr->ends[i]->fd = -1;
	}
	*process = new;
	return -pthread_create(&new->thread, NULL, run, new);
}

int(nproc_wait)(struct nproc *process, struct nproc_status *status, int64_t timeout_ns)
{
	(void)timeout_ns;
	if (!process->is_joined)
		pthread_join(process->thread, NULL);
	process->is_joined = 1;
	*status = process->status;
	return 0;
}

void nproc_close(struct nproc *process)
{
	struct nproc_status status;

	nproc_wait(process, &status, NPROC_FOREVER);
	free(process);
}

const char *nproc_status_text(const struct nproc_status *status, char *buffer, size_t nbytes)
{
	snprintf(buffer, nbytes, status->state == NPROC_FAULTED ? "fault: %s" : "exit",
		status->fault);
	return buffer;
}

int nproc_stats(struct nproc_device *device, struct nproc_stats *stats)
{
	(void)device;
	*stats = (struct nproc_stats){0};
	return 0;
}
