/*
 * dsa_status.c - what the driver said of the last command to each device. libaccel-config forgets
 * that when it lists devices, so it is read before.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine/dsa.h"

static const struct {
	unsigned status;
	const char *words;
} known[] = {
	{IDXD_SCMD_DEV_DMA_ERR, "the device cannot be made known to the kernel's DMA engine"},
	{IDXD_SCMD_WQ_NO_GRP, "the queue is in no group: --group-id"},
	{IDXD_SCMD_WQ_NO_NAME, "the queue has no name: --name"},
	{IDXD_SCMD_WQ_NO_SVM, "shared virtual memory is off"},
	{IDXD_SCMD_WQ_NO_THRESH, "the shared queue has no threshold: --threshold"},
	{IDXD_SCMD_WQ_PORTAL_ERR, "the queue's portal cannot be mapped"},
	{IDXD_SCMD_WQ_RES_ALLOC_ERR, "no memory for the queue"},
	{IDXD_SCMD_CDEV_ERR, "no file in /dev/dsa can be made for the queue"},
	{IDXD_SCMD_WQ_NO_SWQ_SUPPORT, "this platform supports no shared queues"},
	{IDXD_SCMD_WQ_NONE_CONFIGURED, "no queue is configured"},
	{IDXD_SCMD_WQ_NO_SIZE, "the queue has no size: --wq-size"},
	{IDXD_SCMD_WQ_NO_PRIV, "the queue may not be privileged"},
	{IDXD_SCMD_WQ_IRQ_ERR, "no interrupt for the queue"},
	{IDXD_SCMD_WQ_USER_NO_IOMMU, "queues for programs need the IOMMU: intel_iommu=on,sm_on"},
};

const char *dsa_status_words(unsigned status)
{
	size_t i = 0;

	while (i < sizeof known / sizeof known[0] && known[i].status != status)
		i++;
	return i < sizeof known / sizeof known[0] ? known[i].words : "linux/idxd.h names it";
}

static bool read_status(const char *device, unsigned *status)
{
	char path[128], line[32];
	FILE *file;
	bool is_read;

	snprintf(path, sizeof path, "/sys/bus/dsa/devices/%.16s/cmd_status", device);
	file = fopen(path, "re");
	is_read = file && fgets(line, sizeof line, file);
	if (file)
		fclose(file);
	if (is_read)
		*status = (unsigned)strtoul(line, NULL, 0);
	return is_read;
}

void dsa_statuses_read(struct dsa_statuses *statuses)
{
	DIR *devices = opendir("/sys/bus/dsa/devices");
	struct dirent *entry;

	statuses->count = 0;
	while (devices && statuses->count < DSA_DEVICES_MAX && (entry = readdir(devices))) {
		unsigned i = statuses->count;

		if (strncmp(entry->d_name, "dsa", 3) || strlen(entry->d_name) > 15 ||
			!read_status(entry->d_name, &statuses->of[i].status))
			continue;
		strcpy(statuses->of[i].device, entry->d_name);
		statuses->count++;
	}
	if (devices)
		closedir(devices);
}

unsigned dsa_status_of(const struct dsa_statuses *statuses, const char *device)
{
	for (unsigned i = 0; i < statuses->count; i++)
		if (!strcmp(statuses->of[i].device, device))
			return statuses->of[i].status;
	return 0;
}
