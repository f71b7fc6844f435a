/* Division and remainder of every width, by variables and by constants. */
#include <nearside/kernel.h>

#define DIVIDE(type)                                                                               \
	static uint64_t divide_##type(far uint8_t *memory, uint64_t nbytes)                        \
	{                                                                                          \
		uint64_t hash = 0;                                                                 \
		for (uint64_t i = 0; i + 2 * sizeof(type) <= nbytes; i += 2 * sizeof(type)) {      \
			type a = *(far type *)(memory + i);                                        \
			type b = *(far type *)(memory + i + sizeof(type));                         \
			if (b == 0 || b == (type)-1)                                               \
				continue;                                                          \
			hash = hash * 31 + (uint64_t)(a / b) + (uint64_t)(a % b) * 3;              \
			hash += (uint64_t)(a / 7) + (uint64_t)(a % 1000) + (uint64_t)(a / 64);     \
		}                                                                                  \
		return hash;                                                                       \
	}

DIVIDE(int8_t)
DIVIDE(uint8_t)
DIVIDE(int16_t)
DIVIDE(uint16_t)
DIVIDE(int32_t)
DIVIDE(uint32_t)
DIVIDE(int64_t)
DIVIDE(uint64_t)

NPROC_KERNEL int64_t division(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint64_t hash = seed;
	hash = hash * 17 + divide_int8_t(memory, nbytes);
	hash = hash * 17 + divide_uint8_t(memory, nbytes);
	hash = hash * 17 + divide_int16_t(memory, nbytes);
	hash = hash * 17 + divide_uint16_t(memory, nbytes);
	hash = hash * 17 + divide_int32_t(memory, nbytes);
	hash = hash * 17 + divide_uint32_t(memory, nbytes);
	hash = hash * 17 + divide_int64_t(memory, nbytes);
	hash = hash * 17 + divide_uint64_t(memory, nbytes);
	return (int64_t)hash;
}
