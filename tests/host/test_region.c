/* Regions in memory files, and what is believed of a region's identity. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/abi/image.h"
#include "host/region_memfd.h"

static struct nreg_identity make_identity(void)
{
	return (struct nreg_identity){
		.far_bytes = 64 * 1024,
		.generation = 1,
		.capabilities = NREG_COHERENT,
		.core_count = 3,
		.isa = NIMG_X86_64,
		.processes_max = 10,
		.pipes_max = 20,
		.cells_max = 100,
		.grant_sets_max = 5,
		.frame_bytes_max = 65536,
		.name = "for a test",
	};
}

struct region {
	struct nreg_identity identity;
	void *memory;
};

static struct region make_region(void)
{
	struct region region = {make_identity(), NULL};
	struct nhost_error error;

	assert_int_equal(nhost_region_create(&region.identity, &region.memory, &error), 0);
	return region;
}

static void free_region(struct region *region)
{
	nhost_region_destroy(region->memory, region->identity.region_bytes);
}

static void case_43_a_region_lies_aligned_where_it_says_and_is_zeroed(void **state)
{
	struct region region = make_region();
	const struct nreg_identity *identity = &region.identity;
	const unsigned char *far = (unsigned char *)region.memory + identity->far_offset;
	(void)state;

	assert_ptr_equal(region.memory, (void *)(uintptr_t)identity->base);
	assert_int_equal(identity->base % NREG_ALIGN, 0);
	assert_int_equal(identity->far_offset % NREG_ALIGN, 0);
	assert_int_equal(identity->region_bytes % NREG_ALIGN, 0);
	for (size_t i = 0; i < identity->far_bytes; i++)
		assert_int_equal(far[i], 0);
	for (unsigned core = 0; core < 3; core++)
		assert_int_equal(nreg_core(region.memory, core)->down.slot[0].head, 0);
	free_region(&region);
}

static void a_new_region_passes_its_own_check(void **state)
{
	struct region region = make_region();
	struct nreg_identity copy;
	struct nhost_error error;
	(void)state;

	assert_int_equal(
		nhost_identity_check(region.memory, region.identity.region_bytes, &copy, &error),
		0);
	assert_memory_equal(&copy, &region.identity, sizeof copy);
	free_region(&region);
}

static void regions_do_not_overlap(void **state)
{
	struct region regions[5];
	(void)state;

	for (int i = 0; i < 5; i++)
		regions[i] = make_region();
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < i; k++)
			assert_true(regions[i].identity.base >=
					    regions[k].identity.base +
						    regions[k].identity.region_bytes ||
				    regions[k].identity.base >=
					    regions[i].identity.base +
						    regions[i].identity.region_bytes);
	for (int i = 0; i < 5; i++)
		free_region(&regions[i]);
}

static void the_address_is_the_same_each_time(void **state)
{
	struct region region = make_region();
	uint64_t base = region.identity.base;
	(void)state;
	free_region(&region);

	region = make_region();

	assert_int_equal(region.identity.base, base);
	free_region(&region);
}

/* Backed only where it is touched: this is more than the machine has. */
static void a_large_region_costs_nothing(void **state)
{
	struct nreg_identity identity = make_identity();
	struct nhost_error error;
	void *region;
	(void)state;
	identity.far_bytes = 64ull << 30;

	assert_int_equal(nhost_region_create(&identity, &region, &error), 0);

	((unsigned char *)region)[identity.region_bytes - 1] = 1;
	nhost_region_destroy(region, identity.region_bytes);
}

static void no_room_for_addresses_gives_ebusy(void **state)
{
	enum {
		MANY = 64
	};
	struct region regions[MANY];
	struct nhost_error error = {""};
	int made = 0, result = 0;
	(void)state;

	while (made < MANY && !result) {
		regions[made].identity = make_identity();
		result =
			nhost_region_create(&regions[made].identity, &regions[made].memory, &error);
		made += !result;
	}

	assert_int_equal(result, -EBUSY);
	assert_null(regions[made].memory);
	assert_non_null(strstr(error.text, "no room for a region"));
	while (made)
		free_region(&regions[--made]);
}

static void a_region_that_the_system_refuses_gives_enomem(void **state)
{
	struct nreg_identity identity = make_identity();
	struct nhost_error error = {""};
	void *region;
	(void)state;
	identity.far_bytes = 1ull << 60;

	assert_int_equal(nhost_region_create(&identity, &region, &error), -ENOMEM);

	assert_null(region);
	assert_non_null(strstr(error.text, "1152921504606846976 bytes of far memory"));
}

/* Case 77: a limit is found before memory is used, not by a signal. */
static void case_77_a_limit_of_files_gives_enomem(void **state)
{
	struct nreg_identity identity = make_identity();
	struct nhost_error error = {""};
	struct rlimit old, low;
	void *region;
	int result;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){1 << 20, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);

	result = nhost_region_create(&identity, &region, &error);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(result, -ENOMEM);
	assert_non_null(strstr(error.text, "ulimit -f"));
}

static void a_child_of_fork_does_not_have_it(void **state)
{
	struct region region = make_region();
	unsigned char vector;
	int status;
	pid_t child;
	(void)state;

	child = fork();
	if (!child)
		_exit(mincore(region.memory, 1, &vector) && errno == ENOMEM ? 0 : 1);

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	free_region(&region);
}

