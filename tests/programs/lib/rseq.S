/*
 * int add_on_cpu(long *counters, struct rseq *area, uint32_t *aborts): adds one to the counter
 * of the CPU that it runs on (64 bytes apart), in a restartable sequence; returns 1. Counts in
 * *aborts how often it was interrupted in it.
 */
	.section __rseq_cs, "aw"
	.balign 32
critical:
	.long 0, 0
	.quad 1f, 2f - 1f, 4f

	.text
	.p2align 4
	.globl add_on_cpu
	.type add_on_cpu, @function
add_on_cpu:
	leaq critical(%rip), %rax
	movq %rax, 8(%rsi)
1:	movl 4(%rsi), %ecx
	shlq $6, %rcx
	movl $40, %r8d
5:	decl %r8d
	jnz 5b
	addq $1, (%rdi, %rcx)
2:	movq $0, 8(%rsi)
	movl $1, %eax
	ret
	.long 0x53053053
4:	incl (%rdx)
	jmp add_on_cpu
	.size add_on_cpu, . - add_on_cpu

	.section .note.GNU-stack, "", @progbits
