#include <nearside/kernel.h>

struct message {
	int kind;
	const char *text;
};

NPROC_KERNEL int64_t talk(void)
{
	struct message message;
	char *pointer;
	npipe_read_full(0, &message, sizeof message);
	npipe_read(0, &pointer, sizeof pointer);
	npipe_write(1, &message, sizeof message);
	return message.kind;
}


// expect: 12:2: error: a private pointer goes through a pipe
// expect: note: it means nothing to another process: send what it points to, or a far pointer
// expect: 13:2: error: a private pointer goes through a pipe
// expect: note: it means nothing to another process: send what it points to, or a far pointer
// expect: 14:2: error: a private pointer goes through a pipe
// expect: note: it means nothing to another process: send what it points to, or a far pointer
