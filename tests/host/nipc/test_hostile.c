/* A peer that breaks every rule corrupts what it sends, and nothing else (hostile.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/nipc/ends.h"
#include "tests/host/nipc/hostile.h"

enum {
	RUNS = 400,
	BYTES = 3000
};

static void case_64_a_peer_that_scribbles_at_random_does_no_harm(void **state)
{
	uint64_t random = new_seed();
	uint64_t bytes[BYTES / 8];

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		for (unsigned i = 0; i < BYTES / 8; i++)
			bytes[i] = next_random(&random);
		hostile_run((const uint8_t *)bytes, sizeof bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_64_a_peer_that_scribbles_at_random_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
