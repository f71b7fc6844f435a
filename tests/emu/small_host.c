#include "tests/emu/small_host.h"

enum {
	LINES_PER_ROUND = 64
};

_Static_assert(sizeof(struct nmsg_spawn) + SMALL_HOST_ENDS * 4 + SMALL_HOST_WORDS * 8 <=
		       NCHAN_PAYLOAD_BYTES,
	"a spawn is one line");

/* ---- what comes up --------------------------------------------------------------------------- */

static uint64_t on_deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	(void)context, (void)end, (void)bytes, (void)nbytes;
	return 0;
}

/* Calls that wait look again after each round. */
static void on_end_event(void *context, struct nchan_end *end)
{
	(void)context, (void)end;
}

static void on_forgotten(void *context, uint32_t pipe)
{
	(void)context, (void)pipe;
}

static void take_log(struct small_host *host, const struct nchan_line *line)
{
	const char *text = (const char *)&line->word[1];
	unsigned nbytes = (unsigned)nchan_min(nchan_head_length(line->head), NMSG_LOG_TEXT);

	if (nbytes > SMALL_HOST_LOG_BYTES - host->log_nbytes)
		nbytes = SMALL_HOST_LOG_BYTES - host->log_nbytes;
	nchan_copy(host->log + host->log_nbytes, text, nbytes);
	host->log_nbytes += nbytes;
}

static bool on_message(void *context, unsigned from, const struct nchan_line *line)
{
	struct small_host *host = context;

	(void)from;
	switch (nchan_head_kind(line->head)) {
	case NCHAN_EXIT:
		nchan_copy(&host->last_exit, line->word, sizeof host->last_exit);
		host->exit_count++;
		return true;
	case NCHAN_LOADED:
		nchan_copy(&host->last_loaded, line->word, sizeof host->last_loaded);
		host->loaded_count++;
		return true;
	case NCHAN_LOG:
		take_log(host, line);
		return true;
	default:
		return false;
	}
}

static void on_wake(void *context, unsigned place)
{
	const struct small_host *host = context;

	host->platform.wake(host->platform.context, place - 1);
}

static const struct nchan_events events = {
	on_deliver, on_end_event, on_end_event, on_forgotten, on_message, on_wake};

/* ---- rounds ---------------------------------------------------------------------------------- */

void small_host_init(
	struct small_host *host, void *region, const struct small_host_platform *platform)
{
	const struct nreg_identity *identity = region;

	host->region = region;
	host->identity = identity;
	host->platform = *platform;
	nchan_place_init(
		&host->place, NCHAN_HOST, identity->core_count + 1, host->links, &events, host);
	nchan_pool_init(&host->place.pool, host->cells, SMALL_HOST_CELLS);
	host->place.ends = host->ends;
	host->place.pipes_max = SMALL_HOST_PIPES;
	for (unsigned i = 0; i < identity->core_count; i++) {
		struct nchan_link *link = &host->links[i + 1];
		struct nreg_core *core = nreg_core(region, i);

		nchan_tx_init(&link->tx, &core->down, identity->generation, 0);
		nchan_rx_init(&link->rx, &core->up, identity->generation, 0);
		link->tx.pause = platform->pause;
		if (identity->capabilities & NREG_CAN_WAKE)
			link->asleep = &core->wake.asleep;
	}
}

bool small_host_round(struct small_host *host)
{
	unsigned taken = 0;

	for (unsigned i = 1; i < host->place.count; i++)
		taken += nchan_place_receive(&host->place, i, LINES_PER_ROUND);
	nchan_place_flush(&host->place);
	nchan_place_report(&host->place, false);
	return taken != 0;
}

bool small_host_may_sleep(struct small_host *host)
{
	nchan_place_report(&host->place, true);
	return !nchan_place_has_lines(&host->place);
}

static int round_or_wait(struct small_host *host)
{
	return small_host_round(host) ? 0 : host->platform.wait(host);
}

static int wait_for_room(struct small_host *host, unsigned place)
{
	int result = 0;

	while (!nchan_place_room(&host->place, place) && !result) {
		nchan_tx_ask(&host->links[place].tx);
		result = round_or_wait(host);
	}
	return result;
}

