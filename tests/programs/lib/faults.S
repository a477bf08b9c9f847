/*
 * Functions that fault at a known instruction: fault_N faults in its N-th one. Each returns 7
 * more than the word that it reads from its argument.
 */
	.text
	.macro begin name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	begin fault_1
	movl (%rdi), %eax
	addl $7, %eax
	leaq 8(%rdi), %rdx
	ret
	end fault_1

	begin fault_2
	xorl %eax, %eax
	addl (%rdi), %eax
	addl $7, %eax
	ret
	end fault_2

	begin fault_3
	movl $7, %edx
	xchg %ax, %ax
	movl (%rdi), %eax
	addl %edx, %eax
	ret
	end fault_3

	begin fault_4
	endbr64
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	movl (%rdi), %eax
	addl $7, %eax
	popq %rbp
	.cfi_adjust_cfa_offset -8
	ret
	end fault_4

	/* Faults with ud2 in the first instruction; the handler skips it. */
	begin illegal_1
	ud2
	movl $9, %eax
	nopl 8(%rax)
	ret
	end illegal_1

	/* Faults in a division by its second argument, 0, behind the first instruction. */
	begin divide
	movl %edi, %eax
	cltd
	idivl %esi
	ret
	end divide

	.section .note.GNU-stack, "", @progbits
