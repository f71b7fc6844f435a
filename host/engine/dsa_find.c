/*
 * dsa_find.c - which queues there are, and of each one that cannot be used why not and what to
 * type: library, hardware, module, device, queue and node are told apart.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/cancel.h"
#include "host/engine/dsa.h"
#include "host/engine/dsa_library.h"

enum {
	GEN_CAP_OVERLAP = 1 << 1, /* bits of the device's general capabilities */
	GEN_CAP_CACHE_CONTROL = 1 << 2,
	NODE_UNKNOWN_DISTANCE = 255,
};

void dsa_finding_set(struct dsa_finding *finding, enum dsa_state state, const char *remedy,
	const char *format, ...)
{
	va_list args;

	finding->state = state;
	va_start(args, format);
	vsnprintf(finding->text, sizeof finding->text, format, args);
	va_end(args);
	snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Its first line; false: it cannot be read. */
static bool read_line(char *line, int nbytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool read_line(char *line, int nbytes, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *file;
	bool is_read;

	va_start(args, format);
	vsnprintf(path, sizeof path, format, args);
	va_end(args);
	file = fopen(path, "re");
	is_read = file && fgets(line, nbytes, file);
	if (file)
		fclose(file);
	if (is_read)
		line[strcspn(line, "\n")] = '\0';
	return is_read;
}

/* Intel's numbers of a DSA: 0x0b25 in Sapphire Rapids and its followers, 0x11fb, 0x1212 later. */
static bool is_dsa_function(const char *name)
{
	char vendor[16], device[16];

	return read_line(vendor, sizeof vendor, "/sys/bus/pci/devices/%s/vendor", name) &&
	       read_line(device, sizeof device, "/sys/bus/pci/devices/%s/device", name) &&
	       !strcmp(vendor, "0x8086") &&
	       (!strcmp(device, "0x0b25") || !strcmp(device, "0x11fb") ||
		       !strcmp(device, "0x1212"));
}

static bool has_hardware(void)
{
	DIR *devices = opendir("/sys/bus/pci/devices");
	struct dirent *entry;
	bool is_found = false;

	while (devices && !is_found && (entry = readdir(devices)))
		is_found = is_dsa_function(entry->d_name);
	if (devices)
		closedir(devices);
	return is_found;
}

/* The distance of a node from where this thread runs, as the system states it. */
static int distance_of(int node)
{
	unsigned cpu, here;
	char line[1024], *at = line;
	int distance = NODE_UNKNOWN_DISTANCE;

	if (node < 0 || getcpu(&cpu, &here) ||
		!read_line(line, sizeof line, "/sys/devices/system/node/node%u/distance", here))
		return NODE_UNKNOWN_DISTANCE;
	for (int i = 0; i <= node; i++) {
		char *end;

		distance = (int)strtol(at, &end, 10);
		if (end == at)
			return NODE_UNKNOWN_DISTANCE;
		at = end;
	}
	return distance;
}

/* ---- one queue ------------------------------------------------------------------------------- */

static void judge_disabled(
	const struct dsa_library *library, struct accfg_wq *wq, struct dsa_facts *facts)
{
	const char *driver = library->accfg_wq_get_driver_name(wq);
	const bool stays_shared = facts->is_shared && facts->status != IDXD_SCMD_WQ_NO_SWQ_SUPPORT;
	char remedy[512], said[128] = "";

	/* A threshold belongs to shared queues only; the driver refuses it on others. */
	snprintf(remedy, sizeof remedy,
		"sudo accel-config config-wq --group-id=0 --wq-size=16 --priority=10 --type=user "
		"--name=nearside --driver-name=user --mode=%s %s/%s; "
		"sudo accel-config enable-device %s; sudo accel-config enable-wq %s/%s",
		stays_shared ? "shared --threshold=8" : "dedicated", facts->device, facts->name,
		facts->device, facts->device, facts->name);
	if (facts->status)
		snprintf(said, sizeof said,
			"; of the device's last command the driver says: %s (0x%x)",
			dsa_status_words(facts->status), facts->status);
	dsa_finding_set(&facts->finding, DSA_QUEUE_OFF, remedy, "the queue is disabled%s%s",
		driver && *driver ? "" : ", and it names no driver", said);
}

static void judge_device(
	const struct dsa_library *library, struct accfg_device *device, struct dsa_finding *finding)
{
	const char *name = library->accfg_device_get_devname(device);
	char remedy[256], state[64] = "", enabled[16] = "1";

	read_line(state, sizeof state, "/sys/bus/dsa/devices/%s/state", name);
	read_line(enabled, sizeof enabled, "/sys/bus/dsa/devices/%s/pasid_enabled", name);
	snprintf(remedy, sizeof remedy, "sudo accel-config %s-device %s",
		strcmp(state, "halted") ? "enable" : "disable", name);
	if (!strcmp(state, "halted"))
		dsa_finding_set(finding, DSA_DEVICE_HALTED, remedy,
			"the device has halted; it must be reset ('dmesg | grep idxd' says why)");
	else if (library->accfg_device_get_state(device) != ACCFG_DEVICE_ENABLED)
		dsa_finding_set(finding, DSA_DEVICE_OFF, remedy, "the device is %s",
			*state ? state : "in an unknown state");
	else if (*enabled == '0')
		dsa_finding_set(finding, DSA_NO_SHARED_MEMORY,
			"boot with intel_iommu=on,sm_on (and no5lvl where the driver asks for it)",
			"the device cannot use addresses of programs: shared virtual memory is off");
	else
		dsa_finding_set(finding, DSA_USABLE, "", "usable");
}

static void judge_queue(const struct dsa_library *library, struct accfg_device *device,
	struct accfg_wq *wq, struct dsa_facts *facts)
{
	char remedy[256];

	judge_device(library, device, &facts->finding);
	if (facts->finding.state != DSA_USABLE)
		return;
	if (library->accfg_wq_get_state(wq) != ACCFG_WQ_ENABLED) {
		judge_disabled(library, wq, facts);
	} else if (library->accfg_wq_get_type(wq) != ACCFG_WQT_USER) {
		snprintf(remedy, sizeof remedy,
			"sudo accel-config disable-wq %s/%s, then configure it with --type=user",
			facts->device, facts->name);
		dsa_finding_set(&facts->finding, DSA_QUEUE_OF_KERNEL, remedy,
			"the queue is not for programs: its type is not user");
	} else if (library->accfg_wq_get_user_dev_path(wq, facts->path, sizeof facts->path)) {
		snprintf(remedy, sizeof remedy,
			"in a container: start it with --device /dev/dsa/%s; else: ls -l /dev/dsa",
			facts->name);
		dsa_finding_set(
			&facts->finding, DSA_NO_NODE, remedy, "/dev/dsa has no %s", facts->name);
	} else if (access(facts->path, R_OK | W_OK)) {
		snprintf(remedy, sizeof remedy, "sudo chmod a+rw %s", facts->path);
		dsa_finding_set(&facts->finding, DSA_NO_PERMISSION, remedy,
			"this user may not open %s for reading and writing", facts->path);
	}
}

static bool has_mode(const char *name)
{
	char line[32];

	/* libaccel-config compares what it read, and does not ask whether it could. */
	return read_line(line, sizeof line, "/sys/bus/dsa/devices/%s/mode", name);
}

static void add_queue(const struct dsa_library *library, struct accfg_device *device,
	struct accfg_wq *wq, unsigned status, struct dsa_found *found)
{
	struct dsa_facts *facts = &found->queues[found->count];
	uint64_t capabilities = library->accfg_device_get_gen_cap(device);

	*facts = (struct dsa_facts){
		.status = status,
		.numa_node = library->accfg_device_get_numa_node(device),
		.can_overlap = capabilities != UINT64_MAX && capabilities & GEN_CAP_OVERLAP,
		.has_cache_control =
			capabilities != UINT64_MAX && capabilities & GEN_CAP_CACHE_CONTROL,
		.version = library->accfg_device_get_version(device),
		.size = (unsigned)library->accfg_wq_get_size(wq),
		.max_batch = library->accfg_wq_get_max_batch_size(wq),
		.max_transfer = library->accfg_wq_get_max_transfer_size(wq),
	};
	snprintf(facts->device, sizeof facts->device, "%s",
		library->accfg_device_get_devname(device));
	snprintf(facts->name, sizeof facts->name, "%s", library->accfg_wq_get_devname(wq));
	facts->is_shared =
		has_mode(facts->name) && library->accfg_wq_get_mode(wq) == ACCFG_WQ_SHARED;
	facts->distance = distance_of(facts->numa_node);
	judge_queue(library, device, wq, facts);
	found->count++;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void no_log(struct accfg_ctx *context, int priority, const char *file, int line,
	const char *function, const char *format, va_list args)
{
	(void)context;
	(void)priority;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
}

static void add_devices(const struct dsa_library *library, struct dsa_found *found)
{
	struct dsa_statuses statuses;
	struct accfg_ctx *context;
	struct accfg_device *device;
	unsigned status;

	dsa_statuses_read(&statuses);
	if (library->accfg_new(&context))
		return;
	library->accfg_set_log_fn(context, no_log);
	for (device = library->accfg_device_get_first(context); device;
		device = library->accfg_device_get_next(device)) {
		struct accfg_wq *wq;

		if (library->accfg_device_get_type(device) != ACCFG_DEVICE_DSA)
			continue;
		found->devices++;
		judge_device(library, device, &found->finding);
		status = dsa_status_of(&statuses, library->accfg_device_get_devname(device));
		for (wq = library->accfg_wq_get_first(device); wq && found->count < DSA_QUEUES_MAX;
			wq = library->accfg_wq_get_next(wq))
			add_queue(library, device, wq, status, found);
	}
	library->accfg_unref(context);
}

/* The nearest first; of those dedicated ones, which cost a program less. */
static int compare_queues(const void *a, const void *b)
{
	const struct dsa_facts *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->is_shared != y->is_shared)
		return x->is_shared ? 1 : -1;
	return strverscmp(x->name, y->name);
}

static void judge_none(struct dsa_found *found)
{
	if (access("/sys/module/idxd", F_OK) && !has_hardware())
		dsa_finding_set(&found->finding, DSA_NO_HARDWARE, "",
			"this machine has no DSA (no PCI function 8086:0b25), or hides it from here");
	else if (access("/sys/module/idxd", F_OK))
		dsa_finding_set(&found->finding, DSA_NO_MODULE, "sudo modprobe idxd",
			"there is a DSA, but the kernel's module idxd is not loaded");
	else
		dsa_finding_set(&found->finding, DSA_NO_DEVICE,
			"dmesg | grep -e idxd -e DMAR; in a container: /sys/bus/dsa must be visible",
			"the kernel's module idxd is loaded, but /sys/bus/dsa/devices shows no DSA");
}

static void judge_all(struct dsa_found *found)
{
	unsigned usable = 0;

	for (unsigned i = 0; i < found->count; i++)
		usable += found->queues[i].finding.state == DSA_USABLE;
	if (!found->devices)
		judge_none(found);
	else if (usable)
		dsa_finding_set(&found->finding, DSA_USABLE, "", "%u of %u queues can be used",
			usable, found->count);
	else if (found->count)
		dsa_finding_set(&found->finding, found->queues[0].finding.state,
			found->queues[0].finding.remedy, "0 of %u queues can be used",
			found->count);
	else if (found->finding.state == DSA_USABLE)
		dsa_finding_set(&found->finding, DSA_NO_QUEUE, "accel-config list -i",
			"a DSA is enabled, but it shows no queues at all");
}

static void note_versions(struct dsa_found *found, const char *library)
{
	struct utsname system;

	snprintf(found->versions, sizeof found->versions, "Linux %.64s, libaccel-config: %.64s",
		uname(&system) ? "of an unknown version" : system.release, library);
}

void dsa_find(struct dsa_found *found)
{
	struct dsa_library library;
	const char *missing;
	char name[64];

	memset(found, 0, sizeof *found);
	note_versions(found, "none was looked for");
	if (access("/sys/bus/dsa/devices", F_OK)) {
		judge_none(found);
		return;
	}
	missing = dsa_library_load(&library);
	if (missing) {
		dsa_finding_set(&found->finding, DSA_NO_LIBRARY,
			"sudo apt install libaccel-config1",
			"%s is missing or cannot be loaded; it knows how to find a DSA", missing);
		return;
	}
	dsa_library_name(&library, name, sizeof name);
	note_versions(found, name);
	add_devices(&library, found);
	qsort(found->queues, found->count, sizeof found->queues[0], compare_queues);
	judge_all(found);
}

static bool is_alive(const struct dsa_facts *facts, struct dsa_finding *finding)
{
	char state[64];

	if (!read_line(state, sizeof state, "/sys/bus/dsa/devices/%s/state", facts->device))
		dsa_finding_set(finding, DSA_ABANDONED, "dmesg | grep idxd",
			"the device %s has gone", facts->device);
	else if (strcmp(state, "enabled") != 0)
		dsa_finding_set(finding, DSA_ABANDONED, "dmesg | grep idxd",
			"the device %s is %s now", facts->device, state);
	else if (!read_line(state, sizeof state, "/sys/bus/dsa/devices/%s/state", facts->name))
		dsa_finding_set(finding, DSA_ABANDONED, "dmesg | grep idxd",
			"the queue %s has gone", facts->name);
	else if (strcmp(state, "enabled") != 0)
		dsa_finding_set(finding, DSA_ABANDONED, "dmesg | grep idxd",
			"the queue %s is %s now", facts->name, state);
	else
		return true;
	return false;
}

bool dsa_queue_is_alive(const struct dsa_facts *facts, struct dsa_finding *finding)
{
	int cancel = nhost_cancel_hold();
	bool result = is_alive(facts, finding);

	nhost_cancel_release(cancel);
	return result;
}
