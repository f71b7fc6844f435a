#include "tests/host/nipc/ends.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND 1000000000ll

struct joining {
	int socket;
	const struct nipc_attr *attr;
	struct nipc *channel;
	int result;
};

static void *join(void *context)
{
	struct joining *joining = context;

	joining->result =
		nipc_adopt(joining->socket, joining->attr, 10 * SECOND, &joining->channel);
	return NULL;
}

void expect_result(struct nipc *channel, int64_t result, int64_t expected)
{
	char detail[512];

	if (result != expected)
		fail_msg("%lld instead of %lld: %s", (long long)result, (long long)expected,
			nipc_detail(channel, detail, sizeof detail));
}

void ends_open(struct ends *ends, const struct nipc_attr *attr_a, const struct nipc_attr *attr_b)
{
	static const struct nipc_attr small = {.capacity = NIPC_CAPACITY_MIN};
	struct joining joining = {.attr = attr_b ? attr_b : &small};
	pthread_t thread;
	int sockets[2], result;

	assert_int_equal(nipc_pair(sockets), 0);
	joining.socket = sockets[1];
	assert_int_equal(pthread_create(&thread, NULL, join, &joining), 0);
	result = nipc_adopt(sockets[0], attr_a ? attr_a : &small, 10 * SECOND, &ends->a);
	pthread_join(thread, NULL);
	ends->b = joining.channel;
	expect_result(ends->a, result, 0);
	expect_result(ends->b, joining.result, 0);
}

void ends_close(struct ends *ends)
{
	nipc_close(ends->a);
	nipc_close(ends->b);
}

static unsigned char byte_at(uint64_t seed, uint64_t at)
{
	uint64_t mixed = (seed + 1) * 0x9e3779b97f4a7c15u + at * 0xff51afd7ed558ccdu;

	return (unsigned char)(mixed >> 56 ^ mixed >> 24);
}

void fill_bytes(unsigned char *bytes, size_t nbytes, uint64_t seed)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] = byte_at(seed, i);
}

void expect_bytes(const unsigned char *bytes, size_t nbytes, uint64_t seed, uint64_t offset)
{
	for (size_t i = 0; i < nbytes; i++)
		if (bytes[i] != byte_at(seed, offset + i))
			fail_msg("byte %zu of %zu (from %llu of message %llu) is wrong", i, nbytes,
				(unsigned long long)offset, (unsigned long long)seed);
}

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t new_seed(void)
{
	const char *given = getenv("NEARSIDE_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0)
		     : (uint64_t)now.tv_nsec * 1000003 + (uint64_t)getpid();
	printf("NEARSIDE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}
