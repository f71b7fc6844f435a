/*
 * kernels.c - what the conformance suite runs on devices. Each is as small as its claim allows. End
 * 0 is read and end 1 written unless said otherwise.
 */
#include <string.h>

#include <nearside/kernel.h>

#include "tests/conformance/kernels.h"

/* ---- exits and arguments --------------------------------------------------------------------- */

NPROC_KERNEL int64_t exit_with(int64_t code)
{
	return code;
}

static void leave(int64_t code)
{
	nproc_exit(code + 1);
}

NPROC_KERNEL int64_t exit_in_helper(int64_t code)
{
	leave(code);
	return 0;
}

typedef const bool yes_or_no; /* still a bool: 0 or 1 */

NPROC_KERNEL int64_t integers(int8_t i8, uint8_t u8, int16_t i16, uint16_t u16, int32_t i32,
	uint32_t u32, int64_t i64, uint64_t u64, yes_or_no flag)
{
	int64_t seen[] = {i8, u8, i16, u16, i32, u32, i64, (int64_t)u64, flag};

	npipe_write(0, seen, sizeof seen);
	return 0;
}

NPROC_KERNEL int64_t floats(float single, double twice)
{
	double seen[] = {(double)single, twice};

	npipe_write(0, seen, sizeof seen);
	return 0;
}

NPROC_KERNEL int64_t structs(
	struct one one, struct three three, struct twelve twelve, struct most most)
{
	npipe_write(0, &one, sizeof one);
	npipe_write(0, &three, sizeof three);
	npipe_write(0, &twelve, sizeof twelve);
	npipe_write(0, &most, sizeof most);
	return 0;
}

NPROC_KERNEL int64_t sixteen(uint8_t a, uint16_t b, uint32_t c, uint64_t d, uint8_t e, uint16_t f,
	uint32_t g, uint64_t h, uint8_t i, uint16_t j, uint32_t k, uint64_t l, uint8_t m,
	uint16_t n, uint32_t o, struct most p)
{
	uint64_t sum = a + 2u * b + 3u * c + 4u * d + 5u * e + 6u * f + 7u * g + 8u * h + 9u * i +
		       10u * j + 11u * k + 12u * l + 13u * m + 14u * n + 15u * o;

	return (int64_t)(sum + 16u * p.bytes[31]);
}

/* ---- far memory ------------------------------------------------------------------------------ */

NPROC_KERNEL int64_t sum(const far uint8_t *bytes, uint64_t nbytes)
{
	int64_t total = 0;

	nmem_refresh(bytes, nbytes);
	for (uint64_t i = 0; i < nbytes; i++)
		total += bytes[i];
	return total;
}

NPROC_KERNEL int64_t fill(far uint8_t *bytes, uint64_t nbytes, uint8_t value)
{
	nmem_refresh(bytes, nbytes);
	for (uint64_t i = 0; i < nbytes; i++)
		bytes[i] = value;
	nmem_publish(bytes, nbytes);
	return 0;
}

NPROC_KERNEL int64_t read_at(const far uint8_t *bytes, int64_t offset)
{
	return bytes[offset];
}

NPROC_KERNEL int64_t write_at(far uint8_t *bytes, int64_t offset, uint8_t value)
{
	bytes[offset] = value;
	return 0;
}

NPROC_KERNEL int64_t read_words_at(const far uint64_t *words, int64_t index)
{
	return (int64_t)words[index];
}

NPROC_KERNEL int64_t write_to_const(const far uint8_t *bytes)
{
	*(far uint8_t *)bytes = 1;
	return 0;
}

NPROC_KERNEL int64_t is_null(const far uint8_t *bytes)
{
	return bytes == NULL;
}

/* Copies between two allocations, so both are granted, one of them read-only. */
NPROC_KERNEL int64_t copy_far(far uint8_t *to, const far uint8_t *from, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i++)
		to[i] = from[i];
	return 0;
}

NPROC_KERNEL int64_t sum_list(const far struct list_node *node)
{
	int64_t total = 0;

	for (; node; node = node->next) {
		nmem_refresh(node, sizeof *node);
		total += node->value;
	}
	return total;
}

/* A pointer that comes through a pipe grants nothing. */
NPROC_KERNEL int64_t read_from_pointer_in_pipe(const far uint8_t *granted)
{
	const far uint8_t *pointer = granted;

	npipe_read_full(0, &pointer, sizeof pointer);
	return *pointer;
}

/*
 * Answers over end 1 whenever it is asked over end 0, so it can be asked after the host changed
 * memory.
 */
