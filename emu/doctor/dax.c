/* dax.c - memory that a program maps as a file: its mode, its alignment, who may. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emu/doctor/doctor.h"

static bool is_driven_by(const struct doctor *doctor, const char *name, const char *driver)
{
	return doctor_exists(doctor, "/sys/bus/dax/drivers/%s/%s", driver, name);
}

static void judge_file(
	struct doctor *doctor, const char *name, const char *nbytes, const char *align)
{
	char path[PATH_MAX], remedy[320];

	snprintf(path, sizeof path, "%.1024s/dev/%.64s", doctor->root, name);
	snprintf(remedy, sizeof remedy, "sudo chmod a+rw /dev/%.64s", name);
	if (access(path, F_OK))
		doctor_add(doctor, DOCTOR_MISSING,
			"in a container: start it with --device; else: sudo udevadm trigger",
			"%s: %s bytes, but there is no /dev/%s", name, nbytes, name);
	else if (access(path, R_OK | W_OK))
		doctor_add(doctor, DOCTOR_MISSING, remedy,
			"%s: %s bytes, but this user may not read and write it", name, nbytes);
	else
		doctor_add(doctor, DOCTOR_GOOD, "",
			"%s: devdax, %s bytes, alignment %s; NEARSIDE_DEVICE=dax:/dev/%s", name,
			nbytes, align, name);
}

static void each_dax(struct doctor *doctor, const char *name)
{
	char nbytes[32], align[32], remedy[320];

	doctor_line(doctor, nbytes, sizeof nbytes, "/sys/bus/dax/devices/%s/size", name);
	doctor_line(doctor, align, sizeof align, "/sys/bus/dax/devices/%s/align", name);
	snprintf(remedy, sizeof remedy,
		"sudo daxctl reconfigure-device --mode=devdax --force %.64s", name);
	if (is_driven_by(doctor, name, "kmem"))
		doctor_add(doctor, DOCTOR_NOTE, remedy,
			"%s: %s bytes in mode system-ram: a NUMA node, not a file to map", name,
			nbytes);
	else if (is_driven_by(doctor, name, "device_dax"))
		judge_file(doctor, name, nbytes, align);
	else
		doctor_add(doctor, DOCTOR_MISSING, "sudo modprobe device_dax",
			"%s: %s bytes, and no driver has it", name, nbytes);
}

void doctor_dax(struct doctor *doctor)
{
	if (!doctor_each(doctor, "/sys/bus/dax/devices", "dax", each_dax))
		doctor_add(doctor, DOCTOR_NOTE, "", "no DAX devices");
}
