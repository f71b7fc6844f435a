#include "tests/host/nipc/hostile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/nipc/nipc_int.h"

enum {
	VIEWS = 4,
	BUFFER = 3 * NIPC_CAPACITY_MIN,
};

struct hostile {
	const uint8_t *bytes;
	size_t left;
	struct ipc_region region; /* the peer's, as it sees it */
	struct nipc *victim;
	int socket;
	uint64_t line;  /* the next one of the peer */
	uint64_t place; /* in the data: where its next piece would lie */
	struct nipc_view views[VIEWS];
	bool is_out[VIEWS];
};

static void must(bool is_right)
{
	if (!is_right)
		abort();
}

static uint64_t take(struct hostile *hostile, size_t nbytes)
{
	uint64_t value = 0;

	if (nbytes > hostile->left)
		nbytes = hostile->left;
	memcpy(&value, hostile->bytes, nbytes);
	hostile->bytes += nbytes;
	hostile->left -= nbytes;
	return value;
}

/* ---- the peer -------------------------------------------------------------------------------- */

/* Values near those that matter. */
static uint64_t odd_value(struct hostile *hostile)
{
	const uint64_t capacity = hostile->region.capacity;
	const uint64_t values[] = {0, 1, 55, 56, 57, NIPC_SMALL, capacity - 1, capacity,
		capacity + 1, 2 * capacity, INT64_MAX, UINT64_MAX, hostile->line, 1u << 31};
	uint64_t draw = take(hostile, 1);

	return draw < 200 ? values[draw % (sizeof values / sizeof values[0])] : take(hostile, 8);
}

static void scribble_word(struct hostile *hostile)
{
	const uint64_t words = (hostile->region.header_nbytes + hostile->region.capacity) / 8;
	uint64_t *word = (uint64_t *)(void *)hostile->region.base + take(hostile, 3) % words;

	nchan_store_release(word, odd_value(hostile));
}

static void scribble_control(struct hostile *hostile)
{
	struct ipc_control *control = ipc_region_control(&hostile->region);
	uint64_t *words[] = {&control->released, &control->receiver_sleeps, &control->sender_sleeps,
		&control->closed};

	nchan_store_release(words[take(hostile, 1) % 4], odd_value(hostile));
}

/* A line that is new for the victim; its fields may be right. */
static void put_line(struct hostile *hostile)
{
	const unsigned slots = hostile->region.slots;
	struct ipc_line *line = &ipc_region_lines(&hostile->region)[hostile->line % slots];
	const uint32_t lap = (uint32_t)(hostile->line / slots) + 1;
	const unsigned kind = take(hostile, 1) % 8;

	for (unsigned i = 0; i < 3; i++)
		line->payload[i] = odd_value(hostile);
	if (kind < 6)
		nchan_store_release(&line->head, lap | ipc_head(kind % 2 ? IPC_SMALL : IPC_PIECE,
							       take(hostile, 1), take(hostile, 1)));
	else
		nchan_store_release(&line->head, take(hostile, 8) << 32 | lap);
	hostile->line++;
}

static void put_piece(struct hostile *hostile, uint64_t nbytes, uint64_t total)
{
	const unsigned slots = hostile->region.slots;
	struct ipc_line *line = &ipc_region_lines(&hostile->region)[hostile->line % slots];
	const uint32_t lap = (uint32_t)(hostile->line / slots) + 1;
	const struct ipc_piece piece = {hostile->place % hostile->region.capacity, nbytes, total,
		take(hostile, 1) % 8 ? 0 : take(hostile, 1)};

	memcpy(line->payload, &piece, sizeof piece);
	nchan_store_release(
		&line->head, lap | (total <= IPC_PAYLOAD_BYTES ? ipc_head(IPC_SMALL, nbytes, total)
							       : ipc_head(IPC_PIECE, 0, 0)));
	hostile->line++;
	hostile->place += total > IPC_PAYLOAD_BYTES ? nbytes : 0;
}

/* As an honest peer would, but that it waits for no room: else only refusals would be tried. */
static void put_honest_message(struct hostile *hostile)
{
	const uint64_t nbytes = 1 + take(hostile, 2) % 20000, parts = 1 + take(hostile, 1) % 3;

	for (uint64_t part = 0; part < parts; part++)
		put_piece(hostile, nbytes, nbytes > IPC_PAYLOAD_BYTES ? nbytes * parts : nbytes);
}

