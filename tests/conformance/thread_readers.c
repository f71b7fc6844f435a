#include "tests/conformance/thread_readers.h"

void start_readers(struct reader reader[READERS], struct npipe *end, void *(*read)(void *reader))
{
	for (unsigned i = 0; i < READERS; i++) {
		reader[i] = (struct reader){.got = 0};
		must(npipe_dup(end, &reader[i].end));
		assert_int_equal(pthread_create(&reader[i].thread, NULL, read, &reader[i]), 0);
	}
}

unsigned join_readers(struct reader reader[READERS])
{
	unsigned got = 0;

	for (unsigned i = 0; i < READERS; i++) {
		assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
		assert_int_equal(reader[i].wrong, 0);
		got += reader[i].got;
	}
	return got;
}
