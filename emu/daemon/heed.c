/* heed.c - what is said to the program: signals and options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/daemon.h"

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t has_signal;

static void note(int signal)
{
	has_signal = signal;
}

const volatile sig_atomic_t *daemon_catch_signals(void)
{
	const struct sigaction action = {.sa_handler = note};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	return &has_signal;
}

/* ---- options --------------------------------------------------------------------------------- */

bool daemon_add_option(struct daemon_device_options *options, const char *name, const char *value)
{
	size_t used = strlen(options->text);
	int more = snprintf(options->text + used, sizeof options->text - used, "%s%s%s%s",
		used ? "," : "", name, *name ? "=" : "", value);

	return more >= 0 && (size_t)more < sizeof options->text - used;
}

bool daemon_parse_base(const char *text, uint64_t *base)
{
	char *end;

	errno = 0;
	*base = strtoull(text, &end, 0);
	return !errno && end != text && !*end && *base && *base % NREG_ALIGN == 0 &&
	       *base < 1ull << 47;
}
