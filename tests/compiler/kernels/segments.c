/* Several segments, and pointers that come from one or the other. */
#include <nearside/kernel.h>

NPROC_KERNEL int64_t add(const far uint64_t *a, far uint64_t *b, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		b[i] += a[i];
	nproc_yield();
	return (int64_t)b[count - 1];
}

NPROC_KERNEL int64_t choose(const far uint8_t *a, const far uint8_t *b, uint64_t which)
{
	nproc_yield();
	const far uint8_t *chosen = which ? a : b;
	return chosen[3];
}

NPROC_KERNEL int64_t through_memory(far uint64_t *words)
{
	far uint64_t *far *slot = (far uint64_t *far *)words;
	nproc_yield();
	return (int64_t)**slot;
}

struct item {
	far struct item *next;
	uint64_t value;
};

/* The list is what the second parameter grants. */
NPROC_KERNEL int64_t second_list(const far uint8_t *other, far struct item *item)
{
	uint64_t sum = other[0];
	for (; item; item = item->next) {
		sum = sum * 10 + item->value;
		nproc_yield();
		if (item->next)
			sum += item->next->value * 100;
	}
	return (int64_t)sum;
}

NPROC_KERNEL int64_t byte_at(const far uint8_t *bytes, int64_t index)
{
	return bytes[index];
}

NPROC_KERNEL int64_t half_at(const far uint8_t *bytes, int64_t index)
{
	return *(const far uint16_t *)(bytes + index);
}

NPROC_KERNEL int64_t store_at(far uint8_t *bytes, int64_t index, uint8_t value)
{
	bytes[index] = value;
	return bytes[index];
}

NPROC_KERNEL int64_t is_null(const far uint8_t *bytes)
{
	return bytes == NULL;
}

struct record {
	uint64_t a;
	uint32_t b;
	uint16_t c;
	uint8_t d;
};

/* One check for all four where they lie in the segment; of types that no vector has. */
NPROC_KERNEL int64_t sum_record(const far struct record *record)
{
	return (int64_t)(record->a + record->b +
			 record->c +
			 record->d);
}
