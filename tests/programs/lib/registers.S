/*
 * int registers_kept(void): fills all registers but %rsp, calls `through`, which does nothing,
 * and returns 1 if all of them are unchanged. Flags need not be kept at a function's entry.
 */
	.text
	.p2align 4
	.globl registers_kept
	.type registers_kept, @function
registers_kept:
	.cfi_startproc
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	.cfi_adjust_cfa_offset 48
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movq $0x1000 + \n, %rax
	movq %rax, %xmm\n
	.endr
	movl $0x20, %eax
	.irp r, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	leaq 1(%rax), %rax
	movq %rax, %\r
	.endr
	leaq 1(%rax), %rax
	movq %rsp, saved(%rip)
	/* Below the stack pointer is what an interrupted leaf function keeps there. */
	movq %rax, -16(%rsp)
	call through
	cmpq %rsp, saved(%rip)
	jne bad
	movq $0x20, saved(%rip)
	.irp r, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15, rax
	incq saved(%rip)
	cmpq %\r, saved(%rip)
	jne bad
	.endr
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movq %xmm\n, %rax
	cmpq $0x1000 + \n, %rax
	jne bad
	.endr
	movl $1, %eax
1:	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	.cfi_adjust_cfa_offset -48
	ret
	.cfi_adjust_cfa_offset 48
bad:	xorl %eax, %eax
	jmp 1b
	.cfi_endproc
	.size registers_kept, . - registers_kept

	.p2align 4
	.globl through
	.type through, @function
through:
	nopl 8(%rax)
	jmp through_2
	.size through, . - through

	/* Reads the red zone: -24 is -16 of the caller before its call. */
	.p2align 4
	.globl through_2
	.type through_2, @function
through_2:
	cmpq %rax, -8(%rsp)
	jne 1f
	ret
1:	xorl %eax, %eax
	ret
	.size through_2, . - through_2

	.bss
	.p2align 3
saved:	.skip 8

	.section .note.GNU-stack, "", @progbits
