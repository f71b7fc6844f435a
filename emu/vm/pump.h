/*
 * pump.h - moves bytes from one descriptor to another, or keeps the last of them, without ever
 * waiting: poll() says when.
 */
#ifndef NEARSIDE_EMU_VM_PUMP_H
#define NEARSIDE_EMU_VM_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	VM_PUMP_BYTES = 4096, /* PIPE_BUF: what poll() says is possible */
	VM_TAIL_BYTES = 8192,
};

/* The last bytes of something. */
struct vm_tail {
	char text[VM_TAIL_BYTES + 1]; /* a string */
	size_t used;
};

struct vm_pump {
	int from;             /* -1: over, and all was moved */
	int to;               /* -1: to nowhere */
	struct vm_tail *tail; /* and also here; NULL: not */
	bool shuts;           /* the end of `from` is passed on: no more is sent to `to` */
	size_t begin, end;
	char bytes[VM_PUMP_BYTES];
};

/* What poll() has to look at; fd < 0: nothing. */
struct pollfd vm_pump_wish(const struct vm_pump *pump);

/* poll() has looked. */
void vm_pump_move(struct vm_pump *pump, const struct pollfd *seen);

void vm_tail_add(struct vm_tail *tail, const char *bytes, size_t nbytes);

#endif
