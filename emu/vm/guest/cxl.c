/*
 * cxl.c - from a CXL memory device to /dev/dax0.0, by sysfs alone: a region of volatile memory over
 * all of it, and its devdax.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emu/vm/guest/guest.h"

#define DEVICES "/sys/bus/cxl/devices"
#define DAX     "dax0.0"

enum {
	PATIENCE_S = 60,
	LOOK_AGAIN_NS = 5 * 1000 * 1000,
};

/* Drivers find devices in their own time. */
static void wait_until(bool (*is_there)(char *name, size_t nbytes), char *name, size_t nbytes)
{
	const struct timespec pause = {0, LOOK_AGAIN_NS};
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += PATIENCE_S;
	while (!is_there(name, nbytes)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end.tv_sec) {
			errno = ETIMEDOUT;
			guest_fail("no", name);
		}
		nanosleep(&pause, NULL);
	}
}

static bool is_file(const char *path)
{
	return access(path, F_OK) == 0;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)length) != length)
		guest_fail("cannot write", path);
	close(fd);
}

static void read_word(const char *path, char *word, size_t nbytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, word, nbytes - 1);

	if (got < 0)
		guest_fail("cannot read", path);
	word[got] = '\0';
	word[strcspn(word, "\n")] = '\0';
	close(fd);
}

static bool is_endpoint(const char *name)
{
	char path[512];

	snprintf(path, sizeof path, DEVICES "/%s/dpa_size", name);
	return !strncmp(name, "decoder", 7) && is_file(path);
}

/*
 * The first decoder of the memory device itself: those have device addresses, and are to be used in
 * order.
 */
static bool find_endpoint(char *name, size_t nbytes)
{
	DIR *folder = opendir(DEVICES);
	bool is_found = false;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		const char *other = entry->d_name;

		if (!is_endpoint(other) || strlen(other) >= nbytes ||
			(is_found && strcmp(name, other) < 0))
			continue;
		strcpy(name, other);
		is_found = true;
	}
	if (folder)
		closedir(folder);
	return is_found && is_file(DEVICES "/decoder0.0/create_ram_region");
}

static bool has_dax_device(char *name, size_t nbytes)
{
	(void)name;
	(void)nbytes;
	return is_file("/sys/bus/dax/devices/" DAX);
}

static bool has_dax_file(char *name, size_t nbytes)
{
	(void)name;
	(void)nbytes;
	return is_file("/dev/" DAX);
}

static void set(const char *device, const char *attribute, const char *value)
{
	char path[256];

	snprintf(path, sizeof path, DEVICES "/%s/%s", device, attribute);
	write_text(path, value);
}

static void make_region(const char *endpoint)
{
	char region[64], size[32];

	read_word(DEVICES "/mem0/ram/size", size, sizeof size);
	read_word(DEVICES "/decoder0.0/create_ram_region", region, sizeof region);
	write_text(DEVICES "/decoder0.0/create_ram_region", region);
	set(region, "interleave_granularity", "256");
	set(region, "interleave_ways", "1");
	set(endpoint, "mode", "ram");
	set(endpoint, "dpa_size", size);
	set(region, "size", size);
	set(region, "target0", endpoint);
	set(region, "commit", "1");
	write_text("/sys/bus/cxl/drivers/cxl_region/bind", region);
}

void guest_make_dax(void)
{
	char endpoint[64] = "CXL memory device";
	char device[] = "devdax of the CXL region";

	wait_until(find_endpoint, endpoint, sizeof endpoint);
	guest_progress("the CXL device is there");
	make_region(endpoint);
	guest_progress("the CXL region is committed");
	wait_until(has_dax_device, device, sizeof device);
	write_text("/sys/bus/dax/drivers/device_dax/new_id", DAX);
	wait_until(has_dax_file, device, sizeof device);
	guest_progress("/dev/" DAX " is there");
}
