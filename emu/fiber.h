/*
 * fiber.h - more stacks in one thread, for simulated cores.
 *
 * A fiber runs when it is entered and until it leaves; nothing else switches. The stack has a guard
 * page below it, and the address and thread sanitizers are told of every switch.
 */
#ifndef NEARSIDE_EMU_FIBER_H
#define NEARSIDE_EMU_FIBER_H

#include <stdbool.h>

struct nemu_fiber;

/* Nothing of body() runs yet. -ENOMEM. */
int nemu_fiber_create(void (*body)(void *context), void *context, struct nemu_fiber **fiber);

/*
 * May be called while body() has not returned: what is on its stack is forgotten. NULL is allowed.
 */
void nemu_fiber_destroy(struct nemu_fiber *fiber);

/* Runs the fiber until it leaves. Not from within a fiber, and not once it has ended. */
void nemu_fiber_enter(struct nemu_fiber *fiber);

/* Called by body(): goes back to who entered; returns when the fiber is entered again. */
void nemu_fiber_leave(struct nemu_fiber *fiber);

/* body() has returned. */
bool nemu_fiber_ended(const struct nemu_fiber *fiber);

#endif
