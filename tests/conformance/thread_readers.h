/* thread_readers.h - threads of the host that read one pipe together. */
#ifndef NEARSIDE_TESTS_CONFORMANCE_THREAD_READERS_H
#define NEARSIDE_TESTS_CONFORMANCE_THREAD_READERS_H

#include <pthread.h>

#include "tests/conformance/suite.h"

enum {
	READERS = 3
};

struct reader {
	pthread_t thread;
	struct npipe *end;
	uint64_t next[WRITERS_MAX]; /* of each writer of words */
	unsigned got, wrong;
};

/* Each runs `read` with its struct reader, at a duplicate of the end, until the end of file. */
void start_readers(struct reader reader[READERS], struct npipe *end, void *(*read)(void *reader));
/* None found anything wrong; how much all of them got. */
unsigned join_readers(struct reader reader[READERS]);

#endif
