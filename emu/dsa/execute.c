/*
 * execute.c - one descriptor, as hardware does it: in steps through a buffer, until it is done or a
 * page is not there.
 */
#include <stdlib.h>
#include <string.h>

#include "emu/dsa/model.h"
#include "host/engine.h"

enum {
	STEP = 64 * 1024,
	WORD = 8,
	ENTRY = 10,
	DELTA_RANGE = 65536 * WORD,
	DELTA_MIN = 80,
	PAGE = 4096,
};

struct run {
	pid_t client;
	const struct dsa_hw_desc *descriptor;
	struct dsa_completion_record *record;
	struct ndsa_fault fault;
	size_t done;   /* bytes */
	bool backward; /* the last bytes first */
	bool stopped;  /* by a fault; the record says so */
};

static unsigned char buffer[STEP], other[STEP];

static void stop(struct run *run, uint64_t address, bool is_write)
{
	run->record->status = DSA_COMP_PAGE_FAULT_NOBOF | (is_write ? DSA_COMP_STATUS_WRITE : 0);
	run->record->fault_addr = address;
	run->stopped = true;
}

/* Bytes of the next step: the injected fault lies behind a step, never in it. */
static size_t step_of(const struct run *run, size_t total)
{
	size_t left = total - run->done;
	size_t until_fault = run->fault.at > run->done ? run->fault.at - run->done : 0;

	left = left < STEP ? left : STEP;
	return left < until_fault ? left : until_fault;
}

/* The injected one: as many bytes have been done as were asked for. */
static bool is_due(const struct run *run)
{
	return run->done >= run->fault.at;
}

/* Where the step that begins after `done` bytes lies. */
static size_t place_of(const struct run *run, size_t total, size_t nbytes)
{
	return run->backward ? total - run->done - nbytes : run->done;
}

static size_t fetch(struct run *run, uint64_t address, void *to, size_t nbytes)
{
	size_t count = ndsa_read(run->client, address, to, nbytes);

	if (count < nbytes)
		stop(run, address + count, false);
	return count;
}

static size_t store(struct run *run, uint64_t address, const void *from, size_t nbytes)
{
	size_t count = ndsa_write(run->client, address, from, nbytes);

	if (count < nbytes)
		stop(run, address + count, true);
	return count;
}

/* ---- operations: a step each, after which run->done is what has been done -------------------- */

/* A step that could not be done whole from its last byte on counts as not done. */
static void copy_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes);

	if (run->backward && count < nbytes)
		return;
	count = store(run, d->dst_addr + at, buffer, count);
	run->done += run->backward && count < nbytes ? 0 : count;
}

static void fill_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;

	for (size_t i = 0; i < nbytes; i++)
		buffer[i] = (unsigned char)(d->pattern >> 8 * ((at + i) % WORD));
	run->done += store(run, d->dst_addr + at, buffer, nbytes);
}

static void compare_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes), i = 0;

	if (d->opcode == DSA_OPCODE_COMPARE)
		count = fetch(run, d->src2_addr + at, other, count);
	else
		for (; i < count; i++)
			other[i] = (unsigned char)(d->comp_pattern >> 8 * ((at + i) % WORD));
	for (i = 0; i < count && buffer[i] == other[i]; i++)
		;
	run->done += i;
	if (i == count)
		return;
	run->record->result = 1;
	run->record->status = DSA_COMP_SUCCESS;
	run->stopped = true;
}

static void crc_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes);

	if (d->opcode == DSA_OPCODE_COPY_CRC)
		count = store(run, d->dst_addr + at, buffer, count);
	run->record->crc_val = nhost_crc32c((uint32_t)run->record->crc_val, buffer, count);
	run->done += count;
}

static void dualcast_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes);

	count = store(run, d->dst_addr + at, buffer, count);
	run->done += store(run, d->dest2 + at, buffer, count);
}

static void put_entry(struct run *run, size_t at, const unsigned char *word)
{
	const struct dsa_hw_desc *d = run->descriptor;
	uint16_t number = (uint16_t)(at / WORD);
	unsigned char entry[ENTRY];

	if (run->record->delta_rec_size + ENTRY > d->max_delta_size) {
		run->record->result = 2;
		run->record->status = DSA_COMP_SUCCESS;
		run->stopped = true;
		return;
	}
	memcpy(entry, &number, sizeof number);
	memcpy(entry + sizeof number, word, WORD);
	if (store(run, d->delta_addr + run->record->delta_rec_size, entry, ENTRY) < ENTRY)
		return;
	run->record->result = 1;
	run->record->delta_rec_size += ENTRY;
}

static void create_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes) / WORD * WORD;

	count = fetch(run, d->src2_addr + at, other, count) / WORD * WORD;
	for (size_t i = 0; i < count; i += WORD) {
		bool was_stopped = run->stopped;

		run->stopped = false;
		if (memcmp(buffer + i, other + i, WORD) != 0)
			put_entry(run, at + i, other + i);
		if (run->stopped)
			return;
		run->stopped = was_stopped;
		run->done += WORD;
	}
}

static void apply_step(struct run *run, size_t at, size_t nbytes)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t count = fetch(run, d->src_addr + at, buffer, nbytes / ENTRY * ENTRY);

	for (size_t i = 0; i + ENTRY <= count; i += ENTRY) {
		uint16_t number, before;

		memcpy(&number, buffer + i, sizeof number);
		memcpy(&before, i ? buffer + i - ENTRY : other, sizeof before);
		if (at + i && number <= before)
			run->record->status = DSA_COMP_DR_OFFSET_NOINC;
		else if (number >= d->xfer_size / WORD)
			run->record->status = DSA_COMP_DR_OFFSET_ERANGE;
		if (run->record->status || store(run, d->dst_addr + (uint64_t)number * WORD,
						   buffer + i + 2, WORD) < WORD) {
			run->stopped = true;
			return;
		}
		memcpy(other, &number, sizeof number);
		run->done += ENTRY;
	}
	run->stopped |= !count;
}

