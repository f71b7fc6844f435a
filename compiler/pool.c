/*
 * pool.c - memory that stays until the compiler ends: a compilation is short and everything in it
 * is kept.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nprocc.h"

/*
 * All blocks, newest first: never freed, but always reachable, so that leak checkers stay useful.
 */
struct block {
	struct block *next;
	_Alignas(16) unsigned char bytes[];
};

static struct block *blocks;

void *pool_alloc(size_t nbytes)
{
	struct block *block = calloc(1, sizeof *block + nbytes);
	if (!block) {
		fputs("nprocc: out of memory\n", stderr);
		exit(2);
	}
	block->next = blocks;
	blocks = block;
	return block->bytes;
}

char *pool_copy(const char *text)
{
	size_t nbytes = strlen(text) + 1;
	return memcpy(pool_alloc(nbytes), text, nbytes);
}

char *pool_format(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = pool_alloc((size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void *pool_grow(void *items, size_t count, size_t item_bytes)
{
	if (count & (count - 1) || (count == 0 && items))
		return items;
	void *grown = pool_alloc((count ? 2 * count : 1) * item_bytes);
	if (count)
		memcpy(grown, items, count * item_bytes);
	return grown;
}
