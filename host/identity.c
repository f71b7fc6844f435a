/*
 * identity.c - what a region says about itself is believed only after these checks, and only the
 * copy is used.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "device/abi/image.h"
#include "device/abi/kernel.h"
#include "host/device.h"

static int check_version(const struct nreg_identity *identity, struct nhost_error *error)
{
	if (identity->magic != NREG_MAGIC)
		return nhost_fail(error, EPROTO,
			"this is not a region: it starts with 0x%016" PRIx64 ", not 0x%016llx",
			identity->magic, NREG_MAGIC);
	if (identity->version != NREG_VERSION || identity->abi_version != NK_ABI_VERSION)
		return nhost_fail(error, EPROTO,
			"the device is of region version %" PRIu32 " and kernel version %" PRIu32
			"; this library needs %d and %d: use a device and a library of one release",
			identity->version, identity->abi_version, NREG_VERSION, NK_ABI_VERSION);
	return 0;
}

/* What only coherent memory can have. */
enum {
	COHERENT_ONLY = NREG_CAN_WAKE | NREG_ATOMICS
};

static int check_capabilities(const struct nreg_identity *identity, struct nhost_error *error)
{
	if (identity->capabilities & ~NREG_CAPABILITIES)
		return nhost_fail(error, EPROTO,
			"the region has capabilities 0x%" PRIx32 ", of which 0x%" PRIx32
			" are unknown: use a newer library",
			identity->capabilities, identity->capabilities & ~NREG_CAPABILITIES);
	if (!(identity->capabilities & NREG_COHERENT) && identity->capabilities & COHERENT_ONLY)
		return nhost_fail(error, EPROTO,
			"the region's capabilities 0x%" PRIx32
			" are not possible: memory that is not coherent has neither atomics nor futexes",
			identity->capabilities);
	if (identity->capabilities & NREG_COHERENT && identity->capabilities & NREG_MODELLED_CACHE)
		return nhost_fail(error, EPROTO,
			"the region's capabilities 0x%" PRIx32
			" are not possible: no cache is modelled for coherent memory",
			identity->capabilities);
	return 0;
}

static bool is_aligned(uint64_t number)
{
	return number % NREG_ALIGN == 0;
}

/* Every part lies inside the region, and no sum wraps. */
static bool fits(const struct nreg_identity *identity, uint64_t region_bytes)
{
	uint64_t cores_end = NREG_CORES_OFFSET + (uint64_t)identity->core_count * NREG_CORE_BYTES;

	return identity->core_count && identity->core_count <= NREG_CORES_MAX &&
	       identity->region_bytes == region_bytes && is_aligned(region_bytes) &&
	       identity->base && is_aligned(identity->base) && identity->base < 1ull << 47 &&
	       region_bytes <= (1ull << 47) - identity->base && is_aligned(identity->far_offset) &&
	       identity->far_offset >= cores_end && identity->far_offset <= region_bytes &&
	       identity->far_bytes && identity->far_bytes <= region_bytes - identity->far_offset &&
	       identity->far_bytes % NCHAN_LINE_BYTES == 0;
}

static bool is_sensible(const struct nreg_identity *identity)
{
	return identity->generation && identity->generation <= NCHAN_GENERATION_MAX &&
	       identity->isa < NIMG_ISA_COUNT && identity->port < NCHAN_PORT_COUNT &&
	       identity->processes_max && identity->processes_max <= NREG_PROCESS_MAX &&
	       identity->pipes_max && identity->pipes_max <= NCHAN_PIPE_MAX &&
	       identity->cells_max && identity->cells_max <= INT32_MAX &&
	       identity->grant_sets_max && identity->grant_sets_max <= UINT16_MAX &&
	       memchr(identity->name, '\0', sizeof(identity->name));
}

int nhost_identity_check(const void *region, uint64_t region_bytes, struct nreg_identity *copy,
	struct nhost_error *error)
{
	int result;

	if (region_bytes < sizeof(*copy))
		return nhost_fail(error, EPROTO,
			"a region of %" PRIu64 " bytes has no room for its identity", region_bytes);
	memcpy(copy, region, sizeof(*copy));
	result = check_version(copy, error);
	if (!result)
		result = check_capabilities(copy, error);
	if (result)
		return result;
	if (!fits(copy, region_bytes))
		return nhost_fail(error, EPROTO,
			"the region's map is not possible: %" PRIu32 " cores, base 0x%" PRIx64
			", %" PRIu64 " bytes (%" PRIu64 " are there), far memory of %" PRIu64
			" bytes at %" PRIu64,
			copy->core_count, copy->base, copy->region_bytes, region_bytes,
			copy->far_bytes, copy->far_offset);
	if (!is_sensible(copy))
		return nhost_fail(error, EPROTO,
			"the region's numbers are not possible: generation %" PRIu32
			", isa %" PRIu32 ", %" PRIu32 " processes, %" PRIu32 " pipes, %" PRIu32
			" cells, %" PRIu32 " grant sets",
			copy->generation, copy->isa, copy->processes_max, copy->pipes_max,
			copy->cells_max, copy->grant_sets_max);
	return 0;
}
