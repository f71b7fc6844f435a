/*
 * model_scene.c - what may happen to a pipe: the steps, and what places tell of them.
 */
#include "tests/channels/model_scene.h"

#include <string.h>

enum {
	START = 1024, /* of positions; a run stores fewer lines in a FIFO than it has slots */
};

struct scene scene;
struct nchan_fifo fifos[PLACES][PLACES];
struct bound bound;
unsigned cells_taken;
const char *failure;

void expect(bool truth, const char *claim)
{
	if (!truth && !failure)
		failure = claim;
}

struct nchan_end *end_at_place(unsigned place)
{
	if (place == MAKER && scene.made)
		return nchan_end_by_id(&scene.places[place], scene.made);
	return nchan_find(&scene.places[place], PIPE);
}

/* ---- what places tell ------------------------------------------------------------------------ */

static unsigned self_of(void *context)
{
	return (unsigned)(uintptr_t)context;
}

/* A byte names its writer and how many that had written before. */
static unsigned char byte_of(unsigned handle, unsigned count)
{
	return (unsigned char)(handle << 4 | count);
}

static void got(unsigned char byte)
{
	struct handle *writer = &scene.handles[byte >> 4];

	expect(byte >> 4 < scene.handle_count && writer->writes, "a byte has a writer");
	expect((byte & 15) == writer->read, "bytes arrive once and in order");
	writer->read++;
}

static uint64_t on_deliver(void *context, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	(void)end;
	(void)nbytes;
	for (unsigned i = 0; i < scene.handle_count; i++) {
		struct handle *handle = &scene.handles[i];

		if (handle->state != OPEN || handle->writes || !handle->waits ||
			handle->place != self_of(context))
			continue;
		handle->waits = 0;
		got(*(const unsigned char *)bytes);
		return 1;
	}
	return 0;
}

static void stop_waiting(void *context, bool writes)
{
	for (unsigned i = 0; i < scene.handle_count; i++)
		if (scene.handles[i].writes == writes && scene.handles[i].place == self_of(context))
			scene.handles[i].waits = 0;
}

static void on_readable(void *context, struct nchan_end *end)
{
	(void)end;
	stop_waiting(context, false);
}

static void on_writable(void *context, struct nchan_end *end)
{
	(void)end;
	stop_waiting(context, true);
}

static bool is_under_way(unsigned from, unsigned to)
{
	return scene.links[from][to].tx.tail != scene.links[to][from].rx.next;
}

static void on_forgotten(void *context, uint32_t pipe)
{
	(void)context;
	expect(pipe == PIPE && !scene.forgotten, "the id is forgotten once");
	scene.forgotten = 1;
	for (unsigned i = 0; i < scene.handle_count; i++)
		expect(scene.handles[i].state == CLOSED, "no end is open when the id is forgotten");
	for (unsigned from = 0; from < PLACES; from++) {
		expect(!from || !end_at_place(from), "no core knows the id when it is forgotten");
		for (unsigned to = 0; to < PLACES; to++)
			expect(from == to || !is_under_way(from, to),
				"no line is under way when the id is forgotten");
	}
}

static uint32_t name(void)
{
	return PIPE | bound.mode << NCHAN_MODE_SHIFT;
}

static bool take_name(struct nchan_place *place, unsigned from, const struct nchan_line *line)
{
	if (place->self == MAKER) {
		expect(nchan_take_name(place, line), "an id has an end");
		scene.made = 0;
	} else {
		expect(nchan_create_away(place, PIPE, from), "there is a cell for an end");
		nchan_place_send(place, from, nchan_head(NCHAN_NAME, 8, PIPE, 0), line->word, 8);
	}
	return true;
}

