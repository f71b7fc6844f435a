/*
 * poll.h - channels in a wait at many things: npipe_poll().
 *
 *     ipc_poll_look()                       before, and after each sleep
 *     ipc_poll_begin()                      from now on the descriptors say what happens
 *     ipc_poll_look(), sleep on them
 *     ipc_poll_end()
 */
#ifndef NEARSIDE_HOST_NIPC_POLL_H
#define NEARSIDE_HOST_NIPC_POLL_H

struct nipc;

/* events: NPOLL_READ and NPOLL_WRITE. What has happened, of enum npoll_event. */
unsigned ipc_poll_look(struct nipc *channel, unsigned events);

/* Fills in a descriptor for each event that is asked for, -1 for others. */
void ipc_poll_begin(struct nipc *channel, unsigned events, int fds[2]);
void ipc_poll_end(struct nipc *channel, unsigned events);

#endif
