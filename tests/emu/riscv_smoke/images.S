/* images.S - the images, as nprocc wrote them. */
	.section .rodata
	.balign	64
	.globl	hello_image
hello_image:
	.incbin	HELLO_IMAGE
	.balign	64
	.globl	kernels_image
kernels_image:
	.incbin	KERNELS_IMAGE
