/*
 * tree.c - the files of a DSA, in a mount namespace of this program alone:
 *
 *     /sys/module/idxd                    the driver is loaded
 *     /sys/bus/dsa/model/dsa0/...         a device; wq0.0, group0.0, engine0.0 in it
 *     /sys/bus/dsa/devices/{dsa0,wq0.0}   links there
 *     /sys/bus/dsa/drivers/{idxd,user}    who is bound to what
 *     /dev/dsa/wq0.0                      a portal
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/dsa/model.h"

enum {
	GEN_CAP_OVERLAP = 1 << 1,
	GEN_CAP_CACHE_CONTROL = 1 << 2,
};

const char *const ndsa_show_names[NDSA_SHOWS] = {
	[NDSA_USABLE] = "usable",
	[NDSA_NO_MODULE] = "no-module",
	[NDSA_NO_DEVICE] = "no-device",
	[NDSA_DEVICE_OFF] = "device-off",
	[NDSA_HALTED] = "halted",
	[NDSA_NO_SVM] = "no-svm",
	[NDSA_NO_QUEUE] = "no-queue",
	[NDSA_QUEUE_OFF] = "queue-off",
	[NDSA_KERNEL_QUEUE] = "kernel-queue",
	[NDSA_NO_NODE] = "no-node",
	[NDSA_SHARED_REFUSED] = "shared-refused",
};

/* ---- writing files; the first failure is kept ------------------------------------------------ */

struct writer {
	struct nhost_error *error;
	int result;
	char folder[128];
};

static void failed(struct writer *writer, const char *what, const char *path)
{
	if (!writer->result)
		writer->result =
			nhost_fail(writer->error, errno, "%s %s: %s", what, path, strerror(errno));
}

static void make_folder(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What is put() goes into it. */
static void make_folder(struct writer *writer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(writer->folder, sizeof writer->folder, format, args);
	va_end(args);
	if (mkdir(writer->folder, 0755) && errno != EEXIST)
		failed(writer, "folder", writer->folder);
}

static void put(struct writer *writer, const char *name, const char *format, ...)
{
	char path[256];
	va_list args;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", writer->folder, name);
	file = fopen(path, "we");
	if (!file) {
		failed(writer, "file", path);
		return;
	}
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fputc('\n', file);
	if (fclose(file))
		failed(writer, "file", path);
}

static void make_link(struct writer *writer, const char *target, const char *path)
{
	if (symlink(target, path) && errno != EEXIST)
		failed(writer, "link", path);
}

static void make_empty(struct writer *writer, const char *path, off_t nbytes, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode);

	if (fd < 0 || ftruncate(fd, nbytes) || fchmod(fd, mode))
		failed(writer, "file", path);
	if (fd >= 0)
		close(fd);
}

/* ---- the namespace --------------------------------------------------------------------------- */

