/*
 * stream.c - reading and writing: one attempt each.
 */
#include "channels/end_int.h"

/* As many lines as credits and room allow, all full but for the last: how many bytes. */
static uint64_t put_lines(
	struct nchan_place *place, struct nchan_end *end, const char *bytes, uint64_t nbytes)
{
	struct nchan_link *link = &place->links[end->home];
	uint64_t most = nchan_min(end->credit, nchan_tx_room(&link->tx));
	uint64_t full = nchan_min(most, nbytes / NCHAN_PAYLOAD_BYTES);
	uint64_t done = full * NCHAN_PAYLOAD_BYTES;
	unsigned rest = full < most ? (unsigned)nchan_min(nbytes - done, NCHAN_PAYLOAD_BYTES) : 0;

	nchan_tx_put_full(
		&link->tx, nchan_head(NCHAN_DATA, NCHAN_PAYLOAD_BYTES, end->pipe, 0), bytes, full);
	if (rest)
		nchan_tx_put(
			&link->tx, nchan_head(NCHAN_DATA, rest, end->pipe, 0), bytes + done, rest);
	full += rest != 0;
	end->credit = (uint16_t)(end->credit - full);
	link->lines_out += full;
	link->bytes_out += done + rest;
	return done + rest;
}

/* To a home elsewhere. Once for all lines it is looked at whether the home sleeps. */
static int64_t write_remote(
	struct nchan_place *place, struct nchan_end *end, const char *bytes, uint64_t nbytes)
{
	uint64_t done;

	if (end->flags & (END_CLOSING | END_RECALLED | END_MOVING) || end->queue_tail)
		return -NCHAN_EAGAIN;
	done = put_lines(place, end, bytes, nbytes);
	if (done) {
		nchan_place_wake(place, end->home);
		return (int64_t)done;
	}
	if (end->credit) {
		nchan_tx_ask(&place->links[end->home].tx);
		end_owe(place, end, DUE_ROOM);
	}
	return -NCHAN_EAGAIN;
}

static bool may_enqueue(
	struct nchan_place *place, const struct nchan_end *end, struct account *account)
{
	if (account->out)
		return true;
	if (!account_grow(place, end, account))
		return false;
	account->out = account->owed;
	account->owed = 0;
	return true;
}

/* Writer and reader are both here: straight into a waiting reader's buffer, or into the queue. */
static int64_t write_local(
	struct nchan_place *place, struct nchan_end *end, const char *bytes, uint64_t nbytes)
{
	struct account *account = account_find(place, end, place->self);
	uint64_t done = 0;

	if (!account || account->balance <= 0) /* its ATTACH has not come */
		return -NCHAN_EAGAIN;
	if (!end->queue_tail)
		done = place->events->deliver(place->context, end, bytes, nbytes);
	while (done < nbytes && may_enqueue(place, end, account)) {
		unsigned now = (unsigned)nchan_min(nbytes - done, NCHAN_PAYLOAD_BYTES);

		queue_add_data(place, end, place->self, bytes + done, now);
		account->out--;
		done += now;
	}
	if (end->queue_tail)
		end_offer(place, end);
	return done ? (int64_t)done : -NCHAN_EAGAIN;
}

int64_t nchan_write(
	struct nchan_place *place, struct nchan_end *end, const void *bytes, uint64_t nbytes)
{
	if (end->flags & END_BROKEN)
		return -NCHAN_EPIPE;
	if (!nbytes)
		return nchan_is_of_packets(end) ? -NCHAN_EINVAL : 0;
	if (nbytes > NCHAN_PAYLOAD_BYTES && nchan_is_of_packets(end))
		return -NCHAN_EMSGSIZE;
	return end->home == place->self ? write_local(place, end, bytes, nbytes)
					: write_remote(place, end, bytes, nbytes);
}

void end_consume_head(struct nchan_place *place, struct nchan_end *end, unsigned writer)
{
	struct account *account = account_find(place, end, writer);

	queue_remove(place, end);
	if (nchan_likely(account && account->window)) {
		nchan_pool_promise(&place->pool, 1);
		account_consumed(place, end, account, 1);
	} else if (end->flags & END_ACCOUNTS_LISTED) {
		accounts_owe(place, end); /* a first credit may have waited for this */
	}
}

/* How much of nbytes a read takes: of packets one, whole. */
static int64_t wanted(const struct nchan_place *place, const struct nchan_end *end, uint64_t nbytes)
{
	uint64_t next = queue_head(place, end)->length;

	return nbytes && nbytes < next ? -NCHAN_EMSGSIZE : (int64_t)nchan_min(nbytes, next);
}

int64_t nchan_read(struct nchan_place *place, struct nchan_end *end, void *bytes, uint64_t nbytes)
{
	struct waiting_line *line;
	uint64_t done = 0;

	if (nchan_unlikely(end_is_away(end)))
		return end->flags & END_BORROWS ? borrow_read(place, end, nbytes) : -NCHAN_EBADF;
	if (!end->queue_tail) {
		if (end->mode & NCHAN_CALLS)
			return call_read(place, end, bytes, nbytes);
		return !nbytes || end_has_no_writer(place, end) ? 0 : -NCHAN_EAGAIN;
	}
	if (nchan_unlikely(end->flags & END_LENT))
		return nbytes ? -NCHAN_EAGAIN : 0;
	if (nchan_unlikely(end->mode & NCHAN_PACKETS)) {
		int64_t packet = wanted(place, end, nbytes);

		if (packet < 0)
			return packet;
		nbytes = (uint64_t)packet;
	}
	while (done < nbytes && (line = queue_head(place, end))) {
		unsigned now =
			(unsigned)nchan_min(nbytes - done, (unsigned)line->length - line->offset);

		nchan_copy_few((char *)bytes + done, (const char *)line->word + line->offset, now);
		done += now;
		line->offset = (uint8_t)(line->offset + now);
		if (line->offset == line->length)
			end_consume_head(place, end, line->place);
	}
	return (int64_t)done;
}

/* A line of data from a writer, which gave up a credit for it, or of a loan. */
bool end_take_data(struct nchan_place *place, struct nchan_end *end, unsigned from,
	const void *bytes, unsigned nbytes, uint32_t arg)
{
	struct account *account = end->flags & END_HOME ? account_find(place, end, from) : NULL;
	unsigned done = 0;

	if (nchan_unlikely(end->flags & END_BORROWS))
		return borrow_take(place, end, from, bytes, nbytes, arg);
	if (!account || !account->out || !nbytes || nbytes > NCHAN_PAYLOAD_BYTES)
		return false;
	account->out--;
	if (end->flags & END_BROKEN) {
		account->owed++;
		return true;
	}
	if (!end->queue_tail && !(end->flags & END_MOVING))
		done = (unsigned)place->events->deliver(place->context, end, bytes, nbytes);
	if (done == nbytes) {
		account_consumed(place, end, account, 1);
		return true;
	}
	queue_add_data(place, end, from, (const char *)bytes + done, nbytes - done);
	end_offer(place, end);
	return true;
}
