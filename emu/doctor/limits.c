/* limits.c - how much of what a program may have. */
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "emu/doctor/doctor.h"
#include "host/room.h"

enum {
	FILES_FEW = 1024,
	MIB = 1024 * 1024,
};

static void judge_huge_pages(struct doctor *doctor)
{
	char total[32] = "0", nbytes[32] = "", transparent[64] = "";

	doctor_field(doctor, "/proc/meminfo", "HugePages_Total", total, sizeof total);
	doctor_field(doctor, "/proc/meminfo", "Hugepagesize", nbytes, sizeof nbytes);
	doctor_line(doctor, transparent, sizeof transparent,
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled");
	if (atoi(total))
		doctor_add(doctor, DOCTOR_GOOD, "", "%s huge pages of %s", total, nbytes);
	else
		doctor_add(doctor, DOCTOR_NOTE, "sudo sysctl -w vm.nr_hugepages=512",
			"no pool of huge pages: bulk pipes of 2 MiB and more take transparent ones, if the "
			"kernel has some free at that moment");
	if (*transparent)
		doctor_add(doctor, DOCTOR_GOOD, "", "transparent huge pages of shared memory: %s",
			transparent);
}

static void judge_shared_memory(struct doctor *doctor)
{
	char path[PATH_MAX];
	struct statvfs shm;
	uint64_t mib;

	snprintf(path, sizeof path, "%.1024s/dev/shm", doctor->root);
	if (statvfs(path, &shm)) {
		doctor_add(doctor, DOCTOR_NOTE, "sudo mount -t tmpfs tmpfs /dev/shm",
			"there is no /dev/shm: nothing here needs it, others do");
		return;
	}
	mib = (uint64_t)shm.f_blocks * shm.f_frsize / MIB;
	if (mib < 1024)
		doctor_add(doctor, DOCTOR_NOTE,
			"docker run --shm-size=2g, or sudo mount -o remount,size=2g /dev/shm",
			"/dev/shm holds %" PRIu64 " MiB; memory files are not limited by it", mib);
	else
		doctor_add(doctor, DOCTOR_GOOD, "", "/dev/shm holds %" PRIu64 " MiB", mib);
}

static void judge_room(struct doctor *doctor)
{
	struct nhost_room room;
	bool is_little;

	nhost_room_find(doctor->root, &room);
	if (room.nbytes == UINT64_MAX)
		return;
	is_little = room.nbytes / MIB < 1024;
	doctor_add(doctor, is_little ? DOCTOR_NOTE : DOCTOR_GOOD, is_little ? room.remedy : "",
		"a program may take %" PRIu64 " MiB more: %s", room.nbytes / MIB, room.limit);
}

static void judge_limit(struct doctor *doctor, int which, const char *name, rlim_t few,
	const char *remedy, const char *consequence)
{
	struct rlimit limit;

	if (getrlimit(which, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		doctor_add(doctor, DOCTOR_GOOD, "", "%s: no limit", name);
	else if (limit.rlim_cur > few)
		doctor_add(doctor, DOCTOR_GOOD, "", "%s: %llu", name,
			(unsigned long long)limit.rlim_cur);
	else
		doctor_add(doctor, DOCTOR_NOTE, remedy, "%s: %llu: %s", name,
			(unsigned long long)limit.rlim_cur, consequence);
}

static void judge_overcommit(struct doctor *doctor)
{
	char mode[16];

	if (doctor_line(doctor, mode, sizeof mode, "/proc/sys/vm/overcommit_memory") &&
		!strcmp(mode, "2"))
		doctor_add(doctor, DOCTOR_NOTE, "sudo sysctl -w vm.overcommit_memory=0",
			"vm.overcommit_memory is 2: far memory counts in full when a device is opened");
}

void doctor_limits(struct doctor *doctor)
{
	judge_huge_pages(doctor);
	judge_shared_memory(doctor);
	judge_room(doctor);
	judge_limit(doctor, RLIMIT_MEMLOCK, "locked memory (ulimit -l), bytes", 64 * MIB,
		"ulimit -l unlimited, or memlock in /etc/security/limits.conf",
		"memory of bulk pipes cannot be locked beyond that");
	judge_limit(doctor, RLIMIT_NOFILE, "open files (ulimit -n)", FILES_FEW - 1,
		"ulimit -n 4096", "many devices and pipes in event loops need more");
	judge_limit(doctor, RLIMIT_FSIZE, "size of files (ulimit -f), bytes", (rlim_t)1024 * MIB,
		"ulimit -f unlimited", "far memory cannot be larger");
	judge_overcommit(doctor);
}
