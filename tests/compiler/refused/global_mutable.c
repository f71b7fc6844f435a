#include <nearside/kernel.h>

int counter;
static struct {
	int hits;
} statistics;
extern int elsewhere;
static const char *words[] = {"one", "two"};

NPROC_KERNEL int64_t count(unsigned n)
{
	counter++;
	statistics.hits += counter;
	elsewhere = 1;
	extern int nested;
	return words[n & 1][0] + nested;
}


// expect: 12:2: error: 'counter' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 3:5: note: 'counter' is declared here
// expect: 13:2: error: 'statistics' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 6:3: note: 'statistics' is declared here
// expect: 14:2: error: 'elsewhere' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 7:12: note: 'elsewhere' is declared here
// expect: 16:9: error: 'words' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 8:20: note: 'words' is declared here
// expect: 16:27: error: 'nested' is a mutable global: host and processes do not share it
// expect: note: pass it as a parameter, by value or as a `far` pointer; a table that never changes is const, and so are its elements (const char *const names[])
// expect: 15:13: note: 'nested' is declared here