/* ---- identities ------------------------------------------------------------------------------ */

/* Of a region that never existed. */
static struct nreg_identity valid(void)
{
	struct nreg_identity identity = make_identity();

	identity.magic = NREG_MAGIC;
	identity.version = NREG_VERSION;
	identity.abi_version = NK_ABI_VERSION;
	identity.base = 0x700000000000;
	identity.far_offset = NREG_ALIGN;
	identity.region_bytes = 2 * NREG_ALIGN;
	return identity;
}

static void assert_refused(const struct nreg_identity *identity, const char *text)
{
	struct nreg_identity copy;
	struct nhost_error error = {""};

	assert_int_equal(nhost_identity_check(identity, 2 * NREG_ALIGN, &copy, &error), -EPROTO);
	if (!strstr(error.text, text))
		print_error("'%s' is not in '%s'\n", text, error.text);
	assert_non_null(strstr(error.text, text));
}

#define REFUSED(member, value, text)                    \
	do {                                            \
		struct nreg_identity changed = valid(); \
		changed.member = value;                 \
		assert_refused(&changed, text);         \
	} while (0)

static void an_identity_of_another_kind_or_version_is_refused(void **state)
{
	struct nreg_identity copy, identity = valid();
	struct nhost_error error;
	(void)state;

	assert_int_equal(nhost_identity_check(&identity, 2 * NREG_ALIGN, &copy, &error), 0);
	assert_int_equal(nhost_identity_check(&identity, 64, &copy, &error), -EPROTO);
	REFUSED(magic, 1, "not a region");
	REFUSED(version, NREG_VERSION + 1, "region version 6");
	REFUSED(abi_version, 77, "kernel version 77");
}

/* Case 44: what lies behind the true end would be a signal at the first access. */
static void case_44_a_map_beyond_the_region_is_refused(void **state)
{
	(void)state;
	REFUSED(core_count, 0, "map is not possible");
	REFUSED(core_count, NREG_CORES_MAX + 1, "map");
	REFUSED(core_count, UINT32_MAX, "map");
	REFUSED(region_bytes, NREG_ALIGN, "map");
	REFUSED(region_bytes, 4 * NREG_ALIGN, "map");
	REFUSED(base, 0, "map");
	REFUSED(base, 4096, "map");
	REFUSED(base, 0xffffffffffe00000, "map");
	REFUSED(far_offset, 0, "map");
	REFUSED(far_offset, 4096, "map");
	REFUSED(far_offset, 4 * NREG_ALIGN, "map");
	REFUSED(far_bytes, 0, "map");
	REFUSED(far_bytes, NREG_ALIGN + 64, "map");
	REFUSED(far_bytes, UINT64_MAX, "map");
	REFUSED(far_bytes, 65, "map");
}

/* Case 56: what a region claims of its memory must go together. */
static void case_56_memory_that_cannot_be_as_it_says_is_refused(void **state)
{
	(void)state;
	REFUSED(capabilities, NREG_CAN_WAKE, "not coherent");
	REFUSED(capabilities, NREG_ATOMICS, "not coherent");
	REFUSED(capabilities, NREG_COHERENT | NREG_MODELLED_CACHE, "no cache is modelled");
	REFUSED(capabilities, NREG_COHERENT | 1u << 31, "unknown");
}

static void impossible_numbers_are_refused(void **state)
{
	struct nreg_identity identity = valid();
	(void)state;

	REFUSED(generation, 0, "numbers are not possible");
	REFUSED(generation, 32768, "numbers");
	REFUSED(isa, NIMG_ISA_COUNT, "numbers");
	REFUSED(processes_max, 0, "numbers");
	REFUSED(processes_max, 1 << 24, "numbers");
	REFUSED(pipes_max, 0, "numbers");
	REFUSED(pipes_max, 1 << 22, "numbers");
	REFUSED(cells_max, 0, "numbers");
	REFUSED(cells_max, UINT32_MAX, "numbers");
	REFUSED(grant_sets_max, 0, "numbers");
	REFUSED(grant_sets_max, 65536, "numbers");
	memset(identity.name, 'n', sizeof identity.name);
	assert_refused(&identity, "numbers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_43_a_region_lies_aligned_where_it_says_and_is_zeroed),
		cmocka_unit_test(a_new_region_passes_its_own_check),
		cmocka_unit_test(regions_do_not_overlap),
		cmocka_unit_test(the_address_is_the_same_each_time),
		cmocka_unit_test(a_large_region_costs_nothing),
		cmocka_unit_test(no_room_for_addresses_gives_ebusy),
		cmocka_unit_test(a_region_that_the_system_refuses_gives_enomem),
		cmocka_unit_test(case_77_a_limit_of_files_gives_enomem),
		cmocka_unit_test(a_child_of_fork_does_not_have_it),
		cmocka_unit_test(an_identity_of_another_kind_or_version_is_refused),
		cmocka_unit_test(case_44_a_map_beyond_the_region_is_refused),
		cmocka_unit_test(case_56_memory_that_cannot_be_as_it_says_is_refused),
		cmocka_unit_test(impossible_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
