/* Random chains of processes (chains.h), from a few seeds; soak_chains.c goes on for longer. */
#include "tests/conformance/chains.h"
#include "tests/conformance/suite.h"

static void chains_deliver_every_byte_or_end(void **state)
{
	char error[512];
	(void)state;
	skip_if_only_one();
	skip_unless(!suite.served, "each chain opens a device with options of its own");

	for (uint64_t seed = 1; seed <= 10; seed++)
		if (chains_run(suite.device_name, TEST_KERNELS_PATH, seed, 5, error, sizeof error))
			fail_msg("seed %" PRIu64 ": %s", seed, error);
}

int run_random(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(chains_deliver_every_byte_or_end),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
