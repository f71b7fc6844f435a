/* dsa_cpu.c - instructions that only processors with DSA have; none is used unasked. */
#include <cpuid.h>
#include <immintrin.h>
#include <time.h>

#include "host/cancel.h"
#include "host/engine/dsa.h"
#include "host/wait.h"

enum {
	LEAF = 7,
	ECX_WAITPKG = 1 << 5,
	ECX_MOVDIR64B = 1 << 28,
	ECX_ENQCMD = 1 << 29,
	/* A sleep of the system costs so much and may be so much too long. */
	SLEEP_COST_NS = 60 * 1000,
	DOZE_NS = 20 * 1000, /* at most, in one go: then the clock is looked at */
};

unsigned dsa_instructions(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(LEAF, 0, &a, &b, &c, &d))
		return 0;
	return (c & ECX_MOVDIR64B ? DSA_MOVDIR64B : 0u) | (c & ECX_ENQCMD ? DSA_ENQCMD : 0u) |
	       (c & ECX_WAITPKG ? DSA_WAITPKG : 0u);
}

bool nhost_dsa_can_map(void)
{
	return dsa_instructions() & DSA_MOVDIR64B;
}

__attribute__((target("movdir64b"))) void dsa_movdir64b(
	void *portal, const struct dsa_hw_desc *descriptor)
{
	/* What the descriptor leads to must be stored before the device reads it. */
	_mm_sfence();
	_movdir64b(portal, descriptor);
}

__attribute__((target("enqcmd"))) bool dsa_enqcmd(
	void *portal, const struct dsa_hw_desc *descriptor)
{
	_mm_sfence();
	return !_enqcmd(portal, descriptor);
}

/* The deadline is in ticks, at least one a ns: it may end early and is called again. */
__attribute__((target("waitpkg"))) static void doze(const volatile uint8_t *status, int64_t ns)
{
	uint64_t until = __rdtsc() + (uint64_t)(ns < DOZE_NS ? ns : DOZE_NS);

	if (!status) {
		_tpause(1, until);
		return;
	}
	_umonitor((void *)(uintptr_t)status);
	if (!*status)
		_umwait(1, until);
}

void dsa_doze(unsigned instructions, const volatile uint8_t *status, int64_t until_ns)
{
	int64_t left = until_ns - nhost_clock_ns();
	int cancel;

	if (left > 2 * SLEEP_COST_NS) {
		const struct timespec time = {
			(left - SLEEP_COST_NS) / 1000000000, (left - SLEEP_COST_NS) % 1000000000};

		cancel = nhost_cancel_hold();
		nanosleep(&time, NULL);
		nhost_cancel_release(cancel);
	} else if (left > 0 && instructions & DSA_WAITPKG) {
		doze(status, left);
	} else {
		for (int i = 0; i < NHOST_LOOKS; i++)
			nhost_pause();
	}
}
