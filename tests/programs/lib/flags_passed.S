/* Functions that branches on conditions lead to, from other functions; see flags_passed.c. */
	.text

	.macro begin name
	.globl	\name
	.type	\name, @function
	.balign 16
\name:
	.endm
	.macro end name
	.size	\name, . - \name
	.endm

	/* Takes no flags, and writes none. */
	begin flagless
	lea	3(%rdi), %rax
	ret
	end flagless

	begin to_flagless
	cmp	$100, %rdi
	ja	flagless
	lea	1(%rdi), %rdi
	jmp	flagless
	end to_flagless

	/* Takes the carry of who branches to it. */
	begin carried
	lea	(%rdi, %rdi), %rax
	adc	$0, %rax
	ret
	end carried

	begin to_carried
	cmp	%rsi, %rdi
	jne	carried
	mov	$-1, %rax
	ret
	end to_carried

	/* Passes it on, by a jump and by another branch. */
	begin passing
	lea	1(%rdi), %rdi
	jmp	carried
	end passing

	begin to_passing
	cmp	%rsi, %rdi
	jne	passing
	mov	$-2, %rax
	ret
	end to_passing

	begin branching
	lea	2(%rdi), %rdi
	jne	carried
	mov	$-3, %rax
	ret
	end branching

	begin to_branching
	cmp	%rsi, %rdi
	jne	branching
	mov	$-4, %rax
	ret
	end to_branching

	/* Returns the flags that it came with; its caller's caller takes them. */
	begin returning
	lea	1(%rdi), %rdi
	ret
	end returning

	begin to_returning
	cmp	%rsi, %rdi
	jb	returning
	mov	$0, %eax
	ret
	end to_returning

	begin take_returned
	xor	%eax, %eax
	call	to_returning
	adc	$0, %rax
	ret
	end take_returned

	.section .note.GNU-stack, "", @progbits