NPROC_KERNEL int64_t read_when_asked(const far uint64_t *word)
{
	char question;

	while (npipe_read(0, &question, 1) == 1) {
		nmem_refresh(word, sizeof *word);
		uint64_t value = *word;
		npipe_write(1, &value, sizeof value);
	}
	return 0;
}

NPROC_KERNEL int64_t add_atomically(far uint64_t *word, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	return 0;
}

/* ---- life and death -------------------------------------------------------------------------- */

NPROC_KERNEL int64_t wait_for_end(void)
{
	char byte;

	while (npipe_read(0, &byte, 1) > 0)
		;
	return 0;
}

NPROC_KERNEL int64_t spin(void)
{
	for (;;)
		;
}

/* Tells that it runs, and never again suspends. */
NPROC_KERNEL int64_t spin_in_far_memory(far uint64_t *word)
{
	nmem_refresh(word, sizeof *word);
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	nmem_publish(word, sizeof *word);
	for (;;)
		__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

NPROC_KERNEL int64_t yield_for_ever(void)
{
	for (;;)
		nproc_yield();
}

NPROC_KERNEL int64_t yield_times(uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		nproc_yield();
	return 0;
}

/* ---- faults ---------------------------------------------------------------------------------- */

NPROC_KERNEL int64_t divide(int64_t a, int64_t b)
{
	return a / b; /* LINE_OF divide */
}

static int64_t checked(int64_t value)
{
	nproc_assert(value != 13); /* LINE_OF checked */
	return value;
}

NPROC_KERNEL int64_t assert_not_13(int64_t value)
{
	return checked(value);
}

NPROC_KERNEL int64_t index_array(uint32_t index)
{
	int64_t squares[8];

	for (uint32_t i = 0; i < 8; i++)
		squares[i] = (int64_t)i * i;
	return squares[index];
}

NPROC_KERNEL int64_t reach_unreachable(uint32_t value)
{
	switch (value & 3) {
	case 0:
		return 10;
	case 1:
		return 11;
	default:
		__builtin_unreachable();
	}
}

/* ---- log ------------------------------------------------------------------------------------- */

NPROC_KERNEL int64_t log_numbers(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		nproc_log("number %u of %u", i, count);
	return 0;
}

NPROC_KERNEL int64_t log_kinds(int64_t i, double f, const far uint8_t *pointer)
{
	const char name[3] = {'a', 'b', 'c'}; /* without an end, and no end is looked for */
	nproc_log("%d %5u|%-5d|%05d %x %c %s %.3f %p %% %.3s %*.*s", (int)i, 42u, 7, 7, 0xbeefu,
		'z', "text", f, pointer, name, 4, 2, name);
	return 0;
}

NPROC_KERNEL int64_t log_long(void)
{
	nproc_log("%200s%200s", "a", "b");
	return 0;
}

/* Logs one number for each byte that it reads. */
NPROC_KERNEL int64_t log_when_told(void)
{
	uint32_t number = 0;
	char byte;

	while (npipe_read(0, &byte, 1) > 0)
		nproc_log("%u", number++);
	return 0;
}

/* ---- traffic --------------------------------------------------------------------------------- */

static uint64_t sum_words(const far uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += words[i];
	return sum;
}

static uint64_t sum_some(const far uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (words[i] % 2)
			sum += words[n + i];
	}
	return sum;
}

static uint64_t touch(far uint64_t *words, uint64_t n, uint64_t how)
{
	switch (how) {
	case TOUCH_WRITE:
		for (uint64_t i = 0; i < n; i++)
			words[i] = i;
		return 0;
	case TOUCH_CHANGE:
		for (uint64_t i = 0; i < n; i++)
			words[i] = ~words[i];
		return 0;
	case TOUCH_COPY:
		memcpy(words + n, words, n * sizeof *words);
		return 0;
	case TOUCH_SET:
		memset(words, 1, n * sizeof *words);
		return 0;
	case TOUCH_COMPARE:
		return (uint64_t)memcmp(words, words + n, n * sizeof *words);
	case TOUCH_COUNT:
		for (uint64_t i = 0; i < n; i++)
			__atomic_fetch_add(words + i, 1, __ATOMIC_RELAXED);
		return 0;
	case TOUCH_SOME:
		return sum_some(words, n);
	default:
		return sum_words(words, n);
	}
}

/* Of far memory that holds 2 * n words. */
NPROC_KERNEL int64_t touch_far(far uint64_t *words, uint64_t n, uint64_t how)
{
	nmem_refresh(words, 2 * n * sizeof *words);
	uint64_t answer = touch(words, n, how);

	nmem_publish(words, 2 * n * sizeof *words);
	npipe_write(0, &answer, sizeof answer);
	if (how == TOUCH_READ_FAULT)
		answer = sum_words(words, 1000 * n);
	return (int64_t)answer;
}