static void wake_in_vain(const struct hostile *hostile)
{
	send(hostile->socket, "hello", 5, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- the victim ------------------------------------------------------------------------------ */

static void expect_sane(int64_t result)
{
	must(result >= 0 || result == -EAGAIN || result == -EPROTO || result == -EPIPE ||
		result == -EMSGSIZE || result == -EBUSY || result == -ENOBUFS || result == -EINVAL);
}

/* Within the mapping; reading it all would be a fault where it is not. */
static void expect_inside(const struct hostile *hostile, const struct nipc_view *view)
{
	const struct ipc_region *region = &hostile->victim->theirs;
	const unsigned char *bytes = view->bytes, *data = ipc_region_data(region);
	unsigned sum = 0;

	if (bytes != view->small) {
		must(bytes >= data && view->nbytes <= region->capacity);
		must(bytes + view->nbytes <= data + 2 * region->capacity);
	} else {
		must(view->nbytes <= NIPC_SMALL);
	}
	for (size_t i = 0; i < view->nbytes; i++)
		sum += bytes[i];
	must(sum <= 255 * view->nbytes);
}

static void borrow_or_release(struct hostile *hostile, unsigned at, bool is_part)
{
	struct nipc_view *view = &hostile->views[at];
	int64_t result;

	if (hostile->is_out[at]) {
		must(!nipc_release(hostile->victim, view));
		hostile->is_out[at] = false;
		return;
	}
	result = is_part ? nipc_borrow_part(hostile->victim, view)
			 : nipc_borrow(hostile->victim, view);
	expect_sane(result);
	hostile->is_out[at] = result > 0;
	if (result > 0)
		expect_inside(hostile, view);
}

static void call_victim(struct hostile *hostile)
{
	static unsigned char buffer[BUFFER];
	const uint64_t draw = take(hostile, 1);
	const size_t nbytes = take(hostile, 3) % (sizeof buffer + 1);
	void *room;

	switch (draw % 8) {
	case 0:
		expect_sane(nipc_recv(hostile->victim, buffer, nbytes));
		break;
	case 1:
		expect_sane(nipc_send(hostile->victim, buffer, nbytes));
		break;
	case 2:
		expect_sane(nipc_next(hostile->victim));
		break;
	case 3:
	case 4:
		borrow_or_release(hostile, draw / 8 % VIEWS, draw % 8 == 3);
		break;
	case 5:
		expect_sane(nipc_reserve(hostile->victim, nbytes, &room));
		break;
	case 6:
		expect_sane(draw / 8 % 2 ? nipc_commit(hostile->victim, nbytes)
					 : nipc_commit_part(hostile->victim, nbytes));
		break;
	default:
		expect_sane(nipc_progress(hostile->victim, NIPC_SENDING | NIPC_RECEIVING));
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void open_victim(struct hostile *hostile)
{
	const struct ipc_region_wish wish = {NIPC_CAPACITY_MIN, false, false};
	const struct nipc_attr attr = {.capacity = NIPC_CAPACITY_MIN};
	struct ipc_hello hello = {.magic = IPC_MAGIC, .version = IPC_VERSION};
	struct nhost_error error;
	int fds[IPC_HELLO_FDS], pair[2];

	must(!nipc_pair(pair));
	fds[0] = ipc_region_create(&hostile->region, &wish, &error);
	fds[1] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	must(fds[0] >= 0 && fds[1] >= 0);
	hello.slots = hostile->region.slots;
	hello.header_nbytes = hostile->region.header_nbytes;
	hello.capacity = hostile->region.capacity;
	must(!ipc_socket_greet(pair[0], &hello, fds, &error));
	must(!nipc_adopt(pair[1], &attr, 0, &hostile->victim));
	must(!nipc_set_timeout(hostile->victim, 0));
	hostile->socket = pair[0];
	close(fds[0]);
	close(fds[1]);
}

void hostile_run(const uint8_t *bytes, size_t nbytes)
{
	struct hostile hostile = {.bytes = bytes, .left = nbytes};

	open_victim(&hostile);
	if (take(&hostile, 1) % 4 == 0)
		must(nipc_fd(hostile.victim, NIPC_RECEIVING) >= 0);
	while (hostile.left) {
		const uint64_t draw = take(&hostile, 1);

		if (draw < 8)
			put_line(&hostile);
		else if (draw < 16)
			scribble_control(&hostile);
		else if (draw < 64)
			scribble_word(&hostile);
		else if (draw < 128)
			put_honest_message(&hostile);
		else
			call_victim(&hostile);
		if (draw % 32 == 0)
			wake_in_vain(&hostile);
	}
	nipc_close(hostile.victim);
	close(hostile.socket);
	ipc_region_destroy(&hostile.region);
}
