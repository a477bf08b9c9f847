/* A function of assembly, for test_lines.c: it is asked for its line. */
	.text
	.globl	places_assembly
	.type	places_assembly, @function
places_assembly:
	mov	$7, %eax
	ret
	.size	places_assembly, . - places_assembly

	.section .note.GNU-stack, "", @progbits
