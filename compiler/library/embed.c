/* embed.c - the kernel library's bitcode as bytes of nprocc. */
#include "compiler/library/embed.h"

__asm__(".section .rodata\n"
	".balign 16\n"
	".globl nkl_bitcode_begin\n"
	".hidden nkl_bitcode_begin\n"
	"nkl_bitcode_begin:\n"
	".incbin \"" NKL_BITCODE "\"\n"
	".globl nkl_bitcode_end\n"
	".hidden nkl_bitcode_end\n"
	"nkl_bitcode_end:\n"
	".previous\n");
