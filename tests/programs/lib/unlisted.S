/*
 * Functions that no table knows: they have neither symbols, once the program is stripped, nor
 * call-frame information. Each has 32 bytes, from 0x9000 and 0xa000 on (see unlisted.c).
 */
	.macro begin name
	.p2align 5
	.globl \name
\name:
	.endm

	.section .a, "ax", @progbits
	/* int called(int n): n + 3 */
	begin called
	lea	1(%rdi), %edi
	call	called_inside
	add	$1, %eax
	ret

	/* Called from here only: n + 1. */
	begin called_inside
	mov	%edi, %eax
	add	$1, %eax
	ret

	/* int jumped(int n): n + 5. C jumps here. */
	begin jumped
	push	%rbx
	mov	%edi, %ebx
	lea	5(%rbx), %eax
	pop	%rbx
	ret

	/* int pointed(int n): n + 7. Only a table of pointers knows it. */
	begin pointed
	lea	7(%rdi), %eax
	ret

	/* int leaves(int n): n + 9, by a jump over two functions. */
	begin leaves
	add	$1, %edi
	jmp	left_for

	/* int loops(int n): n, by a loop that starts at the entry, with %eax 0. */
	begin loops
	add	$1, %eax
	sub	$1, %edi
	jnz	loops
	ret

	/* int carries(int n): n plus the carry that it is called with. */
	begin carries
	mov	%edi, %eax
	nop
	nop
	adc	$0, %eax
	ret

	begin left_for
	lea	8(%rdi), %eax
	ret

	/* int asks(int n): n + 1; what it calls changes no flags. */
	begin asks
	stc
	call	carries
	cmp	%edi, %eax
	call	leaves_flags
	jne	1f
	ud2
1:	ret

	begin leaves_flags
	lea	1(%rdi), %rdx
	mov	%rdx, %rcx
	ret

	/* With data beside it: it ends in a jump that nobody knows the end of. */
	.section .b, "ax", @progbits
	/* int computed(int n): n + 11. Where it is, is computed. */
	begin computed
	lea	11(%rdi), %eax
	ret

	/* int beside_data(int n): n + 2, and the word behind it. */
	begin beside_data
	lea	2(%rdi), %eax
	add	1f(%rip), %eax
	ret
	.p2align 3
1:	.long	4, 0xe8e8e8e8, 0xc3c3c3c3, 0x00000074

	.section .note.GNU-stack, "", @progbits
