/*
 * image.c - kernels reach the device: the code for its ISA is copied into a piece of far memory,
 * one core is told where (LOAD) and answers (LOADED); images are shared by all cores. Then the
 * piece is free again.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/cancel.h"
#include "runtime/device_int.h"
#include "runtime/window.h"

enum {
	ERRNO_MAX = 4095 /* Linux has no larger ones */
};

/* ---- telling the device ---------------------------------------------------------------------- */

static int wait_for(struct nproc_device *device, const bool *flag, bool value)
{
	struct port_patience patience = port_patience(NPROC_FOREVER);
	struct port_waiter waiter = {.state = 0};
	int result = 0;

	while (!result && *flag != value)
		result = port_wait(device, &device->port.room_waiters, &waiter, &patience);
	return result;
}

/* Which limit it is that was met, behind the words for an error. */
static const char *limit_of(int number)
{
	return number == EMFILE   ? " (ulimit -n)"
	       : number == ENFILE ? " (fs.file-max)"
	       : number == ENOMEM ? " (ulimit -v)"
				  : "";
}

/* What the device says of code: that it cannot read it is about the code's format. */
static int answer_of(struct nproc_device *device, int status)
{
	const char *text;

	if (!status)
		return 0;
	if (status == -EINVAL)
		status = -ENOEXEC;
	text = strerrordesc_np(-status);
	return device_fail(device, -status, "the device cannot load the image's code: %s%s",
		text ? text : "an error without a name", limit_of(-status));
}

static int send_load(struct nproc_device *device, const struct nmsg_load *load)
{
	struct port_patience patience = port_patience(NPROC_FOREVER);
	struct loading *loading = &device->loading;
	int result = port_wait_for_room(device, loading->core, 1, &patience);

	if (result)
		return result;
	nchan_place_send(&device->port.place, loading->core + 1,
		nchan_head(NCHAN_LOAD, sizeof(*load), 0, 0), load, sizeof(*load));
	result = wait_for(device, &loading->is_answered, true);
	if (result == -EPERM || result == -EDEADLK)
		device->port.gone = -ENODEV; /* nobody would know the answer when it comes */
	if (result || !load->bytes)
		return result ? result : loading->status;
	return answer_of(device, loading->status);
}

/* Sends a LOAD, to a core that is likely to answer soon, and waits for that. With the lock held. */
static int load(struct nproc_device *device, const struct nmsg_load *message)
{
	struct loading *loading = &device->loading;
	int result = wait_for(device, &loading->is_busy, false);

	if (result)
		return result;
	*loading = (struct loading){
		.is_busy = true, .image = message->image, .core = least_loaded_core(device)};
	result = send_load(device, message);
	loading->is_busy = false;
	port_call_all(device, &device->port.room_waiters);
	return result;
}

bool image_receive_loaded(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct loading *loading = &device->loading;
	struct nmsg_loaded loaded;

	memcpy(&loaded, line->word, sizeof(loaded));
	if (!loading->is_busy || loading->is_answered || loading->core != core ||
		loading->image != loaded.image || loaded.status > 0 || loaded.status < -ERRNO_MAX)
		return false;
	loading->status = loaded.status;
	loading->is_answered = true;
	return true;
}

/* ---- code ------------------------------------------------------------------------------------ */

static const char *isa_name(enum nimg_isa isa)
{
	static const char *const names[NIMG_ISA_COUNT] = {"x86-64", "x86-64-v3", "riscv64"};

	return names[isa];
}

/* The best code that the device runs. */
static const void *choose_code(const struct nproc_image *image, uint64_t *nbytes)
{
	enum nimg_isa isa = image->device->host.identity.isa;
	const void *code = nhost_image_code(image->image, isa, nbytes);

	if (!code && isa == NIMG_X86_64_V3)
		code = nhost_image_code(image->image, NIMG_X86_64, nbytes);
	return code;
}

static int load_staged(struct nproc_image *image, const struct far_extent *stage)
{
	struct nproc_device *device = image->device;
	const struct nmsg_load message = {
		.offset = stage->base - device->far.base,
		.bytes = stage->asked,
		.image = image->id,
		.kernel_count = (uint16_t)nhost_image_kernel_count(image->image),
	};
	int result;

	port_enter(device);
	result = load(device, &message);
	port_leave(device);
	return result;
}

