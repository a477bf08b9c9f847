/* Callers of what behind_calls_called.S has, by the linkage table and by a pointer. */
	.text
	.p2align 4
	.globl by_linkage
	.type by_linkage, @function
by_linkage:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	shared_text@PLT
	.asciz	"sumtext"
	add	%rdi, %rax
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size by_linkage, . - by_linkage

	.p2align 4
	.globl by_pointer
	.type by_pointer, @function
by_pointer:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	*%rsi
	.asciz	"othtext"
	add	%rdi, %rax
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size by_pointer, . - by_pointer
	.section .note.GNU-stack, "", @progbits
