/* layout.h - sizes that the assembly, the linker script and C share. */
#ifndef NEARSIDE_EMU_RISCV_LAYOUT_H
#define NEARSIDE_EMU_RISCV_LAYOUT_H

#define LAYOUT_RAM         0x80000000 /* of QEMU's virt machine */
#define LAYOUT_HARTS       8
#define LAYOUT_STACK_BYTES 0x8000 /* of each hart; kernels take up to NK_STACK_MAX of it */

#endif
