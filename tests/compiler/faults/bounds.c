/* Accesses outside private objects. `seed` chooses the mistake; the mark names it, the kind and the line. */
#include <string.h>

#include <nearside/kernel.h>

struct packet {
	uint32_t head[4];
	uint32_t tail;
};

static const uint16_t table[5] = {1, 2, 3, 4, 5};

static uint32_t last(const uint32_t *words, uint64_t count)
{
	return words[count - 1]; // fault 4: BOUNDS
}

static uint64_t walk(const uint8_t *from, uint64_t count)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < count; i++)
		sum += *from++; // fault 5: BOUNDS
	return sum;
}

NPROC_KERNEL int64_t bounds(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint32_t words[6] = {1, 2, 3, 4, 5, 6};
	uint8_t bytes[10] = {0};
	uint64_t after[2] = {7, 7};
	struct packet packet = {{1, 2, 3, 4}, 5};
	uint64_t large = nbytes / 64;
	int64_t negative = -(int64_t)(memory[0] % 5) - 1;
	switch (seed) {
	case 1:
		return words[large]; // fault 1: BOUNDS
	case 2:
		words[negative] = 3; // fault 2: BOUNDS
		return words[0];
	case 3:
		return table[large]; // fault 3: BOUNDS
	case 4:
		return last(words, large);
	case 5:
		return (int64_t)walk(bytes, 11);
	case 6:
		return packet.head[large % 2 + 4]; // fault 6: BOUNDS
	case 7:
		memset(bytes, 1, large); // fault 7: BOUNDS
		return bytes[1];
	case 8:
		memcpy(bytes, words, large); // fault 8: BOUNDS
		return bytes[1];
	case 9:
		memcpy(after, bytes, 11 + nbytes % 2); // fault 9: BOUNDS
		return (int64_t)after[0];
	case 10:
		return npipe_read(0, bytes, large); // fault 10: BOUNDS
	case 11:
		return npipe_write(1, words + 5, 5 + nbytes % 2); // fault 11: BOUNDS
	case 12: {
		uint32_t *chosen = nbytes > 5 ? words + 4 : packet.head;
		return chosen[nbytes % 2 + 2]; // fault 12: BOUNDS
	}
	case 13: {
		uint32_t *none = NULL;
		if (nbytes == 5)
			none = words;
		return *none; // fault 13: BOUNDS
	}
	case 14: {
		uint16_t *constant = (uint16_t *)(uint16_t const *)table;
		constant[nbytes % 5] = 9; // fault 14: BOUNDS
		return table[2];
	}
	case 15: {
		char name[3] = {'a', 'b', 'c'};
		nproc_log("%s", name); // fault 15: BOUNDS
		return 0;
	}
	case 16: {
		const uint8_t *before = bytes + (nbytes % 2);
		return *(before - 1 - (int64_t)after[0]); // fault 16: BOUNDS
	}
	case 17:
		return *(uint64_t *)(bytes + nbytes % 2 + 3); // fault 17: BOUNDS
	case 18:
		return npipe_read_full(0, after, 17 + nbytes % 2); // fault 18: BOUNDS
	case 19:
		return (int64_t)words[6 + nbytes % 2]; // fault 19: BOUNDS
	case 20: {
		/* The index wraps: it must not look small to the check and large to the access. */
		int32_t index = (int32_t)(nbytes % 2) + INT32_MAX;
		return words[index + 2]; // fault 20: BOUNDS
	}
	case 21: {
		/* A far _Bool may hold any byte. */
		memory[0] = 200;
		bool flag = *(far bool *)memory;
		const uint8_t two[2] = {5, 6};
		nproc_yield();
		return two[flag] - two[flag]; // fault 21: NONE
	}
	case 22: {
		/* Words whose bytes wrap are not few. */
		const uint64_t args[2] = {1, 2};
		nk_log("%d %d %d", args, ((size_t)1 << 61) + nbytes % 2); // fault 22: BOUNDS
		return 0;
	}
	case 23: {
		/* No more of a string counts than is printed. */
		const char name[3] = {'a', 'b', 'c'};
		int few = (int)(nbytes % 2) + 2;
		nproc_log("%.3s %-9.*s|%*d %.0s %.2s", name, few, name, few, 1, name, name); // fault 23: NONE
		return 0;
	}
	case 24: {
		const char name[3] = {'a', 'b', 'c'};
		nproc_log("%.3s %.4s", name, name); // fault 24: BOUNDS
		return 0;
	}
	case 25: {
		const char name[3] = {'a', 'b', 'c'};
		nproc_log("%d %.*s", 1, (int)(nbytes % 2) + 4, name); // fault 25: BOUNDS
		return 0;
	}
	case 26: {
		const char name[3] = {'a', 'b', 'c'};
		nproc_log("%.*s", (int)negative, name); // fault 26: BOUNDS
		return 0;
	}
	case 27:
		return memcmp(bytes, words, large); // fault 27: BOUNDS
	case 28:
		return memcmp(words, bytes, 11 + nbytes % 2); // fault 28: BOUNDS
	case 29:
		return memcmp(memory, bytes, large); // fault 29: BOUNDS
	default:
		return 0;
	}
}
