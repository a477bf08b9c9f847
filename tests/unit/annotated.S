/* Functions with known blocks, for tests of annotate, graph and coverage. */
	.text
	.globl	annotated
	.type	annotated, @function
annotated:
	test	%edi, %edi
	je	1f
	mov	$7, %eax
	ret
1:	mov	$9, %eax
	call	annotated_helper
	ret
	.size	annotated, . - annotated

	.globl	annotated_helper
	.type	annotated_helper, @function
annotated_helper:
	mov	$3, %eax
	ret
	.size	annotated_helper, . - annotated_helper

	/* The argument plus how many even numbers there are from 1 up to it. */
	.globl	annotated_loop
	.type	annotated_loop, @function
annotated_loop:
	mov	%edi, %eax
1:	test	$1, %dil
	jne	2f
	inc	%eax
2:	dec	%edi
	jne	1b
	ret
	.size	annotated_loop, . - annotated_loop

	/* A block with a call, and one behind it. */
	.globl	annotated_call
	.type	annotated_call, @function
annotated_call:
	call	annotated_helper
	jmp	1f
1:	ret
	.size	annotated_call, . - annotated_call

	/* A jump that nobody can follow: no graph. */
	.globl	annotated_odd
	.type	annotated_odd, @function
annotated_odd:
	lea	1f(%rip), %rax
	add	%rdi, %rax
	jmp	*%rax
1:	nop
	xor	%eax, %eax
	ret
	.size	annotated_odd, . - annotated_odd

	.section .note.GNU-stack, "", @progbits
