/*
 * abroad.c - a process starts another on another core. The host does it, as it does what the
 * program asks for, and tells when and how the other has ended. Until then an entry in the table of
 * kin stands for it.
 */
#include "device/core_int.h"

/* ---- letters to the host --------------------------------------------------------------------- */

static unsigned lines_of(unsigned nbytes)
{
	return (nbytes + NCHAN_PAYLOAD_BYTES - 1) / NCHAN_PAYLOAD_BYTES;
}

static void send_lines(struct ndev_core *core, const struct letter *letter)
{
	unsigned left = lines_of(letter->nbytes);

	for (unsigned done = 0; left--; done += NCHAN_PAYLOAD_BYTES) {
		unsigned now = (unsigned)nchan_min(letter->nbytes - done, NCHAN_PAYLOAD_BYTES);

		nchan_place_send(&core->place, NCHAN_HOST, nchan_head(letter->kind, now, 0, left),
			letter->bytes + done, now);
	}
}

void letters_flush(struct ndev_core *core)
{
	struct letter *letter = core->letters;

	while (letter && nchan_place_room(&core->place, NCHAN_HOST) >= lines_of(letter->nbytes)) {
		struct letter *next = letter->next;

		send_lines(core, letter);
		ndev_frames_put(&core->frames, letter);
		letter = next;
	}
	core->letters = letter;
	if (letter)
		nchan_tx_ask(&core->links[NCHAN_HOST].tx);
}

/* NULL: no memory. */
static struct letter *write_letter(struct ndev_core *core, enum nchan_kind kind, unsigned nbytes)
{
	struct letter *letter = ndev_frames_take(&core->frames, sizeof(*letter) + nbytes);

	if (letter)
		*letter = (struct letter){.kind = (uint16_t)kind, .nbytes = (uint16_t)nbytes};
	return letter;
}

static void post(struct ndev_core *core, struct letter *letter)
{
	if (core->letters)
		core->last_letter->next = letter;
	else
		core->letters = letter;
	core->last_letter = letter;
	letters_flush(core);
}