static int load_code(struct nproc_image *image)
{
	struct nproc_device *device = image->device;
	struct far_extent *stage;
	uint64_t nbytes;
	const void *code = choose_code(image, &nbytes);
	int result;

	if (!code)
		return device_fail(device, ENOEXEC,
			"the image has no code for %s: compile it again for that",
			isa_name(device->host.identity.isa));
	result = memory_alloc(device, nbytes, &stage);
	if (result)
		return result;
	window_copy(device, (void *)(uintptr_t)stage->base, code, nbytes);
	nchan_publish(device->host.caches, (void *)(uintptr_t)stage->base, nbytes);
	result = load_staged(image, stage);
	port_enter(device);
	far_free(&device->far, stage);
	port_leave(device);
	return result;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void image_free(struct nproc_image *image)
{
	LIST_REMOVE(image, all);
	nhost_image_free(image->image);
	free(image);
}

void image_put(struct nproc_image *image)
{
	if (!--image->references)
		image_free(image);
}

/* `name` is for messages. */
static struct nproc_image *image_read(struct nproc_device *device, const char *name,
	const void *bytes, size_t nbytes, int *result)
{
	struct nproc_image *image = calloc(1, sizeof(*image));
	struct nhost_error error;

	if (!image) {
		*result = device_fail(device, ENOMEM, "no memory for an image's record");
		return NULL;
	}
	*image = (struct nproc_image){.device = device, .references = 1};
	*result = nhost_image_read(bytes, nbytes, &image->image, &error);
	if (*result) {
		device_fail(device, -*result, "%s: %s", name, error.text);
		free(image);
		return NULL;
	}
	port_enter(device);
	LIST_INSERT_HEAD(&device->images, image, all);
	port_leave(device);
	return image;
}

/* Gets a number 0..IMAGES_MAX-1, which is given back when the image cannot be loaded. */
static int number_and_load(struct nproc_image *image)
{
	struct nproc_device *device = image->device;
	uint32_t id;
	int result;

	port_enter(device);
	id = ids_take(&device->image_ids);
	port_leave(device);
	if (!id)
		return device_fail(device, ENOMEM,
			"the device holds %d images, all it can: close one", IMAGES_MAX);
	image->id = (uint16_t)(id - 1);
	result = load_code(image);
	if (result) {
		port_enter(device);
		ids_put(&device->image_ids, id);
		port_leave(device);
	}
	return result;
}

static int open_named(struct nproc_device *device, const char *name, const void *bytes,
	size_t nbytes, struct nproc_image **image)
{
	int result;
	struct nproc_image *new = image_read(device, name, bytes, nbytes, &result);

	if (!new)
		return result;
	result = number_and_load(new);
	if (!result) {
		*image = new;
		return 0;
	}
	port_enter(device);
	image_put(new);
	port_leave(device);
	return result;
}

int nproc_image_open_memory(
	struct nproc_device *device, const void *bytes, size_t nbytes, struct nproc_image **image)
{
	if (!image)
		return device_fail_nowhere(device);
	*image = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	if (!bytes)
		return device_fail(device, EINVAL, "no image: its address is NULL");
	return open_named(device, "the image in memory", bytes, nbytes, image);
}

int nproc_image_open_embedded(struct nproc_device *device, const unsigned char *begin,
	const unsigned char *end, struct nproc_image **image)
{
	if (!image)
		return device_fail_nowhere(device);
	*image = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	if (!begin || !end || begin >= end)
		return device_fail(device, ENOENT,
			"this program holds no kernels: link it with nprocc, which puts them in");
	return open_named(device, "the image in this program", begin, (size_t)(end - begin), image);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int fail_file(struct nproc_device *device, const char *path)
{
	int number = errno;

	return device_fail(
		device, number, "%s: %s%s", path, strerrordesc_np(number), limit_of(number));
}

/* A negative errno, or what was read. */
static ssize_t read_whole(
	struct nproc_device *device, const char *path, int fd, char *bytes, size_t nbytes)
{
	size_t done = 0;

	while (done < nbytes) {
		ssize_t now = read(fd, bytes + done, nbytes - done);

		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return fail_file(device, path);
		if (!now)
			break;
		done += (size_t)now;
	}
	return (ssize_t)done;
}

static int open_fd(
	struct nproc_device *device, const char *path, int fd, struct nproc_image **image)
{
	struct stat status;
	ssize_t nbytes;
	char *bytes;
	int result;

	if (fstat(fd, &status))
		return fail_file(device, path);
	if (!S_ISREG(status.st_mode))
		return device_fail(device, ENOEXEC, "%s is not a file with a kernel image", path);
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes)
		return device_fail(device, ENOMEM, "%s: no memory for %jd bytes", path,
			(intmax_t)status.st_size);
	nbytes = read_whole(device, path, fd, bytes, (size_t)status.st_size);
	result = nbytes < 0 ? (int)nbytes : open_named(device, path, bytes, (size_t)nbytes, image);
	free(bytes);
	return result;
}

static int open_path(struct nproc_device *device, const char *path, struct nproc_image **image)
{
	int fd, result;

	/* Without waiting for the other end of a FIFO, which is refused below. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail_file(device, path);
	result = open_fd(device, path, fd, image);
	close(fd);
	return result;
}

int nproc_image_open(struct nproc_device *device, const char *path, struct nproc_image **image)
{
	int result, cancel;

	if (!image)
		return device_fail_nowhere(device);
	*image = NULL;
	if (!device_is_usable(device))
		return -EBADF;
	if (!path)
		return device_fail(device, EINVAL, "no image: its path is NULL");
	cancel = nhost_cancel_hold();
	result = open_path(device, path, image);
	nhost_cancel_release(cancel);
	return result;
}

/* ---- closing --------------------------------------------------------------------------------- */

int nproc_image_close(struct nproc_image *image)
{
	struct nproc_device *device = image ? image->device : NULL;
	int result = 0;

	if (!image)
		return 0;
	if (!device_is_usable(device))
		return -EBADF;
	port_enter(device);
	if (image->living) {
		result = device_fail(device, EBUSY,
			"%" PRIu32 " processes of the image are alive: wait for them or kill them",
			image->living);
	} else {
		/*
		 * The handle is gone, but a number that the device still holds is not used again.
		 */
		if (!load(device, &(struct nmsg_load){.image = image->id}))
			ids_put(&device->image_ids, image->id + 1u);
		image_put(image);
	}
	port_leave(device);
	return result;
}

void images_destroy(struct nproc_device *device)
{
	while (!LIST_EMPTY(&device->images))
		image_free(LIST_FIRST(&device->images));
}

const char *nproc_image_kernel(const struct nproc_image *image, unsigned index)
{
	if (!image || index >= nhost_image_kernel_count(image->image))
		return NULL;
	return nhost_image_string(image->image, nhost_image_kernel(image->image, index)->name);
}
