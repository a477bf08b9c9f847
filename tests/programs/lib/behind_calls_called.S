/* A library's: behind_library.c */
	.text
	.p2align 4
	.globl shared_text
	.type shared_text, @function
shared_text:
	.cfi_startproc
	mov	(%rsp), %rcx
	xor	%eax, %eax
1:	movzbl	(%rcx), %edx
	inc	%rcx
	add	%rdx, %rax
	test	%dl, %dl
	jne	1b
	mov	%rcx, (%rsp)
	ret
	.cfi_endproc
	.size shared_text, . - shared_text
	.section .note.GNU-stack, "", @progbits
