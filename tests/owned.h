/* owned.h - what a program owns and a leak would leave: entries of a folder, mapped ranges. */
#ifndef NEARSIDE_TESTS_OWNED_H
#define NEARSIDE_TESTS_OWNED_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline unsigned count_entries(const char *path)
{
	DIR *folder = opendir(path);
	unsigned count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static inline unsigned count_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned count = 0;
	int c;

	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		count += c == '\n';
	fclose(file);
	return count;
}

#endif
