/*
 * daemon.h - the program `nearside-device`: devices outside the programs that use them. Its
 * commands, each with main()'s arguments; they return exit codes.
 */
#ifndef NEARSIDE_EMU_DAEMON_DAEMON_H
#define NEARSIDE_EMU_DAEMON_DAEMON_H

#include <signal.h>
#include <stdint.h>

#include "host/device.h"

enum daemon_exit {
	DAEMON_DONE = 0,
	DAEMON_FAILED = 1, /* standard error says why */
	DAEMON_USAGE = 2,
};

int daemon_serve(int argc, char **argv);
int daemon_start(int argc, char **argv);
int daemon_stop(int argc, char **argv);
int daemon_status(int argc, char **argv);

/* Text to standard output, all of it. */
int daemon_print(const char *text);

/* "nearside-device NAME: ..." and a new line, to standard error. Returns exit_code. */
int daemon_fail(int exit_code, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Not 0 once SIGTERM, SIGINT or SIGHUP has come; after this call they end nothing else. */
const volatile sig_atomic_t *daemon_catch_signals(void);

/* ---- options --------------------------------------------------------------------------------- */

/* Those of a device ("cores=2,far=1G"), put together from the program's own (--cores 2). */
struct daemon_device_options {
	char text[1024];
};

/* False: they are too long together. */
bool daemon_add_option(struct daemon_device_options *options, const char *name, const char *value);

/* 0x7ee000000000: False: no such address. */
bool daemon_parse_base(const char *text, uint64_t *base);

#endif
