/* client.c - whose descriptors these are, and the memory of that process. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emu/dsa/model.h"

size_t ndsa_read(pid_t client, uint64_t address, void *to, size_t nbytes)
{
	const struct iovec local = {to, nbytes};
	const struct iovec remote = {(void *)(uintptr_t)address, nbytes};
	ssize_t count = process_vm_readv(client, &local, 1, &remote, 1, 0);

	return count < 0 ? 0 : (size_t)count;
}

size_t ndsa_write(pid_t client, uint64_t address, const void *from, size_t nbytes)
{
	const struct iovec local = {(void *)(uintptr_t)from, nbytes};
	const struct iovec remote = {(void *)(uintptr_t)address, nbytes};
	ssize_t count = process_vm_writev(client, &local, 1, &remote, 1, 0);

	return count < 0 ? 0 : (size_t)count;
}

/* ---- who ------------------------------------------------------------------------------------- */

static bool is_number(const char *name)
{
	return *name >= '0' && *name <= '9';
}

/* One of the descriptors in this folder is open on the queue's file. */
static bool has_open(const char *folder, const struct stat *file)
{
	DIR *descriptors = opendir(folder);
	struct dirent *entry;
	bool is_found = false;

	while (descriptors && !is_found && (entry = readdir(descriptors))) {
		char path[320];
		struct stat other;

		snprintf(path, sizeof path, "%.40s/%.255s", folder, entry->d_name);
		is_found = is_number(entry->d_name) && !stat(path, &other) &&
			   other.st_dev == file->st_dev && other.st_ino == file->st_ino;
	}
	if (descriptors)
		closedir(descriptors);
	return is_found;
}

/* A descriptor of it leads to a record that waits to be written. */
static bool fits(pid_t process, const struct dsa_hw_desc *descriptor)
{
	struct dsa_completion_record record;

	return ndsa_read(process, descriptor->completion_addr, &record, sizeof record) ==
		       sizeof record &&
	       !record.status;
}

static pid_t first_that_has_it_open(const struct stat *file, const struct dsa_hw_desc *descriptor)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (processes && !found && (entry = readdir(processes))) {
		char folder[32];
		pid_t process = is_number(entry->d_name) ? atoi(entry->d_name) : 0;

		snprintf(folder, sizeof folder, "/proc/%d/fd", process);
		if (process && process != getpid() && has_open(folder, file) &&
			fits(process, descriptor))
			found = process;
	}
	if (processes)
		closedir(processes);
	return found;
}

/* Of a dedicated queue: who has locked it. */
static pid_t owner_of(const struct stat *file)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	pid_t owner = 0;

	while (locks && !owner && fgets(line, sizeof line, locks)) {
		unsigned long long inode;
		unsigned high, low;
		int process;

		/* Inodes have the same numbers in the file systems of several models. */
		if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%llu", &process, &high, &low,
			    &inode) == 4 &&
			inode == file->st_ino && makedev(high, low) == file->st_dev)
			owner = process;
	}
	if (locks)
		fclose(locks);
	return owner;
}

/* True: somebody has opened or closed a portal since the last call. */
static bool has_changed(const struct ndsa_model *model)
{
	char events[4096];

	return read(model->watch, events, sizeof events) > 0;
}

pid_t ndsa_client_of(
	struct ndsa_model *model, struct ndsa_queue *queue, const struct dsa_hw_desc *descriptor)
{
	struct stat file;

	if (has_changed(model))
		for (unsigned i = 0; i < model->queue_count; i++)
			model->queues[i].client = 0;
	/* Who emulates ENQCMD says who it is, as the processor would. */
	if (descriptor->pasid)
		return (pid_t)descriptor->pasid;
	if (queue->client || fstat(queue->fd, &file))
		return queue->client;
	queue->client = queue->is_shared ? 0 : owner_of(&file);
	if (!queue->client)
		queue->client = first_that_has_it_open(&file, descriptor);
	return queue->client;
}
