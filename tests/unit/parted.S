/* A function in parts, for tests of reports. */
	.text
	.globl	parted_helper
	.type	parted_helper, @function
parted_helper:
	mov	$3, %eax
	ret
	.size	parted_helper, . - parted_helper

	/* A function whose rare part lies elsewhere, comes back, and calls. */
	.globl	parted
	.type	parted, @function
parted:
	mov	%edi, %eax
	test	%edi, %edi
	je	parted.cold
1:	add	$3, %eax
	ret
	.size	parted, . - parted

	.section .text.unlikely, "ax", @progbits
	.type	parted.cold, @function
parted.cold:
	dec	%eax
	test	$2, %al
	jne	2f
	add	$5, %eax
	jmp	1b
2:	call	parted_helper
	jmp	1b
	.size	parted.cold, . - parted.cold

	.section .note.GNU-stack, "", @progbits
