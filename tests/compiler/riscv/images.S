/* images.S - the images, as nprocc wrote them, and a table of them (struct image of main.c). */
	.macro image kind, level, is_accepted
	.pushsection .rodata.images, "a"
	.balign 64
\kind\()\level:
	.incbin "\kind\()-O\level\().nk"
	.popsection
	.dword \kind\()\level, \is_accepted
	.endm

	.section .data
	.balign 64
	.globl images
images:
	image accepted, 0, 1
	.dword '0'
	image accepted, 1, 1
	.dword '1'
	image accepted, 2, 1
	.dword '2'
	image accepted, 3, 1
	.dword '3'
	image accepted, s, 1
	.dword 's'
	image faults, 0, 0
	.dword '0'
	image faults, 1, 0
	.dword '1'
	image faults, 2, 0
	.dword '2'
	image faults, 3, 0
	.dword '3'
	image faults, s, 0
	.dword 's'
	.dword 0, 0, 0