static int send(struct small_host *host, unsigned core, enum nchan_kind kind, const void *bytes,
	unsigned nbytes)
{
	int result = wait_for_room(host, core + 1);

	if (!result)
		nchan_place_send(
			&host->place, core + 1, nchan_head(kind, nbytes, 0, 0), bytes, nbytes);
	return result;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int small_host_load(
	struct small_host *host, unsigned image, uint64_t offset, uint64_t nbytes, unsigned kernels)
{
	const struct nmsg_load message = {
		.offset = offset,
		.bytes = nbytes,
		.image = (uint16_t)image,
		.kernel_count = (uint16_t)kernels,
	};
	uint64_t before = host->loaded_count;
	int result = send(host, 0, NCHAN_LOAD, &message, sizeof message);

	while (!result && host->loaded_count == before)
		result = round_or_wait(host);
	return result ? result : host->last_loaded.status;
}

void small_host_pipe(struct small_host *host, uint32_t pipe)
{
	nchan_create(&host->place, pipe);
}

static void give_away(struct small_host *host, unsigned place, uint32_t id)
{
	struct nchan_end *end = nchan_find(&host->place, id & ~NMSG_END_WRITES);

	if (!(id & NMSG_END_WRITES)) {
		nchan_pass_reader(&host->place, end, place);
		return;
	}
	nchan_pass_writer(&host->place, end, place);
	nchan_drop_writer(&host->place, end);
}

int small_host_grant(
	struct small_host *host, unsigned core, unsigned set, const struct nmsg_grant *range)
{
	struct nmsg_grant message = *range;

	message.set = (uint16_t)set;
	message.count = 1;
	return send(host, core, NCHAN_GRANT, &message, sizeof message);
}

/* Joins the parts of a spawn: how many bytes. */
static unsigned join(const struct small_spawn *spawn, char *bytes)
{
	const struct nmsg_spawn head = {
		.self = spawn->self,
		.image = (uint16_t)spawn->image,
		.kernel = (uint16_t)spawn->kernel,
		.grant_set = (uint16_t)spawn->grant_set,
		.end_count = (uint8_t)spawn->end_count,
		.word_count = (uint8_t)spawn->word_count,
	};
	unsigned words_offset = sizeof head + (spawn->end_count + 1) / 2 * 8;

	nchan_copy(bytes, &head, sizeof head);
	nchan_copy(bytes + sizeof head, spawn->ends, spawn->end_count * sizeof spawn->ends[0]);
	nchan_copy(bytes + words_offset, spawn->words, spawn->word_count * sizeof spawn->words[0]);
	return words_offset + spawn->word_count * 8;
}

int small_host_spawn(struct small_host *host, const struct small_spawn *spawn)
{
	char bytes[NCHAN_PAYLOAD_BYTES] = {0};
	unsigned nbytes = join(spawn, bytes);
	int result = send(host, spawn->core, NCHAN_SPAWN, bytes, nbytes);

	if (result)
		return result;
	for (unsigned i = 0; i < spawn->end_count; i++)
		give_away(host, spawn->core + 1, spawn->ends[i]);
	return 0;
}

int64_t small_host_write(struct small_host *host, uint32_t pipe, const void *bytes, uint64_t nbytes)
{
	uint64_t done = 0;

	while (done < nbytes) {
		int64_t now = nchan_write(&host->place, nchan_find(&host->place, pipe),
			(const char *)bytes + done, nbytes - done);

		if (now == -NCHAN_EAGAIN)
			now = round_or_wait(host);
		if (now < 0)
			return now;
		done += (uint64_t)now;
	}
	return (int64_t)done;
}

int64_t small_host_read(struct small_host *host, uint32_t pipe, void *bytes, uint64_t nbytes)
{
	for (;;) {
		int64_t now =
			nchan_read(&host->place, nchan_find(&host->place, pipe), bytes, nbytes);

		if (now == -NCHAN_EAGAIN)
			now = round_or_wait(host);
		else
			return now;
		if (now < 0)
			return now;
	}
}

void small_host_close_writer(struct small_host *host, uint32_t pipe)
{
	nchan_drop_writer(&host->place, nchan_find(&host->place, pipe));
}

int small_host_wait_exits(struct small_host *host, uint64_t count)
{
	int result = 0;

	while (host->exit_count < count && !result)
		result = round_or_wait(host);
	return result;
}

int small_host_kill(struct small_host *host, unsigned core, uint64_t self)
{
	nchan_store(&nreg_core(host->region, core)->attention.victim, self);
	return send(host, core, NCHAN_KILL, NULL, 0);
}