static int refuse_namespace(struct nhost_error *error)
{
	int number = errno;

	return nhost_fail(error, number,
		"no namespace can be had (%s): run it as root; or allow user namespaces (sysctl -w "
		"kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0); "
		"a container needs --cap-add SYS_ADMIN --cap-add SYS_PTRACE and a seccomp profile that "
		"lets mount() pass",
		strerror(number));
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* Without root the namespace comes with one of users, in which everybody stays who he is. */
static int enter_namespace(struct nhost_error *error)
{
	unsigned user = geteuid(), group = getegid();
	char map[64];

	if (!unshare(CLONE_NEWNS))
		return 0;
	if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return refuse_namespace(error);
	snprintf(map, sizeof map, "%u %u 1", user, user);
	if (!write_text("/proc/self/uid_map", map))
		return refuse_namespace(error);
	snprintf(map, sizeof map, "%u %u 1", group, group);
	write_text("/proc/self/setgroups", "deny");
	return write_text("/proc/self/gid_map", map) ? 0 : refuse_namespace(error);
}

static int cover(const char *path, struct nhost_error *error)
{
	return mount("nearside-dsa-model", path, "tmpfs", MS_NOSUID, "mode=0755")
		       ? refuse_namespace(error)
		       : 0;
}

/*
 * /dev/dsa needs a place to be mounted at. Nothing may be made in the true /dev, which others see:
 * where it lacks that folder, a /dev of links to everything in the true one stands in.
 */
static int stand_in_for_dev(struct writer *writer)
{
	DIR *true_dev;
	struct dirent *entry;
	char path[320], target[320];

	make_folder(writer, "/sys/bus/true-dev");
	if (mount("/dev", "/sys/bus/true-dev", NULL, MS_BIND | MS_REC, NULL))
		return refuse_namespace(writer->error);
	if (cover("/dev", writer->error))
		return -EPERM;
	true_dev = opendir("/sys/bus/true-dev");
	while (true_dev && (entry = readdir(true_dev))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/dev/%s", entry->d_name);
		snprintf(target, sizeof target, "/sys/bus/true-dev/%s", entry->d_name);
		make_link(writer, target, path);
	}
	if (true_dev)
		closedir(true_dev);
	make_folder(writer, "/dev/dsa");
	return writer->result;
}

static int cover_folders(struct writer *writer)
{
	struct stat dsa;
	int result = enter_namespace(writer->error);

	if (!result && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		result = refuse_namespace(writer->error);
	if (!result)
		result = cover("/sys/module", writer->error);
	if (!result)
		result = cover("/sys/bus", writer->error);
	if (result)
		return result;
	return stat("/dev/dsa", &dsa) ? stand_in_for_dev(writer) : cover("/dev/dsa", writer->error);
}

/* ---- device, queues, groups, engines --------------------------------------------------------- */

/* The library stores a 1 there to clear it. The driver says 0 then; here the 1 stays. */
static void put_command_status(struct writer *writer, unsigned device, unsigned status)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/bus/dsa/model/dsa%u/cmd_status", device);
	if (!status) {
		make_link(writer, "/dev/null", path);
		return;
	}
	put(writer, "cmd_status", "0x%x", status);
}

static void put_device(struct writer *writer, const struct ndsa_model *model, unsigned device)
{
	const struct ndsa_options *o = &model->options;
	const char *state = o->show == NDSA_DEVICE_OFF ? "disabled"
			    : o->show == NDSA_HALTED   ? "halted"
						       : "enabled";
	char path[64], target[64];

	make_folder(writer, "/sys/bus/dsa/model/dsa%u", device);
	put(writer, "max_groups", "4");
	put(writer, "max_work_queues", "%d", NDSA_QUEUES_MAX);
	put(writer, "max_engines", "4");
	put(writer, "max_work_queues_size", "%d", NDSA_QUEUES_MAX * NDSA_SLOTS);
	put(writer, "numa_node", "%d", o->node + (int)(o->devices - 1 - device));
	put(writer, "ims_size", "0");
	put(writer, "max_batch_size", "%u", o->max_batch);
	put(writer, "max_transfer_size", "%llu", o->max_transfer);
	put(writer, "gen_cap", "0x%x",
		(o->has_overlap ? GEN_CAP_OVERLAP : 0u) |
			(o->has_cache_control ? GEN_CAP_CACHE_CONTROL : 0u));
	put(writer, "configurable", "0");
	put(writer, "pasid_enabled", "%d", o->show != NDSA_NO_SVM);
	put(writer, "max_read_buffers", "96");
	put(writer, "max_tokens", "96");
	put(writer, "read_buffer_limit", "0");
	put(writer, "token_limit", "0");
	put(writer, "cdev_major", "240");
	put(writer, "version", "0x%x", o->version);
	put(writer, "op_cap", "0x303fe 0 0 0");
	put(writer, "errors", "0 0 0 0");
	put(writer, "clients", "0");
	put(writer, "state", "%s", state);
	put_command_status(
		writer, device, o->show == NDSA_SHARED_REFUSED ? IDXD_SCMD_WQ_NO_SWQ_SUPPORT : 0);
	snprintf(path, sizeof path, "/sys/bus/dsa/devices/dsa%u", device);
	snprintf(target, sizeof target, "../model/dsa%u", device);
	make_link(writer, target, path);
	snprintf(path, sizeof path, "/sys/bus/dsa/drivers/idxd/dsa%u", device);
	snprintf(target, sizeof target, "../../model/dsa%u", device);
	make_link(writer, target, path);
}

static bool is_queue_on(enum ndsa_show show, const struct ndsa_queue *queue)
{
	return show != NDSA_QUEUE_OFF && show != NDSA_DEVICE_OFF &&
	       !(show == NDSA_SHARED_REFUSED && queue->is_shared);
}

static void put_queue(struct writer *writer, const struct ndsa_model *model, unsigned number)
{
	const struct ndsa_options *o = &model->options;
	const struct ndsa_queue *queue = &model->queues[number];
	bool is_on = is_queue_on(o->show, queue);
	char path[128], target[64];

	make_folder(writer, "/sys/bus/dsa/model/dsa%u/%s", queue->device, queue->name);
	put(writer, "group_id", "0");
	put(writer, "size", "%u", o->size);
	put(writer, "priority", "10");
	put(writer, "block_on_fault", "0");
	put(writer, "mode", "%s", queue->is_shared ? "shared" : "dedicated");
	put(writer, "state", "%s", is_on ? "enabled" : "disabled");
	put(writer, "cdev_minor", "%u", number);
	put(writer, "type", "%s", o->show == NDSA_KERNEL_QUEUE ? "kernel" : "user");
	put(writer, "name", "model");
	put(writer, "driver_name", "%s", o->show == NDSA_QUEUE_OFF ? "" : "user");
	put(writer, "threshold", "%u", queue->is_shared ? o->size / 2 : 0);
	put(writer, "max_batch_size", "%u", o->max_batch);
	put(writer, "max_transfer_size", "%llu", o->max_transfer);
	put(writer, "ats_disable", "0");
	put(writer, "occupancy", "0");
	put(writer, "clients", "0");
	snprintf(path, sizeof path, "/sys/bus/dsa/devices/%s", queue->name);
	snprintf(target, sizeof target, "../model/dsa%u/%s", queue->device, queue->name);
	make_link(writer, target, path);
	if (!is_on)
		return;
	snprintf(path, sizeof path, "/sys/bus/dsa/drivers/user/%s", queue->name);
	snprintf(target, sizeof target, "../../model/dsa%u/%s", queue->device, queue->name);
	make_link(writer, target, path);
}

static void link_part(struct writer *writer, unsigned device, const char *part)
{
	char path[64], target[64];

	snprintf(path, sizeof path, "/sys/bus/dsa/devices/%s%u.0", part, device);
	snprintf(target, sizeof target, "../model/dsa%u/%s%u.0", device, part, device);
	make_link(writer, target, path);
}

static void put_group(struct writer *writer, const struct ndsa_model *model, unsigned device)
{
	char queues[256] = "";

	for (unsigned i = 0; i < model->queue_count; i++)
		if (model->queues[i].device == device)
			snprintf(queues + strlen(queues), sizeof queues - strlen(queues), "%s%s",
				*queues ? " " : "", model->queues[i].name);
	make_folder(writer, "/sys/bus/dsa/model/dsa%u/engine%u.0", device, device);
	put(writer, "group_id", "0");
	make_folder(writer, "/sys/bus/dsa/model/dsa%u/group%u.0", device, device);
	put(writer, "engines", "engine%u.0", device);
	put(writer, "work_queues", "%s", queues);
	put(writer, "read_buffers_reserved", "0");
	put(writer, "tokens_reserved", "0");
	put(writer, "read_buffers_allowed", "96");
	put(writer, "tokens_allowed", "96");
	put(writer, "use_read_buffer_limit", "0");
	put(writer, "use_token_limit", "0");
	put(writer, "traffic_class_a", "1");
	put(writer, "traffic_class_b", "1");
	link_part(writer, device, "engine");
	link_part(writer, device, "group");
}

static void put_drivers(struct writer *writer)
{
	static const char *const drivers[] = {"idxd", "user", "dmaengine"};

	make_folder(writer, "/sys/bus/dsa/drivers");
	for (unsigned i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
		make_folder(writer, "/sys/bus/dsa/drivers/%s", drivers[i]);
		put(writer, "bind", "%s", "");
		put(writer, "unbind", "%s", "");
	}
}

static void put_portals(struct writer *writer, const struct ndsa_model *model)
{
	char path[64];

	make_empty(writer, "/dev/dsa/.model", NDSA_PORTAL_NBYTES, 0666);
	for (unsigned i = 0; i < model->queue_count; i++) {
		snprintf(path, sizeof path, "/dev/dsa/%s", model->queues[i].name);
		if (model->options.is_mapped)
			make_empty(writer, path, NDSA_PORTAL_NBYTES, 0666);
		else if (mkfifo(path, 0666) || chmod(path, 0666))
			failed(writer, "pipe", path);
	}
}

static void name_queues(struct ndsa_model *model)
{
	const unsigned each = model->options.dedicated + model->options.shared;

	model->queue_count = model->options.devices * each;
	for (unsigned i = 0; i < model->queue_count; i++) {
		struct ndsa_queue *queue = &model->queues[i];

		queue->device = i / each;
		queue->is_shared = i % each >= model->options.dedicated;
		snprintf(queue->name, sizeof queue->name, "wq%u.%u", queue->device, i % each);
	}
}

/* What the control page says stays in the environment of the child. */
int ndsa_tree_create(struct ndsa_model *model, struct nhost_error *error)
{
	struct writer writer = {.error = error};
	enum ndsa_show show = model->options.show;
	int result = cover_folders(&writer);

	if (result)
		return result;
	name_queues(model);
	if (show != NDSA_NO_MODULE) {
		make_folder(&writer, "/sys/module/idxd");
		make_folder(&writer, "/sys/bus/dsa");
		make_folder(&writer, "/sys/bus/dsa/devices");
		make_folder(&writer, "/sys/bus/dsa/model");
		put_drivers(&writer);
	}
	if (show != NDSA_NO_MODULE && show != NDSA_NO_DEVICE) {
		for (unsigned i = 0; i < model->options.devices; i++)
			put_device(&writer, model, i);
		for (unsigned i = 0; i < model->queue_count && show != NDSA_NO_QUEUE; i++)
			put_queue(&writer, model, i);
		for (unsigned i = 0; i < model->options.devices; i++)
			put_group(&writer, model, i);
	}
	if (show == NDSA_NO_NODE || show == NDSA_NO_QUEUE || show == NDSA_NO_MODULE ||
		show == NDSA_NO_DEVICE)
		model->queue_count = 0;
	put_portals(&writer, model);
	return writer.result;
}

/* ---- its end --------------------------------------------------------------------------------- */

/* At once: a reader sees the old word or the new one. */
static void replace(const char *folder, const char *word)
{
	struct nhost_error error;
	struct writer writer = {.error = &error};
	char path[160], before[160];

	snprintf(writer.folder, sizeof writer.folder, "%s", folder);
	put(&writer, "state.new", "%s", word);
	snprintf(before, sizeof before, "%s/state.new", folder);
	snprintf(path, sizeof path, "%s/state", folder);
	rename(before, path);
}

void ndsa_tree_halt(const struct ndsa_model *model)
{
	char path[64];

	for (unsigned i = 0; i < model->options.devices; i++) {
		snprintf(path, sizeof path, "/sys/bus/dsa/model/dsa%u", i);
		replace(path, "halted");
	}
}

void ndsa_tree_vanish(const struct ndsa_model *model)
{
	char path[64];

	for (unsigned i = 0; i < model->queue_count; i++) {
		snprintf(path, sizeof path, "/sys/bus/dsa/devices/%s", model->queues[i].name);
		unlink(path);
		snprintf(path, sizeof path, "/dev/dsa/%s", model->queues[i].name);
		unlink(path);
	}
	for (unsigned i = 0; i < model->options.devices; i++) {
		snprintf(path, sizeof path, "/sys/bus/dsa/devices/dsa%u", i);
		unlink(path);
	}
}
