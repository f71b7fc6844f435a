#include "device/core_int.h"
#include "device/format.h"

static void drop(struct ndev_core *core)
{
	struct nreg_core_status *status = &core->shared->status;

	nchan_store(&status->log_dropped, status->log_dropped + 1);
}

/* One message in consecutive lines, or not at all: a process never waits to be heard. */
void log_message(struct ndev_core *core, const struct process *process, const char *format,
	const uint64_t *args, uint64_t count)
{
	char text[NMSG_LOG_MAX];
	unsigned nbytes = ndev_format(text, sizeof(text), format, args, count);
	unsigned lines = nbytes ? (nbytes + NMSG_LOG_TEXT - 1) / NMSG_LOG_TEXT : 1;
	struct {
		uint64_t self;
		char text[NMSG_LOG_TEXT];
	} payload = {.self = process->self};

	if (nchan_place_room(&core->place, NCHAN_HOST) < lines) {
		drop(core);
		return;
	}
	for (unsigned i = 0; i < lines; i++) {
		unsigned now = (unsigned)nchan_min(nbytes - i * NMSG_LOG_TEXT, NMSG_LOG_TEXT);

		nchan_copy(payload.text, text + i * NMSG_LOG_TEXT, now);
		nchan_place_send(&core->place, NCHAN_HOST,
			nchan_head(NCHAN_LOG, now, 0, lines - 1 - i), &payload,
			sizeof(payload.self) + now);
	}
}