static bool on_message(void *context, unsigned from, const struct nchan_line *line)
{
	struct handle *handle = &scene.handles[line->word[0] % HANDLES];
	struct nchan_place *place = &scene.places[self_of(context)];

	if (nchan_head_kind(line->head) == NCHAN_NAME)
		return take_name(place, from, line);
	if (nchan_head_kind(line->head) == NCHAN_WANT)
		expect(nchan_take_back(place, PIPE, from, handle->writes) != NULL,
			"the host takes an end back");
	else
		expect((line->word[1] ? nchan_borrow(place, name())
				      : nchan_adopt(place, name(), handle->writes)) != NULL,
			"there are cells for an end");
	handle->state = OPEN;
	return true;
}

static void on_wake(void *context, unsigned place)
{
	(void)context;
	(void)place;
}

static const struct nchan_events events = {
	.deliver = on_deliver,
	.readable = on_readable,
	.writable = on_writable,
	.forgotten = on_forgotten,
	.message = on_message,
	.wake = on_wake,
};

/* ---- the start ------------------------------------------------------------------------------- */

static unsigned add_handle(bool writes, unsigned place, enum handle_state state)
{
	scene.handles[scene.handle_count] = (struct handle){
		.writes = writes, .place = (unsigned char)place, .state = (unsigned char)state};
	return scene.handle_count++;
}

static void open_place(unsigned self)
{
	struct nchan_place *place = &scene.places[self];

	nchan_place_init(place, self, PLACES, scene.links[self], &events, (void *)(uintptr_t)self);
	nchan_pool_init(&place->pool, scene.cells[self], CELLS);
	for (unsigned i = 0; i < cells_taken; i++)
		nchan_pool_take(&place->pool);
	place->ends = scene.ends[self];
	place->pipes_max = PIPE;
	for (unsigned i = 0; i < PLACES; i++) {
		nchan_tx_init(&scene.links[self][i].tx, &fifos[self][i], 1, START);
		nchan_rx_init(&scene.links[self][i].rx, &fifos[i][self], 1, START);
	}
}

/*
 * Each FIFO has room for bound.room lines, and every line taken is reported at once: what producers
 * know of their consumers is made to say so. (channels/model/fifo.pml is about cursors.)
 */
static void limit_room(void)
{
	for (unsigned from = 0; from < PLACES; from++) {
		for (unsigned to = 0; to < PLACES; to++) {
			struct nchan_rx *rx = &scene.links[to][from].rx;

			scene.links[from][to].tx.consumed =
				rx->next - (NCHAN_FIFO_LINES - 1 - bound.room);
			rx->reported = rx->next;
			fifos[from][to].producer.asked = START;
		}
		scene.places[from].got_room = true;
	}
}

static void make_at_core(void)
{
	const struct nchan_place *place = &scene.places[MAKER];

	scene.made = nchan_end_id(place, nchan_create_here(&scene.places[MAKER]));
	add_handle(false, MAKER, OPEN);
	add_handle(true, MAKER, OPEN);
}

void scene_start(void)
{
	memset(&scene, 0, sizeof(scene));
	memset(fifos, 0, sizeof(fifos));
	scene.passes = bound.ends;
	scene.writes = bound.writes;
	/* Windows are 1 and do not grow where half of the pool is in use. */
	cells_taken = bound.is_scarce ? CELLS / 2 : 0;
	for (unsigned i = 0; i < PLACES; i++)
		open_place(i);
	limit_room();
	if (bound.is_made_at_core) {
		make_at_core();
		return;
	}
	nchan_create(&scene.places[NCHAN_HOST], name());
	for (unsigned i = 0; i < bound.readers; i++) {
		add_handle(false, NCHAN_HOST, OPEN);
		if (i)
			nchan_dup(end_at_place(NCHAN_HOST), false);
	}
	add_handle(true, NCHAN_HOST, OPEN);
}

/* ---- steps: false if not possible now -------------------------------------------------------- */

static bool receive(unsigned place, unsigned from)
{
	struct nchan_rx *rx = &scene.links[place][from].rx;

	if (place == from || !nchan_rx_peek(rx))
		return false;
	nchan_place_receive(&scene.places[place], from, 1);
	return true;
}