static void do_step(struct run *run, size_t at, size_t nbytes)
{
	switch (run->descriptor->opcode) {
	case DSA_OPCODE_MEMMOVE:
		copy_step(run, at, nbytes);
		break;
	case DSA_OPCODE_MEMFILL:
		fill_step(run, at, nbytes);
		break;
	case DSA_OPCODE_COMPARE:
	case DSA_OPCODE_COMPVAL:
		compare_step(run, at, nbytes);
		break;
	case DSA_OPCODE_CRCGEN:
	case DSA_OPCODE_COPY_CRC:
		crc_step(run, at, nbytes);
		break;
	case DSA_OPCODE_DUALCAST:
		dualcast_step(run, at, nbytes);
		break;
	case DSA_OPCODE_CR_DELTA:
		create_step(run, at, nbytes);
		break;
	default:
		apply_step(run, at, nbytes);
	}
}

/* ---- what is refused ------------------------------------------------------------------------- */

static bool overlap(uint64_t a, uint64_t b, uint64_t nbytes)
{
	return a < b ? b - a < nbytes : a - b < nbytes;
}

static bool is_delta(const struct dsa_hw_desc *d)
{
	return d->opcode == DSA_OPCODE_CR_DELTA || d->opcode == DSA_OPCODE_AP_DELTA;
}

static unsigned refuse_delta(const struct dsa_hw_desc *d)
{
	bool is_create = d->opcode == DSA_OPCODE_CR_DELTA;
	uint64_t addresses = d->src_addr | d->dst_addr | (is_create ? d->delta_addr : 0);
	uint32_t record = is_create ? d->max_delta_size : d->delta_rec_size;

	if (addresses % WORD)
		return DSA_COMP_ADDR_ALIGN;
	if (d->xfer_size % WORD || d->xfer_size > DELTA_RANGE)
		return DSA_COMP_XFER_ERANGE;
	if (record % ENTRY || !record || (is_create && record < DELTA_MIN))
		return DSA_COMP_DR_ERANGE;
	return 0;
}

/* 0, or the status that says why not. */
static unsigned refuse(const struct ndsa_options *options, const struct dsa_hw_desc *d)
{
	bool known = (d->opcode >= DSA_OPCODE_MEMMOVE && d->opcode <= DSA_OPCODE_DUALCAST) ||
		     d->opcode == DSA_OPCODE_CRCGEN || d->opcode == DSA_OPCODE_COPY_CRC;
	bool is_move = d->opcode == DSA_OPCODE_MEMMOVE;

	if (!known)
		return DSA_COMP_BAD_OPCODE;
	if (d->flags & IDXD_OP_FLAG_CC && !options->has_cache_control)
		return DSA_COMP_INVALID_FLAGS;
	if (!d->xfer_size || d->xfer_size > options->max_transfer)
		return DSA_COMP_XFER_ERANGE;
	if (is_delta(d))
		return refuse_delta(d);
	if (d->opcode == DSA_OPCODE_DUALCAST && (d->dst_addr ^ d->dest2) % PAGE)
		return DSA_COMP_DCAST_ERR;
	if ((is_move && !options->has_overlap) || d->opcode == DSA_OPCODE_COPY_CRC ||
		d->opcode == DSA_OPCODE_DUALCAST)
		if (overlap(d->src_addr, d->dst_addr, d->xfer_size))
			return DSA_COMP_OVERLAP_BUFFERS;
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void run_all(struct run *run)
{
	const struct dsa_hw_desc *d = run->descriptor;
	size_t total = d->opcode == DSA_OPCODE_AP_DELTA ? d->delta_rec_size : d->xfer_size;

	while (run->done < total && !run->stopped && !run->record->status) {
		size_t nbytes = step_of(run, total);
		size_t at = place_of(run, total, nbytes);

		if (is_due(run))
			stop(run, (run->fault.is_write ? d->dst_addr : d->src_addr) + at,
				run->fault.is_write);
		else
			do_step(run, at, nbytes);
	}
	run->record->bytes_completed = (uint32_t)run->done;
	if (!run->record->status)
		run->record->status = DSA_COMP_SUCCESS;
}

void ndsa_execute(const struct ndsa_options *options, pid_t client, const struct dsa_hw_desc *d,
	struct ndsa_fault fault, struct dsa_completion_record *record)
{
	struct run run = {client, d, record, fault, 0, false, false};

	memset(record, 0, sizeof *record);
	if (d->opcode == DSA_OPCODE_NOOP || d->opcode == DSA_OPCODE_DRAIN) {
		record->status = DSA_COMP_SUCCESS;
		return;
	}
	record->status = (uint8_t)refuse(options, d);
	if (record->status)
		return;
	/* Words and entries are done whole. */
	if (is_delta(d) && run.fault.at != NDSA_NEVER)
		run.fault.at -= run.fault.at % (d->opcode == DSA_OPCODE_AP_DELTA ? ENTRY : WORD);
	if (d->opcode == DSA_OPCODE_CRCGEN || d->opcode == DSA_OPCODE_COPY_CRC)
		record->crc_val = d->crc_seed;
	run.backward = d->opcode == DSA_OPCODE_MEMMOVE && d->dst_addr > d->src_addr &&
		       overlap(d->src_addr, d->dst_addr, d->xfer_size);
	if (run.backward)
		record->result = 1;
	run_all(&run);
}
