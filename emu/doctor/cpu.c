/* cpu.c - instructions that something here makes use of. */
#include <string.h>

#include "emu/doctor/doctor.h"

static const struct {
	const char *flag; /* in /proc/cpuinfo */
	const char *name;
	const char *with, *without;
} features[] = {
	{"avx2", "AVX2", "kernels use their code for x86-64-v3",
		"kernels use their plain x86-64 code, which scans several times slower"},
	{"avx512f", "AVX-512", "not used by kernels", "not used by kernels"},
	{"sse4_2", "SSE4.2", "CRC32C by instruction", "CRC32C by a table"},
	{"movdir64b", "MOVDIR64B", "dedicated DSA queues are mapped",
		"DSA queues are used by write()"},
	{"enqcmd", "ENQCMD", "shared DSA queues are mapped",
		"shared DSA queues are used by write()"},
	{"waitpkg", "WAITPKG", "waiting for DSA sleeps by TPAUSE and UMWAIT",
		"waiting for DSA pauses, or sleeps in the system"},
};

static bool has_flag(const char *flags, const char *flag)
{
	size_t length = strlen(flag);

	for (const char *at = flags; (at = strstr(at, flag)); at += length)
		if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

void doctor_cpu(struct doctor *doctor)
{
	static char flags[16384];
	char name[128] = "unknown";

	doctor_field(doctor, "/proc/cpuinfo", "model name", name, sizeof name);
	if (!doctor_field(doctor, "/proc/cpuinfo", "flags", flags, sizeof flags)) {
		doctor_add(doctor, DOCTOR_NOTE, "", "/proc/cpuinfo lists no flags of an x86-64");
		return;
	}
	doctor_add(doctor, DOCTOR_GOOD, "", "%s", name);
	for (unsigned i = 0; i < sizeof features / sizeof features[0]; i++) {
		bool is_there = has_flag(flags, features[i].flag);

		doctor_add(doctor, is_there ? DOCTOR_GOOD : DOCTOR_NOTE, "", "%s: %s: %s",
			features[i].name, is_there ? "yes" : "no",
			is_there ? features[i].with : features[i].without);
	}
	if (has_flag(flags, "la57"))
		doctor_add(doctor, DOCTOR_NOTE,
			"boot with no5lvl if the driver idxd refuses shared queues",
			"5-level page tables are on, which some kernels cannot give to DSA");
}
