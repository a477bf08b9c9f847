/*
 * Functions whose first instructions are hard to move. Each is called often, and its count is
 * the number of its calls, not of the turns of a loop in it.
 */
	.text
	.macro begin name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm

	.macro end name
	.size \name, . - \name
	.endm

	/* int loop_short(int n): n turns of a loop whose head is the entry (rel8). */
	begin loop_short
	addl $1, %eax
	subl $1, %edi
	jnz loop_short
	ret
	end loop_short

	/* The same with a branch of 32 bits. */
	begin loop_long
	addl $1, %eax
	subl $1, %edi
	.byte 0x0f, 0x85
	.long loop_long - . - 4
	ret
	end loop_long

	/* The same with an unconditional jump back. */
	begin loop_jump
	testl %edi, %edi
	jz 1f
	decl %edi
	jmp loop_jump
1:	ret
	end loop_jump

	/* The loop instruction goes back to the entry; the count is in %rcx (4th argument). */
	begin loop_loop
	addl $1, %eax
	nop
	loop loop_loop
	ret
	end loop_loop

	/* A branch back to the second instruction. */
	begin loop_second
	xorl %eax, %eax
1:	addl $1, %eax
	subl $1, %edi
	jnz 1b
	ret
	end loop_second

	/* Starts with a call. */
	begin starts_call
	call odd_helper
	addl $1, %eax
	ret
	end starts_call

	/* Starts with the wrapper's form: sub, call. */
	begin starts_sub_call
	subq $8, %rsp
	call odd_helper
	addq $8, %rsp
	ret
	end starts_sub_call

	/* Starts with an indirect call through memory. */
	begin starts_call_memory
	call *odd_pointer(%rip)
	addl $2, %eax
	ret
	end starts_call_memory

	/* Starts with jrcxz: its target is out of its reach from anywhere else. */
	begin starts_jrcxz
	jrcxz 1f
	movl $2, %eax
	ret
1:	movl $1, %eax
	ret
	end starts_jrcxz

	/* Starts with loop, forwards. */
	begin starts_loop
	loop 1f
	movl $2, %eax
	ret
1:	movl $1, %eax
	ret
	end starts_loop

	/* Starts with a conditional jump over 127 bytes, and with a short one. */
	begin starts_jcc
	testl %edi, %edi
	jz 1f
	movl $2, %eax
	ret
	.skip 200, 0x90
1:	movl $1, %eax
	ret
	end starts_jcc

	/* The old way to find out where one is: call the next instruction, and pop. */
	begin starts_get_pc
	call 1f
1:	popq %rax
	leaq 1b(%rip), %rdx
	subq %rdx, %rax
	ret
	end starts_get_pc

	/* An operand relative to the instruction, and an immediate behind it. */
	begin starts_relative
	cmpl $77, odd_word(%rip)
	sete %al
	movzbl %al, %eax
	ret
	end starts_relative

	begin starts_relative_store
	movl $77, odd_word(%rip)
	movl odd_word(%rip), %eax
	ret
	end starts_relative_store

	/* A string operation first: may be interrupted in the middle of its work. */
	begin starts_rep
	rep stosb
	movl $5, %eax
	ret
	end starts_rep

	/* A system call first (getpid is 39: the caller puts it into %eax). */
	begin starts_syscall
	movl $39, %eax
	syscall
	ret
	end starts_syscall

	/* Pushes first, 2-byte and 1-byte ones, then looks at its return address. */
	begin starts_push
	pushq %r12
	pushq %rbx
	pushq %rbp
	movq 24(%rsp), %rax
	popq %rbp
	popq %rbx
	popq %r12
	ret
	end starts_push

	/* Another function jumps to the first instruction of this one: that is a call of it. */
	begin jumped_to
	leal 3(%rdi), %eax
	nopl (%rax)
	ret
	end jumped_to

	begin jumps_to
	testl %edi, %edi
	jnz jumped_to
	movl $3, %eax
	ret
	end jumps_to

	/* Another function jumps into the first five bytes of this one. */
	begin jumped_into
	nop
	nop
	.globl jumped_into_2
jumped_into_2:
	addl $4, %edi
	movl %edi, %eax
	ret
	end jumped_into

	begin jumps_into
	addl $100, %edi
	jmp jumped_into_2
	end jumps_into

	/* As the C library's memcpy: there is room for a short jump only, since another function
	 * jumps in behind the first instruction. */
	begin entered_behind
	movl %edi, %eax
entered_behind_3:
	testl $1, %eax
	jnz 1f
	shrl $1, %eax
	ret
1:	leal 1(%rax,%rax,2), %eax
	ret
	end entered_behind

	begin enters_behind
	leal 1(%rdi), %eax
	jmp entered_behind_3
	end enters_behind

	begin odd_helper
	movl $41, %eax
	nopl (%rax)
	ret
	end odd_helper

	.data
	.p2align 3
	.globl odd_word
odd_word:
	.long 0, 0
odd_pointer:
	.quad odd_helper

	.section .note.GNU-stack, "", @progbits
