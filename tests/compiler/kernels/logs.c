#include <nearside/kernel.h>

NPROC_KERNEL int64_t logs(const far uint32_t *words, int64_t number, double real)
{
	char name[] = "abc";
	nproc_log("plain");
	nproc_log("%ld %d %c", number, (int8_t)-3, 'x');
	nproc_log("%g %f", real, 0.5f);
	nproc_log("%s", name);
	nproc_log("%p", (const far void *)words);
	nproc_log("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %u", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15, words[0]);
	if (number < 0)
		nproc_log("never");
	return 0;
}
