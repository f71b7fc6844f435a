/* sandbox.h - what the worker of one client may still ask the system for. */
#ifndef NEARSIDE_EMU_DAEMON_SANDBOX_H
#define NEARSIDE_EMU_DAEMON_SANDBOX_H

/*
 * From now on this process runs firmware and kernels and does nothing else: it maps memory, reads
 * files, starts threads, sleeps. It cannot write to a file that it has not made in memory, reach
 * another process, a network or a socket, start a program, or get rights. Whatever else it tries
 * ends it. All threads. 0 or a negative errno.
 */
int sandbox_enter(void);

#endif
