#include <nearside/kernel.h>
#include <stdio.h>

struct command {
	const char *name;
	int (*run)(void);
};

static int list(void)
{
	return puts("list");
}

static const struct command commands[] = {{"list", list}};

int elsewhere(void);

/* Visible to other files of the host, and of no use to kernels. */
int (*const exported[])(void) = {list, elsewhere};

_Static_assert(sizeof commands / sizeof *commands == 1, "as many as there are");

NPROC_KERNEL int64_t count(void)
{
	return sizeof commands / sizeof *commands;
}

int main(void)
{
	return commands[0].run();
}
