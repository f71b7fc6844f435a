/* Plain char is signed and _Bool is 0 or 1, on every device. */
#include <nearside/kernel.h>

static int compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a - *b;
}

NPROC_KERNEL int64_t characters(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	int64_t hash = (int64_t)seed;
	const far char *text = (const far char *)memory;
	for (uint64_t i = 0; i < nbytes; i++) {
		char c = text[i];
		bool high = c < 0, odd = c & 1;
		hash = hash * 31 + c + (high ? 1000 : -1000) + odd * 3 + (high ^ odd);
		char upper = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
		memory[i] = (uint8_t)upper;
	}
	hash += compare("alpha", "alpine") * 1000 + compare("", "x") + compare("same", "same");
	return hash;
}
