/* kernel.c - the release, and what it was built with. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <zlib.h>

#include "emu/doctor/doctor.h"

static const struct {
	const char *name;
	const char *use;
} options[] = {
	{"CONFIG_NUMA", "devices numa:N"},
	{"CONFIG_MEMBARRIER", "waits that cost senders nothing"},
	{"CONFIG_CXL_PCI", "CXL memory"},
	{"CONFIG_CXL_REGION", "regions of CXL memory"},
	{"CONFIG_DEV_DAX", "devices dax:PATH"},
	{"CONFIG_DEV_DAX_CXL", "DAX on CXL memory"},
	{"CONFIG_INTEL_IDXD", "DSA"},
	{"CONFIG_INTEL_IDXD_SVM", "DSA for programs"},
};

enum {
	OPTIONS = sizeof options / sizeof options[0],
	ALL = OPTIONS + 1, /* and the one of guests */
};

/* What only machines need that cannot flush their processors' caches. */
static const char of_guests[] = "CONFIG_CXL_REGION_INVALIDATION_TEST";

/* y or m of "NAME=y"; else n. */
static void note_option(const char *line, char *values)
{
	for (unsigned i = 0; i < ALL; i++) {
		const char *name = i < OPTIONS ? options[i].name : of_guests;
		size_t length = strlen(name);

		if (!strncmp(line, name, length) && line[length] == '=')
			values[i] = line[length + 1];
	}
}

/* Compressed or not. */
static bool read_options(const struct doctor *doctor, const char *release, char *values)
{
	char path[PATH_MAX], line[512];
	gzFile file;

	snprintf(path, sizeof path, "%.1024s/boot/config-%.128s", doctor->root, release);
	file = gzopen(path, "re");
	if (!file) {
		snprintf(path, sizeof path, "%.1024s/proc/config.gz", doctor->root);
		file = gzopen(path, "re");
	}
	while (file && gzgets(file, line, sizeof line))
		note_option(line, values);
	if (file)
		gzclose(file);
	return file;
}

static bool is_a_guest(const struct doctor *doctor)
{
	static char flags[16384];

	return doctor_field(doctor, "/proc/cpuinfo", "flags", flags, sizeof flags) &&
	       strstr(flags, " hypervisor");
}

static void judge_options(struct doctor *doctor, const char *values)
{
	for (unsigned i = 0; i < OPTIONS; i++) {
		bool is_on = values[i] == 'y' || values[i] == 'm';

		doctor_add(doctor, is_on ? DOCTOR_GOOD : DOCTOR_NOTE,
			is_on ? "" : "use a kernel that has it, such as Debian's", "%s%s: for %s",
			options[i].name,
			values[i] == 'y' ? "=y"
			: is_on          ? "=m"
					 : " is off",
			options[i].use);
	}
	if (is_a_guest(doctor) && values[OPTIONS] != 'y' && doctor_exists(doctor, "/sys/bus/cxl"))
		doctor_add(doctor, DOCTOR_NOTE, "use a kernel that has it",
			"%s is off: in a virtual machine no region of CXL memory can be made",
			of_guests);
}

/* What is known to fail. */
static void judge_release(struct doctor *doctor, const char *release)
{
	int major = 0, minor = 0;

	sscanf(release, "%d.%d", &major, &minor);
	if (major == 6 && minor == 8)
		doctor_add(doctor, DOCTOR_MISSING, "use Linux 6.9 or newer",
			"Linux %s: CXL endpoints cannot be added in 6.8", release);
	else if (major < 5 || (major == 5 && minor < 11))
		doctor_add(doctor, DOCTOR_NOTE, "use Linux 6.1 or newer",
			"Linux %s: DSA for programs and CXL regions are not in it", release);
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "Linux %s", release);
}

void doctor_kernel(struct doctor *doctor)
{
	char release[128], values[ALL] = {0};
	struct utsname name;

	uname(&name);
	if (!doctor_line(doctor, release, sizeof release, "/proc/sys/kernel/osrelease"))
		snprintf(release, sizeof release, "%.127s", name.release);
	judge_release(doctor, release);
	if (read_options(doctor, release, values))
		judge_options(doctor, values);
	else
		doctor_add(doctor, DOCTOR_NOTE, "sudo modprobe configs",
			"neither /boot/config-%s nor /proc/config.gz says what it was built with",
			release);
}
