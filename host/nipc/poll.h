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

struct nhost_spin;
struct nipc;

/* events: NPOLL_READ and NPOLL_WRITE. What has happened, of enum npoll_event. */
unsigned ipc_poll_look(struct nipc *channel, unsigned events);

/*
 * How long a wait at this channel looks before it sleeps, which its own waits have learned; NULL:
 * it is of no use. After a wait that found something: ipc_poll_learn().
 */
struct nhost_spin *ipc_poll_spin(struct nipc *channel, unsigned events);
void ipc_poll_learn(struct nhost_spin *spin);

/* Fills in a descriptor for each event that is asked for, -1 for others. */
void ipc_poll_begin(struct nipc *channel, unsigned events, int fds[2]);
void ipc_poll_end(struct nipc *channel, unsigned events);

#endif
