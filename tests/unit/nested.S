/* A loop in a loop, for tests of loops; in the outer one a call. */
	.text
	.type	nested_helper, @function
nested_helper:
	mov	$3, %eax
	ret
	.size	nested_helper, . - nested_helper

	.globl	nested
	.type	nested, @function
nested:
	mov	%edi, %edx
1:	mov	%esi, %ecx
2:	dec	%ecx
	jne	2b
	call	nested_helper
	dec	%edx
	jne	1b
	ret
	.size	nested, . - nested

	.section .note.GNU-stack, "", @progbits
