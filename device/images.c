#include "device/core_int.h"

const struct nk_code *image_kernel(
	const struct ndev_device *device, unsigned image, unsigned kernel)
{
	const struct nk_code *kernels;

	if (image >= NDEV_IMAGES_MAX)
		return NULL;
	kernels = __atomic_load_n(&device->images[image].kernels, __ATOMIC_ACQUIRE);
	return kernels && kernel < device->images[image].kernel_count ? &kernels[kernel] : NULL;
}

/* Leaves the processor's resources to the other thread of it, or to the guest beside. */
static void pause_core(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__riscv)
	__asm__ volatile(".word 0x0100000f"); /* pause; a fence of nothing to older cores */
#endif
}

bool image_find(const struct ndev_device *device, const struct nk_code *code, uint16_t *image,
	uint16_t *kernel)
{
	for (unsigned i = 0; i < NDEV_IMAGES_MAX; i++) {
		const struct nk_code *first = image_kernel(device, i, 0);
		uint64_t offset = (uintptr_t)code - (uintptr_t)first;

		if (!first || offset >= device->images[i].kernel_count * sizeof(*code))
			continue;
		*image = (uint16_t)i;
		*kernel = (uint16_t)(offset / sizeof(*code));
		return true;
	}
	return false;
}

bool images_try_lock(struct ndev_device *device)
{
	return !__atomic_exchange_n(&device->load_lock, 1, __ATOMIC_ACQUIRE);
}

static void lock(struct ndev_device *device)
{
	while (!images_try_lock(device))
		while (__atomic_load_n(&device->load_lock, __ATOMIC_RELAXED))
			pause_core();
}

void images_unlock(struct ndev_device *device)
{
	__atomic_store_n(&device->load_lock, 0, __ATOMIC_RELEASE);
}

static int load(struct ndev_device *device, const struct nmsg_load *message)
{
	const struct nreg_identity *identity = &device->identity;
	struct image *image = &device->images[message->image];
	const struct nk_code *kernels;
	const char *code;
	int error;

	if (image->kernels)
		return -NCHAN_EBUSY;
	if (message->offset >= identity->far_bytes ||
		message->bytes > identity->far_bytes - message->offset || !message->kernel_count)
		return -NCHAN_EINVAL;
	code = device->region + identity->far_offset + message->offset;
	nchan_refresh(device->platform.caches, code, message->bytes);
	error = device->platform.load(device->platform.context, code, message->bytes,
		message->kernel_count, &kernels, &image->handle);
	if (error)
		return error;
	image->kernel_count = message->kernel_count;
	__atomic_store_n(&image->kernels, kernels, __ATOMIC_RELEASE);
	return 0;
}

static int unload(struct ndev_device *device, unsigned index)
{
	struct image *image = &device->images[index];

	if (!image->kernels)
		return -NCHAN_EINVAL;
	__atomic_store_n(&image->kernels, NULL, __ATOMIC_RELEASE);
	device->platform.unload(device->platform.context, image->handle);
	return 0;
}

/* The answer is at most one line per load: the host waits for it before it sends another. */
bool receive_load(struct ndev_core *core, const struct nchan_line *line)
{
	struct nmsg_loaded answer = {0};
	struct nmsg_load message;

	nchan_copy(&message, line->word, sizeof(message));
	if (message.image >= NDEV_IMAGES_MAX)
		return false;
	lock(core->device);
	answer.image = message.image;
	answer.status =
		message.bytes ? load(core->device, &message) : unload(core->device, message.image);
	images_unlock(core->device);
	core->loaded = answer;
	core->owes_loaded = true;
	return true;
}

void loaded_flush(struct ndev_core *core)
{
	if (!core->owes_loaded || !nchan_place_room(&core->place, NCHAN_HOST))
		return;
	core->owes_loaded = false;
	nchan_place_send(&core->place, NCHAN_HOST,
		nchan_head(NCHAN_LOADED, sizeof(core->loaded), 0, 0), &core->loaded,
		sizeof(core->loaded));
}

void ndev_close(struct ndev_device *device)
{
	for (unsigned i = 0; i < NDEV_IMAGES_MAX; i++)
		if (device->images[i].kernels)
			unload(device, i);
}
