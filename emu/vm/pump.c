#include "emu/vm/pump.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void vm_tail_add(struct vm_tail *tail, const char *bytes, size_t nbytes)
{
	size_t surplus;

	if (nbytes > VM_TAIL_BYTES) {
		bytes += nbytes - VM_TAIL_BYTES;
		nbytes = VM_TAIL_BYTES;
	}
	surplus = tail->used + nbytes > VM_TAIL_BYTES ? tail->used + nbytes - VM_TAIL_BYTES : 0;
	tail->used -= surplus;
	memmove(tail->text, tail->text + surplus, tail->used);
	memcpy(tail->text + tail->used, bytes, nbytes);
	tail->used += nbytes;
	tail->text[tail->used] = '\0';
}

static bool is_full(const struct vm_pump *pump)
{
	return pump->begin != pump->end;
}

struct pollfd vm_pump_wish(const struct vm_pump *pump)
{
	if (is_full(pump))
		return (struct pollfd){.fd = pump->to, .events = POLLOUT};
	return (struct pollfd){.fd = pump->from, .events = POLLIN};
}

static void end(struct vm_pump *pump)
{
	if (pump->shuts)
		shutdown(pump->to, SHUT_WR);
	pump->from = -1;
	pump->begin = pump->end = 0;
}

static void take(struct vm_pump *pump)
{
	ssize_t got = read(pump->from, pump->bytes, sizeof pump->bytes);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		end(pump);
		return;
	}
	if (pump->tail)
		vm_tail_add(pump->tail, pump->bytes, (size_t)got);
	pump->begin = 0;
	pump->end = pump->to >= 0 ? (size_t)got : 0;
}

static void give(struct vm_pump *pump)
{
	ssize_t put = write(pump->to, pump->bytes + pump->begin, pump->end - pump->begin);

	if (put >= 0)
		pump->begin += (size_t)put;
	else if (errno != EINTR && errno != EAGAIN)
		end(pump);
}

void vm_pump_move(struct vm_pump *pump, const struct pollfd *seen)
{
	if (!seen->revents || pump->from < 0)
		return;
	if (is_full(pump))
		give(pump);
	else
		take(pump);
}
