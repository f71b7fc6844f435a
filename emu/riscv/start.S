/*
 * start.S - where every hart of QEMU's `virt` machine begins, in machine mode, and where its traps
 * go.
 *
 * Each hart gets a stack, another one for traps, and its floating-point unit. Hart 0 makes the
 * firmware fit the place where it lies, clears the zero-initialised data and lets the others go.
 * Then firmware_main(hart) runs, which never returns.
 */
#include "emu/riscv/layout.h"

	.section .text.start, "ax"
	.globl _start
_start:
	csrr	a0, mhartid
	li	t0, LAYOUT_HARTS
	bgeu	a0, t0, park
	li	t0, 0x2000		/* mstatus.FS: initial */
	csrs	mstatus, t0
	csrw	fcsr, zero
	csrw	mie, zero
	lla	t0, trap
	csrw	mtvec, t0

	lla	sp, __trap_stacks
	addi	t0, a0, 1
	li	t1, LAYOUT_TRAP_STACK_BYTES
	mul	t1, t0, t1
	add	sp, sp, t1
	csrw	mscratch, sp
	lla	sp, __stacks
	li	t1, LAYOUT_STACK_BYTES
	mul	t0, t0, t1
	add	sp, sp, t0

	lla	t2, __ready
	bnez	a0, wait

	/* Relocations are of one kind: the firmware's place and a constant. */
	lla	t0, __relocations
	lla	t1, __relocations_end
	lla	t3, __firmware
	li	t4, LAYOUT_BASE
	sub	t3, t3, t4
relocate:
	bgeu	t0, t1, relocated
	ld	t4, 0(t0)
	ld	t5, 16(t0)
	add	t4, t4, t3
	add	t5, t5, t3
	sd	t5, (t4)
	addi	t0, t0, 24
	j	relocate
relocated:
	lla	t0, __bss
	lla	t1, __bss_end
clear:
	bgeu	t0, t1, cleared
	sd	zero, (t0)
	addi	t0, t0, 8
	j	clear
cleared:
	li	t0, 1
	fence	rw, w
	sd	t0, (t2)
wait:
	ld	t0, (t2)
	beqz	t0, wait
	fence	r, rw
	call	firmware_main
park:
	wfi
	j	park

	/*
	 * What other harts want is done here and now, and what ran goes on: a fence for code that
	 * they have written. All else leaves what ran, with the stack for traps empty again.
	 */
	.balign	4
trap:
	csrrw	sp, mscratch, sp
	sd	t0, -8(sp)
	sd	t1, -16(sp)
	sd	t2, -24(sp)
	csrr	t0, mcause
	bgez	t0, leave		/* no interrupt */

	csrr	t1, mhartid		/* take the interrupt back, then look why it came */
	slli	t2, t1, 2
	li	t0, LAYOUT_INTERRUPTS
	add	t2, t2, t0
	sw	zero, (t2)
	fence	rw, rw
	lla	t0, machine_harts
	slli	t1, t1, LAYOUT_HART_SHIFT
	add	t0, t0, t1
	ld	t1, LAYOUT_HART_FENCE_WANTED(t0)
	ld	t2, LAYOUT_HART_FENCE_DONE(t0)
	beq	t1, t2, fenced
	fence.i
	fence	rw, rw
	sd	t1, LAYOUT_HART_FENCE_DONE(t0)
fenced:
	ld	t1, LAYOUT_HART_STOP_WANTED(t0)
	bnez	t1, leave
	ld	t2, -24(sp)
	ld	t1, -16(sp)
	ld	t0, -8(sp)
	csrrw	sp, mscratch, sp
	mret

leave:
	csrr	a0, mcause
	csrr	a1, mepc
	csrr	a2, mtval
	mv	a3, ra
	csrw	mscratch, sp
	call	machine_trap
	j	park

	.data
	.balign	8
__ready:
	.dword	0
