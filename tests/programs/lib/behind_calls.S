/* Functions of behind_calls.c. */
	.macro function name
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

	.text
	/* As many bytes further away as rax says. */
	function skip
	add	%rax, (%rsp)
	ret
	end skip

	function next
	incq	(%rsp)
	lea	1(%rdi), %rax
	ret
	end next

	/* The sum of a text behind the call. */
	function text_of
	mov	(%rsp), %rcx
	xor	%eax, %eax
1:	movzbl	(%rcx), %edx
	inc	%rcx
	add	%rdx, %rax
	test	%dl, %dl
	jne	1b
	mov	%rcx, (%rsp)
	ret
	end text_of

	function add_words
	pop	%rdx
	mov	$0, %eax
1:	mov	(%rdx), %ecx
	add	$4, %rdx
	add	%rcx, %rax
	test	%ecx, %ecx
	jne	1b
	jmp	*%rdx
	end add_words

	function jumps_there
	jmp	text_of
	end jumps_there

	function here
	mov	(%rsp), %rax
	ret
	end here

	/* What is skipped is no instruction; then one byte is. */
	function over
	mov	$3, %eax
	call	skip
	.byte	0xe8, 0xff, 0xff
	call	next
	.byte	0x06
	inc	%rax
	ret
	end over

	function texts
	call	text_of
	.asciz	"a\350\001\002"
	push	%rax
	call	jumps_there
	.asciz	"some text"
	pop	%rdx
	add	%rdx, %rax
	ret
	end texts

	function words
	call	add_words
	.long	5, 0xe8, 7, 0
	ret
	end words

	/* The place is known by a call, and what lies there found by it. */
	function place
	call	here
	jmp	1f
	.byte	11
1:	movzbl	2(%rax), %eax
	ret
	end place

	function inside
	call	1f
	.byte	0x0f, 0xe9
1:	pop	%rcx
	movzbl	(%rcx), %eax
	ret
	end inside

	/* Threaded code: words behind the call are distances of what runs next. */
	function threaded
	xor	%eax, %eax
	push	%rbx
	call	1f
2:	.long	3f - 2b, 3f - 2b, 3f - 2b, 4f - 2b
1:	pop	%rbx
	lea	(%rbx), %rdx
5:	movslq	(%rdx), %rcx
	add	$4, %rdx
	add	%rbx, %rcx
	jmp	*%rcx
3:	inc	%rax
	jmp	5b
4:	pop	%rbx
	ret
	end threaded

	/* No table knows the callee, and nothing but a symbol its caller. */
unknown:
	test	%edi, %edi
	je	1f
	addq	$5, (%rsp)
1:	ret
	.globl unlisted
	.type unlisted, @function
unlisted:
	call	unknown
	jmp	1f
	.byte	0x0f, 0x0b, 0xe8
	mov	$2, %eax
	ret
1:	mov	$1, %eax
	ret
	.size unlisted, . - unlisted

	.section .note.GNU-stack, "", @progbits
