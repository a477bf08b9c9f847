/*
 * Functions at whose entry rax is dead (dead_...) or may be alive (alive_...). None is run.
 */
	.text

.macro FUNCTION name
	.globl \name
	.type \name, @function
	.balign 16
\name:
.endm

.macro END name
	.size \name, . - \name
.endm

FUNCTION dead_constant
	push %rbx
	mov $1, %eax
	pop %rbx
	ret
END dead_constant

FUNCTION dead_cleared
	xor %eax, %eax
	ret
END dead_cleared

FUNCTION dead_loaded
	movzbl (%rdi), %eax
	ret
END dead_loaded

FUNCTION dead_counted
	rdtsc
	ret
END dead_counted

FUNCTION dead_called
	lea 8(%rdi), %rax
	call *(%rax)
	ret
END dead_called

FUNCTION dead_both_ways
	test %edi, %edi
	jz 1f
	mov %rsi, %rax
	ret
1:	mov %rdi, %rax
	ret
END dead_both_ways

FUNCTION dead_loop
1:	add $8, %rdi
	cmp %rsi, (%rdi)
	jne 1b
	mov %rdi, %rax
	ret
END dead_loop

FUNCTION dead_for_ever
1:	jmp 1b
END dead_for_ever

FUNCTION dead_callee
	call dead_constant
	ret
END dead_callee

FUNCTION dead_tail
	inc %rdi
	jmp dead_callee
END dead_tail

/* These call each other. */
FUNCTION dead_odd
	test %edi, %edi
	jz 1f
	dec %edi
	call dead_even
	ret
1:	xor %eax, %eax
	ret
END dead_odd

FUNCTION dead_even
	test %edi, %edi
	jz 1f
	dec %edi
	call dead_odd
	ret
1:	mov $1, %eax
	ret
END dead_even

FUNCTION alive_left_alone
	mov %rdi, (%rsi)
	ret
END alive_left_alone

FUNCTION alive_variadic
	lea -200(%rsp), %rsp
	test %al, %al
	jz 1f
	movaps %xmm0, (%rsp)
1:	xor %eax, %eax
	lea 200(%rsp), %rsp
	ret
END alive_variadic

FUNCTION alive_pushed
	push %rax
	call dead_constant
	pop %rdx
	ret
END alive_pushed

FUNCTION alive_byte
	mov $1, %al
	ret
END alive_byte

FUNCTION alive_word
	mov $1, %ax
	ret
END alive_word

FUNCTION alive_perhaps
	test %edi, %edi
	cmovz %esi, %eax
	ret
END alive_perhaps

FUNCTION alive_base
	mov (%rax), %eax
	ret
END alive_base

FUNCTION alive_index
	lea (%rdi,%rax,8), %rax
	ret
END alive_index

FUNCTION alive_multiplied
	mul %rdi
	ret
END alive_multiplied

FUNCTION alive_compared
	lock cmpxchg %rsi, (%rdi)
	ret
END alive_compared

FUNCTION alive_stored
	rep stosb
	mov %rdi, %rax
	ret
END alive_stored

/* Nothing is loaded where rcx is 0. */
FUNCTION alive_repeated
	rep lodsq
	ret
END alive_repeated

FUNCTION alive_kernel
	syscall
	ret
END alive_kernel

FUNCTION alive_transaction
	xbegin 1f
	xend
1:	xor %eax, %eax
	ret
END alive_transaction

FUNCTION alive_one_way
	test %edi, %edi
	jz 1f
	mov %rsi, %rax
1:	ret
END alive_one_way

FUNCTION alive_behind_loop
1:	dec %rdi
	jnz 1b
	ret
END alive_behind_loop

FUNCTION alive_callee
	call alive_left_alone
	xor %eax, %eax
	ret
END alive_callee

FUNCTION alive_callee_of_callee
	call alive_callee
	ret
END alive_callee_of_callee

FUNCTION alive_tail
	jmp alive_variadic
END alive_tail

/* These call each other, and one may leave it alone. */
FUNCTION alive_ping
	test %edi, %edi
	jz 1f
	dec %edi
	call alive_pong
1:	ret
END alive_ping

FUNCTION alive_pong
	dec %edi
	call alive_ping
	xor %eax, %eax
	ret
END alive_pong

FUNCTION alive_elsewhere
	call abort@PLT
END alive_elsewhere

FUNCTION alive_called
	call *%rdi
	ret
END alive_called

FUNCTION alive_jumped
	jmp *(%rdi)
END alive_jumped

/* A signal's handler would see it. */
FUNCTION alive_trap
	ud2
	xor %eax, %eax
	ret
END alive_trap

FUNCTION alive_breakpoint
	int3
	xor %eax, %eax
	ret
END alive_breakpoint

/* More than is looked at. */
FUNCTION alive_long
	.rept 100
	inc %rdi
	.endr
	xor %eax, %eax
	ret
END alive_long

	.section .note.GNU-stack, "", @progbits