static bool flush(unsigned place)
{
	if (!scene.places[place].owing_count)
		return false;
	nchan_place_flush(&scene.places[place]);
	return true;
}

bool is_any_open(bool writes)
{
	for (unsigned i = 0; i < scene.handle_count; i++)
		if (scene.handles[i].writes == writes && scene.handles[i].state != CLOSED)
			return true;
	return false;
}

static void see_end_of_file(struct handle *reader)
{
	reader->gave_up = 1;
	expect(!is_any_open(true), "end of file comes when no writer is open");
	for (unsigned i = 0; i < scene.handle_count; i++)
		expect(scene.handles[i].read == scene.handles[i].count,
			"end of file comes when all is read");
}

/* The host only passes it on. */
bool is_passing_through(const struct handle *handle)
{
	return handle->state == OPEN && !handle->writes && handle->place == NCHAN_HOST &&
	       end_is_away(end_at_place(NCHAN_HOST));
}

static bool read_one(struct handle *handle)
{
	unsigned char byte;
	int64_t result;

	if (handle->waits || handle->gave_up || is_passing_through(handle))
		return false;
	result = nchan_read(&scene.places[handle->place], end_at_place(handle->place), &byte, 1);
	if (result == 1)
		got(byte);
	else if (result == 0)
		see_end_of_file(handle);
	else
		handle->waits = 1;
	expect(result >= 0 || result == -NCHAN_EAGAIN, "a read gives bytes, an end or -EAGAIN");
	return true;
}

static bool write_one(struct handle *handle)
{
	unsigned char byte = byte_of((unsigned)(handle - scene.handles), handle->count);
	int64_t result;

	if (handle->waits || handle->gave_up || !scene.writes)
		return false;
	if (bound.only_cores_write && handle->place == NCHAN_HOST)
		return false;
	result = nchan_write(&scene.places[handle->place], end_at_place(handle->place), &byte, 1);
	if (result == 1) {
		handle->count++;
		scene.writes--;
	} else if (result == -NCHAN_EPIPE) {
		handle->gave_up = 1;
		expect(!is_any_open(false), "-EPIPE comes when no reader is open");
	} else {
		handle->waits = 1;
		expect(result == -NCHAN_EAGAIN, "a write takes bytes or says -EPIPE or -EAGAIN");
	}
	return true;
}

static bool close_end(struct handle *handle)
{
	struct nchan_place *place = &scene.places[handle->place];

	handle->state = CLOSED;
	if (handle->writes)
		nchan_drop_writer(place, end_at_place(handle->place));
	else
		nchan_drop_reader(place, end_at_place(handle->place));
	if (scene.made && !scene.places[MAKER].naming && !is_any_open(true) &&
		!is_any_open(false)) {
		scene.made = 0; /* nobody else knew the pipe */
		scene.forgotten = 1;
	}
	return true;
}

static void send_spawn(unsigned to, unsigned handle, bool lends)
{
	uint64_t words[2] = {handle, lends};

	nchan_place_send(&scene.places[NCHAN_HOST], to,
		nchan_head(NCHAN_SPAWN, sizeof(words), 0, 0), words, sizeof(words));
}

static bool may_give(const struct handle *handle, bool writes, unsigned to)
{
	return handle->writes == writes && handle->place == NCHAN_HOST && to != NCHAN_HOST &&
	       scene.passes && scene.handle_count < HANDLES &&
	       nchan_place_room(&scene.places[NCHAN_HOST], to);
}

/* The first move of the home is only to HOME, or there are as many as places. */
static bool is_elsewhere(unsigned to)
{
	return bound.readers == 1 && to != HOME &&
	       nchan_has_all_readers(end_at_place(NCHAN_HOST), 1);
}

