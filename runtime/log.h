/*
 * log.h - messages of kernels: lines are joined per core, whole messages wait for a thread that may
 * call the program's callback, which is never called under the lock. A message that finds no room
 * is dropped and counted.
 */
#ifndef NEARSIDE_RUNTIME_LOG_H
#define NEARSIDE_RUNTIME_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include <nearside/nproc.h>

#include "device/abi/message.h"

enum {
	LOG_WAITING_MAX = 256
};

/* A message of which lines are still to come. */
struct log_input {
	uint64_t self;
	unsigned lines_left;
	unsigned nbytes;
	char text[NMSG_LOG_MAX];
};

struct log_message {
	struct nproc *process; /* counted as a reference */
	char text[NMSG_LOG_MAX + 1];
};

struct log {
	nproc_log_fn *callback;
	void *context;
	bool is_calling;       /* some thread hands messages out, in order */
	uint64_t first, count; /* of waiting[], a ring */
	uint64_t dropped;
	struct log_message *waiting; /* [LOG_WAITING_MAX], allocated with the first callback */
};

/* LOG from a core; false: it makes no sense. */
bool log_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line);

/* There are messages, and no thread hands them out. */
static inline bool log_is_due(const struct log *log)
{
	return __builtin_expect(log->count && !log->is_calling, 0);
}

/* Hands them out. With the lock, which is let go around each call. */
void log_call(struct nproc_device *device);

void log_destroy(struct log *log);

#endif
