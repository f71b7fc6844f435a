/* Helper functions that use pipes, take private pointers, return structs, and have many arguments (case 109). */
#include <nearside/kernel.h>

struct message {
	uint32_t kind;
	uint32_t count;
	uint64_t values[4];
};

static bool ask(struct message *message)
{
	return npipe_read_full(0, message, sizeof *message) == (ssize_t)sizeof *message;
}

static void answer(const struct message *message, uint64_t hash)
{
	struct message reply = *message;
	reply.values[0] = hash;
	npipe_write(1, &reply, sizeof reply);
}

static uint64_t many(int8_t a, uint16_t b, int32_t c, uint64_t d, float e, double f, const uint64_t *g,
	struct message h, far uint8_t *i, bool j)
{
	return (uint64_t)a * 3 + b * 5u + (uint64_t)c * 7 + d * 11 + (uint64_t)(e * 13) + (uint64_t)(f * 17) +
	       *g * 19 + h.values[2] * 23 + i[1] * 29u + j;
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t c = *a;
	*a = *b;
	nproc_yield();
	*b = c;
}

static void sort(uint64_t *values, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = i + 1; j < count; j++) {
			if (values[j] < values[i])
				swap(&values[i], &values[j]);
		}
	}
}

static struct message summary(const struct message *message, unsigned round)
{
	struct message made = {.kind = message->kind + round, .count = round};
	for (int i = 0; i < 4; i++)
		made.values[3 - i] = message->values[i] ^ round;
	return made;
}

NPROC_KERNEL int64_t helpers(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	struct message message;
	uint64_t hash = seed;
	unsigned rounds = 0;
	while (ask(&message)) {
		sort(message.values, 4);
		struct message made = summary(&message, rounds);
		hash = hash * 31 + many((int8_t)rounds, 500, -70000, hash, 1.5f, 2.25, &made.values[1], made,
					 memory + nbytes - 2, rounds & 1);
		answer(&made, hash);
		rounds++;
	}
	return (int64_t)hash + rounds;
}