int kill_abroad(struct ndev_core *core, uint64_t self)
{
	struct letter *letter = write_letter(core, NCHAN_KILL, sizeof(struct nmsg_kill));

	if (!letter)
		return -NCHAN_ENOMEM;
	nchan_copy(letter->bytes, &self, sizeof(self));
	post(core, letter);
	return 0;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static struct nchan_end *end_to_pass(const struct birth *birth, unsigned index)
{
	uint32_t end = fd_end(birth->parent, birth->start->ends[index]);

	return nchan_end_by_id(&birth->core->place, end & ~NMSG_END_WRITES);
}

/*
 * Has the end's home taken what this process wrote? If not, that must be so the next time: what
 * others write to there meanwhile does not count.
 */
static bool is_taken(const struct birth *birth, const struct nchan_end *end)
{
	struct process *parent = birth->parent;
	unsigned home = nchan_home_of(end);
	bool is_fenced = parent->flags & PROCESS_FENCED && parent->end == home;
	uint64_t written, taken;

	nchan_home_positions(&birth->core->place, end, &written, &taken);
	if (written == taken || (is_fenced && taken >= (uintptr_t)parent->buffer))
		return true;
	if (!is_fenced) {
		parent->flags |= PROCESS_FENCED;
		parent->end = home;
		parent->buffer = (void *)(uintptr_t)written;
	}
	return false;
}

static int check_end(const struct birth *birth, unsigned index)
{
	uint32_t writes = fd_end(birth->parent, birth->start->ends[index]) & NMSG_END_WRITES;
	struct nchan_place *place = &birth->core->place;
	struct nchan_end *end = end_to_pass(birth, index);
	int error;

	if (!nchan_pipe_of(end))
		return nchan_ask_name(place, end);
	error = nchan_may_hand_back(place, end, birth->start->end_count, writes);
	if (error || !writes)
		return error;
	return is_taken(birth, end) ? 0 : -NCHAN_EBUSY;
}

/*
 * Ends that go abroad go at once, with the letter: so nothing may wait, and there must be room for
 * what the home, if that is here, has to tell the host.
 */
static int check_ends(const struct birth *birth, unsigned lines)
{
	const struct ndev_core *core = birth->core;
	unsigned count = birth->start->end_count;
	int error = 0;

	for (unsigned i = 0; i < count && !error; i++)
		error = check_end(birth, i);
	if (error || !count)
		return error;
	return core->letters || nchan_place_room(&core->place, NCHAN_HOST) < lines + 2 * count
		       ? -NCHAN_EBUSY
		       : 0;
}

static void hand_back(const struct birth *birth, uint32_t *pipes)
{
	for (unsigned i = 0; i < birth->start->end_count; i++) {
		uint32_t writes = fd_end(birth->parent, birth->start->ends[i]) & NMSG_END_WRITES;
		struct nchan_end *end = end_to_pass(birth, i);

		pipes[i] = nchan_pipe_of(end) | writes;
		nchan_hand_back(&birth->core->place, end, writes);
	}
}

static void drop_handed_back(const struct birth *birth)
{
	for (unsigned i = 0; i < birth->start->end_count; i++) {
		uint32_t *end = &process_ends(birth->parent)[birth->start->ends[i]];
		uint32_t id = *end;

		*end = 0;
		end_drop(birth->core, id);
	}
}

/* ---- the question and its answer ------------------------------------------------------------- */

static unsigned words_offset(const struct birth *birth)
{
	return (unsigned)(sizeof(struct nmsg_want) +
			  ((birth->start->end_count * sizeof(uint32_t) + 7) & ~7ull));
}

static uint16_t writable_of(const struct birth *birth)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < birth->segment_count; i++)
		mask |= (birth->segments[i].writable != 0) << i;
	return (uint16_t)mask;
}

static void ask(const struct birth *birth, struct letter *letter, struct nmsg_want *head)
{
	uint32_t pipes[NK_ENDS_MAX + 1] = {0};

	head->writable = writable_of(birth);
	head->end_count = (uint8_t)birth->start->end_count;
	head->word_count = (uint8_t)birth->code->word_count;
	head->core = birth->start->core;
	head->weight = birth->start->weight;
	hand_back(birth, pipes);
	nchan_copy(letter->bytes, head, sizeof(*head));
	nchan_copy(letter->bytes + sizeof(*head), pipes, words_offset(birth) - sizeof(*head));
	nchan_copy(letter->bytes + words_offset(birth), birth->words, head->word_count * 8u);
	post(birth->core, letter);
	birth->parent->flags &= (uint8_t)~PROCESS_FENCED;
	drop_handed_back(birth);
}

int64_t spawn_abroad(const struct birth *birth)
{
	struct ndev_core *core = birth->core;
	unsigned nbytes = words_offset(birth) + (unsigned)birth->code->word_count * 8;
	int number = check_ends(birth, lines_of(nbytes));
	struct nmsg_want head = {0};
	struct letter *letter;

	if (number)
		return number;
	if (!image_find(core->device, birth->code, &head.image, &head.kernel))
		return -NCHAN_EINVAL;
	letter = write_letter(core, NCHAN_WANT, nbytes);
	if (!letter)
		return -NCHAN_ENOMEM;
	number = kin_begin(core, birth->parent, KIN_ABROAD, &head.self);
	if (number < 0)
		ndev_frames_put(&core->frames, letter);
	else
		ask(birth, letter, &head);
	return number;
}

bool receive_exit(struct ndev_core *core, const struct nchan_line *line)
{
	struct nmsg_exit how;

	nchan_copy(&how, line->word, sizeof(how));
	return how.ending <= NMSG_REFUSED && kin_end_abroad(core, &how);
}
