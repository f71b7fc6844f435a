/* container.c - bare, in a virtual machine or in a container, and what that forbids. */
#include <string.h>

#include "emu/doctor/doctor.h"

static void judge_machine(struct doctor *doctor)
{
	static char flags[16384];
	char vendor[64] = "";

	doctor_line(doctor, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor");
	if (doctor_field(doctor, "/proc/cpuinfo", "flags", flags, sizeof flags) &&
		strstr(flags, " hypervisor"))
		doctor_add(doctor, DOCTOR_NOTE, "",
			"a virtual machine%s%s: figures are its host's affair, too; DSA and CXL must be "
			"passed to it",
			*vendor ? " of " : "", vendor);
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "no virtual machine%s%s", *vendor ? ": " : "",
			vendor);
}

static void judge_container(struct doctor *doctor)
{
	bool is_docker = doctor_exists(doctor, "/.dockerenv");
	bool is_podman = doctor_exists(doctor, "/run/.containerenv");

	if (is_docker || is_podman)
		doctor_add(doctor, DOCTOR_NOTE, "",
			"a container of %s: devices must be handed to it with --device, and nearside "
			"dsa-model needs --cap-add SYS_ADMIN --cap-add SYS_PTRACE",
			is_docker ? "Docker" : "Podman");
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "no container that leaves the usual marks");
}

static void judge_namespaces(struct doctor *doctor)
{
	char most[32] = "", clone[16] = "1", restricted[16] = "0";

	doctor_line(doctor, most, sizeof most, "/proc/sys/user/max_user_namespaces");
	if (!doctor_line(doctor, clone, sizeof clone, "/proc/sys/kernel/unprivileged_userns_clone"))
		strcpy(clone, "1");
	if (!doctor_line(doctor, restricted, sizeof restricted,
		    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"))
		strcpy(restricted, "0");
	if (!strcmp(most, "0") || !strcmp(clone, "0") || !strcmp(restricted, "1"))
		doctor_add(doctor, DOCTOR_NOTE,
			"sudo sysctl -w user.max_user_namespaces=10000 "
			"kernel.unprivileged_userns_clone=1 "
			"kernel.apparmor_restrict_unprivileged_userns=0",
			"user namespaces are not for everybody: nearside dsa-model needs root");
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "user namespaces are allowed");
}

void doctor_container(struct doctor *doctor)
{
	judge_machine(doctor);
	judge_container(doctor);
	judge_namespaces(doctor);
}
