#include "runtime/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/cancel.h"
#include "runtime/device_int.h"

/* ---- messages come --------------------------------------------------------------------------- */

static void keep(struct nproc_device *device, unsigned core, const struct log_input *input)
{
	struct log *log = &device->log;
	struct nproc *process = head_by_self(device, core, input->self);
	struct log_message *message;

	if (!log->callback || !process)
		return;
	if (log->count == LOG_WAITING_MAX) {
		log->dropped++;
		return;
	}
	message = &log->waiting[(log->first + log->count++) % LOG_WAITING_MAX];
	message->process = process;
	process->references++;
	memcpy(message->text, input->text, input->nbytes);
	message->text[input->nbytes] = '\0';
	if (input->nbytes && message->text[input->nbytes - 1] == '\n') /* printf's habit */
		message->text[input->nbytes - 1] = '\0';
}

bool log_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct log_input *input = &device->cores[core].log;
	unsigned nbytes = nchan_head_length(line->head);
	unsigned follow = nchan_head_arg(line->head);

	if (!input->lines_left || input->self != line->word[0] || follow != input->lines_left - 1)
		*input = (struct log_input){.self = line->word[0]};
	if (nbytes > NMSG_LOG_TEXT || input->nbytes + nbytes > NMSG_LOG_MAX ||
		follow >= NMSG_LOG_MAX / NMSG_LOG_TEXT) {
		input->lines_left = 0;
		return false;
	}
	memcpy(input->text + input->nbytes, &line->word[1], nbytes);
	input->nbytes += nbytes;
	input->lines_left = follow;
	if (!follow)
		keep(device, core, input);
	return true;
}

/* ---- messages go ----------------------------------------------------------------------------- */

static void call_one(struct nproc_device *device)
{
	struct log *log = &device->log;
	struct log_message message = log->waiting[log->first++ % LOG_WAITING_MAX];
	nproc_log_fn *callback = log->callback;
	void *context = log->context;

	log->count--;
	if (callback) {
		int cancel = nhost_cancel_hold();

		lock_release(&device->port.lock);
		callback(context, message.process, message.text);
		nhost_cancel_release(cancel);
		lock_take(&device->port.lock);
	}
	process_put(message.process);
}

/* A bounded number: a kernel that never stops logging must not keep a call from returning. */
void log_call(struct nproc_device *device)
{
	struct log *log = &device->log;

	log->is_calling = true;
	for (unsigned i = 0; i < LOG_WAITING_MAX && log->count; i++)
		call_one(device);
	log->is_calling = false;
}

int nproc_set_log(struct nproc_device *device, nproc_log_fn *callback, void *context)
{
	struct log *log;
	int result = 0;

	if (!device_is_usable(device))
		return -EBADF;
	log = &device->log;
	port_enter(device);
	if (callback && !log->waiting)
		log->waiting = calloc(LOG_WAITING_MAX, sizeof(*log->waiting));
	if (callback && !log->waiting) {
		result = device_fail(device, ENOMEM, "no memory for log messages");
	} else {
		log->callback = callback;
		log->context = context;
	}
	port_leave(device);
	return result;
}

void log_destroy(struct log *log)
{
	free(log->waiting);
}
