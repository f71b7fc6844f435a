/*
 * daemon.h - the program `nearside-device`: devices outside the programs that use them. Its
 * commands, each with main()'s arguments; they return exit codes.
 */
#ifndef NEARSIDE_EMU_DAEMON_DAEMON_H
#define NEARSIDE_EMU_DAEMON_DAEMON_H

#include <signal.h>
#include <stdint.h>

#include "emu/command/command.h"
#include "host/device.h"

int daemon_serve(int argc, char **argv);
int daemon_start(int argc, char **argv);
int daemon_stop(int argc, char **argv);
int daemon_status(int argc, char **argv);

/* Not 0 once SIGTERM, SIGINT or SIGHUP has come; after this call they end nothing else. */
const volatile sig_atomic_t *daemon_catch_signals(void);

/* ---- options --------------------------------------------------------------------------------- */

/* Those of a device ("cores=2,far=1G"), put together from the program's own (--cores 2). */
struct daemon_device_options {
	char text[1024];
};

/* False: they are too long together. */
bool daemon_add_option(struct daemon_device_options *options, const char *name, const char *value);

/* An address like 0x7ee000000000. False: there is no such one. */
bool daemon_parse_base(const char *text, uint64_t *base);

#endif
