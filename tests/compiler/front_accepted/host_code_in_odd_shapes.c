/* Text that a careless reader of C would trip over. */
#include <nearside/kernel.h>
#include <stdio.h>

#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"

#define BEGIN {
#define END }
#define HOST_FUNCTION(name) static void name(void)
#define WHOLE_FUNCTION(name)                                                                       \
	static int name(int n)                                                                     \
	{                                                                                          \
		printf("%d\n", n);                                                                 \
		return n;                                                                          \
	}
#define BODY(name, body) static int name(int n) body

WHOLE_FUNCTION(whole)
BODY(with_body, { return puts("}") + n; })

HOST_FUNCTION(macro_head)
{
	puts("} {");
}

static void macro_braces(void)
BEGIN
	puts("\"}");
END

static int old_style(a, b)
int a;
char *b;
{
	return a + b[0];
}

static int quotes(void)
{
	/* don't " stop } here */
	// nor ' there {
	return '"' + '\'' + '{' + "\\"[0];
}

#ifdef NEVER
static int either(int n)
{
#else
static int either(long n)
{
#endif
#define KEPT 7
	return (int)n;
}

#if 0
don't look {
#endif

static int nested(void)
{
	struct point {
		int x, y;
	} point = {.x = 1, .y = 2};
	int in_block = 0;
	{
		enum { LOCAL = 3 };
		in_block = LOCAL + point.x;
	}
	return in_block;
}

static int one(void) { return 1; } static int two(void) { return one(); } NPROC_KERNEL int64_t middle(int n) { return n + KEPT; } static int three(void) { return two(); }

__asm__(".globl host_symbol\nhost_symbol:");

__attribute__((constructor)) static void before_main(void)
{
	puts("before main");
}

int target(void)
{
	return 1;
}

int aliased(void) __attribute__((alias("target")));

#define DEFINED_ONLY __attribute__((no_builtin("memset")))
#define ALIAS_OF(name) __attribute__((alias(#name)))
#define GLOBAL(name) __asm__(".globl " #name "\n" #name ":")

DEFINED_ONLY int defined_only(void)
{
	return 1;
}

int aliased_by_macro(void) ALIAS_OF(target);

GLOBAL(other_symbol);

int main(void)
{
	macro_head();
	macro_braces();
	return whole(1) + with_body(2) + old_style(1, "a") + quotes() + either(1) + nested() + three() + aliased() +
		defined_only() + aliased_by_macro();
}
