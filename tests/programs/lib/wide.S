/*
 * A library whose code lies between much else in one segment: a MiB and a half of nops,
 * which no patch changes, then functions far from each other, then constants.
 */
	.macro function name, value
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	leal \value(%rdi), %eax
	imull $3, %eax, %eax
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	.text
	.globl wide_nops
wide_nops:
	.fill 0x180000, 1, 0x90
	function wide_first, 1
	.fill 0x40000, 1, 0xcc
	function wide_last, 2

	.section .rodata
	.globl wide_constants
	.size wide_constants, 0x200000
	.type wide_constants, @object
wide_constants:
	.rept 0x200000 / 8
	.quad 0x1122334455667788
	.endr

	.section .note.GNU-stack, "", @progbits
