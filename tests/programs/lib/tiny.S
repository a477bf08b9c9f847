/* Functions of one to eight bytes; the packed ones have no padding between them. */
	.text
	.macro tiny name, first:req, second
	.globl \name
	.type \name, @function
\name:
	\first
	\second
	.size \name, . - \name
	.endm

	.p2align 4
	tiny packed_1a, ret
	tiny packed_1b, ret
	tiny packed_2, "nop", "ret"
	tiny packed_3, "movl %edi, %eax", "ret"
	tiny packed_4, "leal 1(%rdi), %eax", "ret"
	tiny packed_4b, "leaq (%rdi), %rax", "ret"
	tiny packed_6, "movl $7, %eax", "ret"
	tiny packed_jump, "jmp packed_3"
	tiny packed_1c, ret
	ud2

	.p2align 4
	tiny padded_1, ret
	.p2align 4
	tiny padded_2, "nop", "ret"
	.p2align 4
	tiny padded_3, "movl %edi, %eax", "ret"
	.p2align 4
	tiny padded_4, "leal 1(%rdi), %eax", "ret"
	.p2align 4
	tiny marked, "endbr64", "ret"
	.p2align 4
	tiny marked_jump, "endbr64", "jmp padded_3"
	.p2align 4
	.skip 4096, 0xcc

	.section .note.GNU-stack, "", @progbits
