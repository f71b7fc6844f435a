/*
 * fiber_sanitizer.h - tells the sanitizers that a thread goes to another stack and comes back.
 * Without sanitizers nothing is left of it.
 *
 *     leaving stack A:  sanitizer_leave(&a, &b)      then the switch
 *     arrived on B:     sanitizer_arrive(&b, &a)     first thing after the switch
 */
#ifndef NEARSIDE_EMU_FIBER_SANITIZER_H
#define NEARSIDE_EMU_FIBER_SANITIZER_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEMU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define NEMU_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define NEMU_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define NEMU_TSAN 1
#endif

#ifdef NEMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NEMU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* A stack as the sanitizers know it. That of a thread is learned when it is left. */
struct sanitizer_stack {
	const void *bottom;
	size_t nbytes;
	void *fake_stack; /* the address sanitizer's own, while this stack is left */
	void *fiber;      /* the thread sanitizer's */
};

static inline void sanitizer_create(
	struct sanitizer_stack *stack, const void *bottom, size_t nbytes)
{
	*stack = (struct sanitizer_stack){.bottom = bottom, .nbytes = nbytes};
#ifdef NEMU_TSAN
	stack->fiber = __tsan_create_fiber(0);
#endif
}

static inline void sanitizer_destroy(struct sanitizer_stack *stack)
{
#ifdef NEMU_ASAN
	__asan_unpoison_memory_region(stack->bottom, stack->nbytes);
#endif
#ifdef NEMU_TSAN
	__tsan_destroy_fiber(stack->fiber);
#endif
	(void)stack;
}

static inline void sanitizer_leave(struct sanitizer_stack *from, struct sanitizer_stack *to)
{
#ifdef NEMU_ASAN
	__sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->nbytes);
#endif
#ifdef NEMU_TSAN
	from->fiber = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
	(void)from;
	(void)to;
}

/* What the address sanitizer kept for the stack `from` is freed. */
static inline void sanitizer_leave_for_good(
	struct sanitizer_stack *from, struct sanitizer_stack *to)
{
#ifdef NEMU_ASAN
	__sanitizer_start_switch_fiber(NULL, to->bottom, to->nbytes);
#endif
#ifdef NEMU_TSAN
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
	(void)from;
	(void)to;
}

static inline void sanitizer_arrive(struct sanitizer_stack *at, struct sanitizer_stack *from)
{
#ifdef NEMU_ASAN
	__sanitizer_finish_switch_fiber(at->fake_stack, &from->bottom, &from->nbytes);
#endif
	(void)at;
	(void)from;
}

#endif
