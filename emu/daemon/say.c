/* say.c - what the program says, and what is said to it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/daemon.h"

int daemon_print(const char *text)
{
	if (fputs(text, stdout) >= 0 && !fflush(stdout))
		return DAEMON_DONE;
	fprintf(stderr, "nearside-device: cannot write to standard output: %s\n", strerror(errno));
	return DAEMON_FAILED;
}

int daemon_fail(int exit_code, const char *name, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "nearside-device %s: ", name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return exit_code;
}

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
