/* layout.h - sizes that the assembly, the linker script and C share. */
#ifndef NEARSIDE_EMU_RISCV_LAYOUT_H
#define NEARSIDE_EMU_RISCV_LAYOUT_H

#define LAYOUT_RAM              0x80000000 /* of QEMU's virt machine */
#define LAYOUT_HARTS            65         /* one more than a device may have cores */
#define LAYOUT_STACK_BYTES      0x8000     /* of each hart; kernels take up to NK_STACK_MAX of it */
#define LAYOUT_TRAP_STACK_BYTES 0x1000     /* likewise, for traps */

/* The firmware is linked to lie anywhere, or, with an image inside, to lie at the start of RAM. */
#ifndef LAYOUT_BASE
#define LAYOUT_BASE LAYOUT_RAM
#endif

#define LAYOUT_INTERRUPTS 0x02000000 /* a word for each hart: 1 interrupts it */

/* A hart's struct machine_hart, one behind the other: what the assembly knows of it. */
#define LAYOUT_HART_SHIFT        9
#define LAYOUT_HART_FENCE_WANTED 0
#define LAYOUT_HART_FENCE_DONE   8
#define LAYOUT_HART_STOP_WANTED  16

#endif