static bool give_reader(struct handle *handle, unsigned to)
{
	struct nchan_place *host = &scene.places[NCHAN_HOST];
	bool lends;

	if (!may_give(handle, false, to) || is_elsewhere(to))
		return false;
	scene.passes--;
	*handle = (struct handle){.state = UNDER_WAY, .place = (unsigned char)to};
	lends = !nchan_has_all_readers(end_at_place(NCHAN_HOST), 1);
	send_spawn(to, (unsigned)(handle - scene.handles), lends);
	(lends ? nchan_lend_reader : nchan_pass_reader)(host, end_at_place(NCHAN_HOST), to);
	return true;
}

static bool give_writer(const struct handle *handle, unsigned to)
{
	if (!may_give(handle, true, to))
		return false;
	scene.passes--;
	send_spawn(to, add_handle(true, to, UNDER_WAY), false);
	nchan_pass_writer(&scene.places[NCHAN_HOST], end_at_place(NCHAN_HOST), to);
	return true;
}

static bool may_hand_back(struct handle *handle, struct nchan_end *end)
{
	unsigned self = handle->place, home = nchan_home_of(end);
	struct nchan_place *place = &scene.places[self];
	unsigned needed = home == self && handle->writes ? 3 : 1;

	return self != NCHAN_HOST && scene.passes &&
	       !nchan_may_hand_back(place, end, 1, handle->writes) &&
	       nchan_place_room(place, NCHAN_HOST) >= needed &&
	       !(handle->writes && home != NCHAN_HOST && home != self && is_under_way(self, home));
}

/* It counts as given; the host may give it again. */
static bool hand_back(struct handle *handle)
{
	struct nchan_place *place = &scene.places[handle->place];
	struct nchan_end *end = end_at_place(handle->place);
	uint64_t word = (uint64_t)(handle - scene.handles);

	if (!may_hand_back(handle, end))
		return false;
	scene.passes--;
	handle->state = UNDER_WAY;
	handle->place = NCHAN_HOST;
	handle->waits = 0;
	nchan_hand_back(place, end, handle->writes);
	nchan_place_send(
		place, NCHAN_HOST, nchan_head(NCHAN_WANT, sizeof(word), 0, 0), &word, sizeof(word));
	(handle->writes ? nchan_drop_writer : nchan_drop_reader)(place, end);
	return true;
}

static bool ask_name(const struct handle *handle)
{
	if (handle->place != MAKER || !scene.made || scene.places[MAKER].naming ||
		!nchan_place_room(&scene.places[MAKER], NCHAN_HOST))
		return false;
	nchan_ask_name(&scene.places[MAKER], end_at_place(MAKER));
	return true;
}

static bool use_handle(struct step step)
{
	struct handle *handle = &scene.handles[step.x];

	if (step.x >= scene.handle_count || handle->state != OPEN)
		return false;
	switch (step.action) {
	case READ:
		return !handle->writes && read_one(handle);
	case WRITE:
		return handle->writes && write_one(handle);
	case CLOSE_END:
		return close_end(handle);
	case GIVE_READER:
		return give_reader(handle, step.y);
	case HAND_BACK:
		return hand_back(handle);
	case ASK_NAME:
		return ask_name(handle);
	default:
		return give_writer(handle, step.y);
	}
}

bool scene_perform(struct step step)
{
	bool done;

	if (step.action == RECEIVE)
		done = receive(step.x, step.y);
	else if (step.action == FLUSH)
		done = flush(step.x);
	else
		done = use_handle(step);
	if (done)
		limit_room();
	return done;
}

/*
 * No slot was used twice, so lines that were there then are there still; those that came since must
 * go.
 */
static void forget_lines(struct nchan_fifo *fifo, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		fifo->slot[i % NCHAN_FIFO_LINES].head = 0;
}

void scene_restore(const struct scene *earlier)
{
	for (unsigned from = 0; from < PLACES; from++)
		for (unsigned to = 0; to < PLACES; to++) {
			uint64_t tail = scene.links[from][to].tx.tail;

			expect(tail - START < NCHAN_FIFO_LINES, "no slot is used twice");
			forget_lines(&fifos[from][to], earlier->links[from][to].tx.tail, tail);
		}
	memcpy(&scene, earlier, sizeof(scene));
}
