#include "emu/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/fiber_sanitizer.h"

/*
 * Firmware and kernel (NK_STACK_MAX) need less than 16 KB; sanitizers make frames several times
 * larger.
 */
enum {
	STACK_BYTES = 256 * 1024
};

struct nemu_fiber {
	void (*body)(void *context);
	void *context;
	void *mapping;
	size_t mapping_nbytes;
	void *stack_pointer; /* of the fiber while it is left, else of who entered it */
	struct sanitizer_stack own;
	struct sanitizer_stack outside;
	bool ended;
	bool dying; /* is entered for the last time */
};

/*
 * Saves the registers that a call must keep on this stack, goes to the other one and takes them
 * from there. *at: where the other stack was left; afterwards, where this one was.
 */
void nemu_fiber_switch(void **at);

/* What a new stack returns into: the fiber lies where rbx was saved. */
void nemu_fiber_first(void);

#ifndef __x86_64__
#error "fibers switch stacks in x86-64 assembly"
#endif

__asm__(".text\n"
	".p2align 4\n"
	".hidden nemu_fiber_switch\n"
	".globl nemu_fiber_switch\n"
	".type nemu_fiber_switch, @function\n"
	"nemu_fiber_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq (%rdi), %rax\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rax, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size nemu_fiber_switch, . - nemu_fiber_switch\n"
	".p2align 4\n"
	".hidden nemu_fiber_first\n"
	".globl nemu_fiber_first\n"
	".type nemu_fiber_first, @function\n"
	"nemu_fiber_first:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n" /* debuggers stop here */
	"	movq %rbx, %rdi\n"
	"	call nemu_fiber_begin\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size nemu_fiber_first, . - nemu_fiber_first\n");

/* The first words of a new stack, in the order in which nemu_fiber_switch() takes them. */
struct first_frame {
	uint32_t mxcsr;
	uint32_t x87_control;
	uint64_t r15, r14, r13, r12;
	struct nemu_fiber *rbx;
	uint64_t rbp;
	void (*return_address)(void);
};

static void leave_for_good(struct nemu_fiber *fiber)
{
	sanitizer_leave_for_good(&fiber->own, &fiber->outside);
	nemu_fiber_switch(&fiber->stack_pointer);
}

/* Arrived on the fiber's own stack. */
static void arrive(struct nemu_fiber *fiber)
{
	sanitizer_arrive(&fiber->own, &fiber->outside);
	if (fiber->dying)
		leave_for_good(fiber);
}

/* Called by the assembly above. */
__attribute__((used, visibility("hidden"))) void nemu_fiber_begin(struct nemu_fiber *fiber);

void nemu_fiber_begin(struct nemu_fiber *fiber)
{
	arrive(fiber);
	fiber->body(fiber->context);
	fiber->ended = true;
	leave_for_good(fiber);
}

static void *first_stack_pointer(struct nemu_fiber *fiber)
{
	char *top = (char *)fiber->mapping + fiber->mapping_nbytes;
	struct first_frame *frame = (struct first_frame *)(void *)(top - 16 - sizeof *frame);

	*frame = (struct first_frame){
		.mxcsr = 0x1f80,      /* as a new thread has them: round to nearest, */
		.x87_control = 0x37f, /* no exception traps */
		.rbx = fiber,
		.return_address = nemu_fiber_first,
	};
	return frame;
}

static int map_stack(struct nemu_fiber *fiber)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	fiber->mapping_nbytes = STACK_BYTES + page;
	fiber->mapping = mmap(NULL, fiber->mapping_nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (fiber->mapping == MAP_FAILED)
		return -ENOMEM;
	if (mprotect(fiber->mapping, page, PROT_NONE)) {
		munmap(fiber->mapping, fiber->mapping_nbytes);
		return -ENOMEM;
	}
	sanitizer_create(&fiber->own, (char *)fiber->mapping + page, STACK_BYTES);
	return 0;
}

int nemu_fiber_create(void (*body)(void *context), void *context, struct nemu_fiber **fiber)
{
	struct nemu_fiber *f = calloc(1, sizeof *f);
	int result;

	*fiber = NULL;
	if (!f)
		return -ENOMEM;
	result = map_stack(f);
	if (result) {
		free(f);
		return result;
	}
	f->body = body;
	f->context = context;
	f->stack_pointer = first_stack_pointer(f);
	*fiber = f;
	return 0;
}

void nemu_fiber_destroy(struct nemu_fiber *fiber)
{
	if (!fiber)
		return;
	fiber->dying = true;
	if (!fiber->ended)
		nemu_fiber_enter(fiber);
	sanitizer_destroy(&fiber->own);
	munmap(fiber->mapping, fiber->mapping_nbytes);
	free(fiber);
}

void nemu_fiber_enter(struct nemu_fiber *fiber)
{
	sanitizer_leave(&fiber->outside, &fiber->own);
	nemu_fiber_switch(&fiber->stack_pointer);
	sanitizer_arrive(&fiber->outside, &fiber->own);
}

void nemu_fiber_leave(struct nemu_fiber *fiber)
{
	sanitizer_leave(&fiber->own, &fiber->outside);
	nemu_fiber_switch(&fiber->stack_pointer);
	arrive(fiber);
}

bool nemu_fiber_ended(const struct nemu_fiber *fiber)
{
	return fiber->ended;
}
