/* fuzz_nipc.c - the fuzzer is the peer of a channel, and says what its victim does. */
#include "tests/host/nipc/hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
	hostile_run(bytes, nbytes);
	return 0;
}
