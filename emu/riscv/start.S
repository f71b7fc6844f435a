/*
 * start.S - where every hart of QEMU's `virt` machine begins, in machine mode, with its number in
 * a0.
 *
 * Each hart gets a stack and its floating-point unit. Hart 0 clears the zero-initialised data and
 * lets the others go. Then firmware_main(hart) runs, which never returns.
 */
#include "emu/riscv/layout.h"

	.section .text.start, "ax"
	.globl _start
_start:
	li	t0, LAYOUT_HARTS
	bgeu	a0, t0, park
	li	t0, 0x2000		/* mstatus.FS: initial */
	csrs	mstatus, t0
	csrw	fcsr, zero
	csrw	mie, zero
	la	t0, trap
	csrw	mtvec, t0

	la	sp, __stacks
	addi	t0, a0, 1
	li	t1, LAYOUT_STACK_BYTES
	mul	t0, t0, t1
	add	sp, sp, t0

	la	t2, __ready
	bnez	a0, wait
	la	t0, __bss
	la	t1, __bss_end
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
	 * A trap is a mistake of the firmware or of its kernels' code: it is told, and the machine
	 * ends.
	 */
	.balign	4
trap:
	csrr	a0, mcause
	csrr	a1, mepc
	csrr	a2, mtval
	call	trap_report
	j	park

	.data
	.balign	8
__ready:
	.dword	0
