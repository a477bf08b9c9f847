/*
 * Functions that test_plan_run.c and the tests of functions relocated whole copy, change and
 * run. BEGIN aligns to 16, BEGIN_TIGHT does not; END ends. Arguments and results as in C:
 * (rdi, rsi, rdx) to rax.
 */
	.globl	first_function, last_function, area_begin, area_text_end, area_end
	.globl	through_word, plain
	.set	AREA, 0x20000000 /* where whole_area.h has them */

	.section .rodata.area, "a"
.macro BEGIN name
.p2align 4, 0x90
BEGIN_TIGHT \name
.endm
.macro BEGIN_TIGHT name
.pushsection .rodata.names, "a"; 9: .asciz "\name"; .popsection
.pushsection .data.rel.ro.functions, "aw"; .quad 9b, \name, \name\()_end - \name; .popsection
\name:
.endm
.macro END name
\name\()_end:
.endm
/* More code than a short jump reaches, and no padding in it. */
.macro FAR name
BEGIN_TIGHT \name
.rept 70; lea 1(%rdi,%rsi),%rdi; .endr
	mov %rdi, %rax
	ret
END \name
.endm

.pushsection .data.rel.ro.functions, "aw"
first_function:
.popsection
.p2align 4, 0x90
area_begin:

BEGIN plain
	push %rbx
	mov %rdi, %rbx
	lea 7(%rbx,%rsi), %rax
	pop %rbx
	ret
END plain

/* Loops to the entry: behind ten bytes, at once, by rel32, with endbr64. */
BEGIN loop_two
	add %rsi, %rdx
	imul $3, %rsi, %rsi
	inc %rsi
	and $15, %rdi
	dec %rdi
	jg loop_two
	mov %rdx, %rax
	ret
END loop_two
BEGIN loop_tight
	sar %edi
	jg loop_tight
	lea 1(%rsi), %rax
	ret
END loop_tight
BEGIN loop_far
	lea 3(%rsi,%rdx), %rsi
.rept 40
	xor %rdi, %rsi
	add %rdx, %rsi
.endr
	and $31, %rdi
	dec %rdi
	jg loop_far
	mov %rsi, %rax
	ret
END loop_far
BEGIN loop_marked
	endbr64
	add %rsi, %rdx
	imul $5, %rsi, %rsi
	inc %rsi
	and $7, %rdi
	dec %rdi
	jg loop_marked
	mov %rdx, %rax
	ret
END loop_marked
BEGIN loop_behind
	endbr64
	loop_behind_4: add %rsi, %rdx
	imul $5, %rsi, %rsi
	inc %rsi
	and $7, %rdi
	dec %rdi
	jg loop_behind_4
	mov %rdx, %rax
	ret
END loop_behind
/* The second jump has no room: another loop leads to the eighth byte. */
BEGIN loop_island
	lea 5(%rsi), %rsi
	xor %rdx, %rsi
	1: add $9, %rsi
	and $15, %rdi
	dec %rdi
	jz 2f
	test $1, %rdi
	jz 1b
	dec %rdi
	jg loop_island
	2: mov %rsi, %rax
	ret
END loop_island

/* Short ones, with padding and without. */
BEGIN short_return
	ret
END short_return
BEGIN short_zero
	xor %eax, %eax
	ret
END short_zero
BEGIN tight_a
	mov %edi, %eax
	ret
END tight_a
BEGIN_TIGHT tight_b
	mov %esi, %eax
	ret
END tight_b
BEGIN_TIGHT tight_c
	lea 1(%rdi), %rax
	ret
END tight_c

/* Control runs through the padding behind the first into the second. */
BEGIN falls
	add $4, %rdi
	lea (%rdi,%rdi), %rdi
	nop
END falls
.p2align 5, 0x90
.p2align 6, 0x90
BEGIN fallen
	mov %rdi, %rax
	1: add $1, %rax
	and $63, %rdi
	dec %rdi
	jg 1b
	ret
END fallen

/* Calls in the first bytes. */
BEGIN wrapper
	sub $8, %rsp
	call plain
	add $8, %rsp
	ret
END wrapper
BEGIN wrapper_first
	call plain
	add %rsi, %rax
	ret
END wrapper_first
BEGIN wrapper_marked
	endbr64
	push %rsi
	call wrapper
	pop %rsi
	add %rsi, %rax
	ret
END wrapper_marked
/* Not every time that the call is reached is a call of the function. */
BEGIN wrapper_loop
	push %rdi
	call plain
	pop %rdi
	and $3, %rdi
	dec %rdi
	jg wrapper_loop
	ret
END wrapper_loop
BEGIN wrapper_entered
	push %rdi; push %rsi
	1: call plain
	pop %rsi; pop %rdi
	and $3, %rdi
	jz 2f
	push $0
	push %rsi
	jmp 1b
	2: ret
END wrapper_entered
/* Blocks with a call end in jumps to one without, so those have counters. */
BEGIN joined
	push %rbx; mov %rdi, %rbx; xor %edx, %edx
1:	bt $1, %ebx; jc 3f; bt $0, %ebx; jc 2f
	call plain; inc %rdx; jmp 4f
2:	call plain; add $3, %rdx; jmp 4f; 3: call plain; add $5, %rdx
4:	imul $3, %rdx, %rdx; shr %ebx; jnz 1b
	mov %rdx, %rax; pop %rbx; ret
END joined
FAR far_a
BEGIN_TIGHT called
	push %rbx
	call plain
	add %rax, %rax
	pop %rbx
	ret
END called
/* The callee reads flags, which a probe before it would change. */
BEGIN_TIGHT emulated
	cmp %rsi, %rdi
	call adder
	add %rax, %rax
	ret
END emulated
BEGIN_TIGHT emulated_stack
	push $0
	push %rsi
	push %rsi
	call *16(%rsp)
END emulated_stack
BEGIN_TIGHT call_next
	call 1f
	1: pop %rax
	sub %rdi, %rax
	ret
END call_next
BEGIN_TIGHT emulated_indirect
	push %rbx
	lea call_next(%rip), %rbx
	call *%rbx
	pop %rbx
	ret
END emulated_indirect
BEGIN_TIGHT through_memory
	push %rbx
	push %rcx
	call *through_word(%rip)
	pop %rcx
	pop %rbx
	ret
END through_memory
BEGIN_TIGHT through_stack
	push %rdi; push %rsi
	lea plain(%rip), %rax
	push %rax
	call through_stack_inner
	pop %rcx; pop %rcx
	pop %rcx
	ret
END through_stack
BEGIN_TIGHT through_stack_inner
	push %rbx
	call *16(%rsp)
	pop %rbx
	ret
END through_stack_inner
FAR far_b

/* Other instructions that change when they move. */
BEGIN count_zero
	mov %rdi, %rcx
	jrcxz 1f
	mov $2, %eax
	ret
	1: mov $1, %eax
	ret
END count_zero
BEGIN looper
	lea 1(%rsi), %ecx
	loop 1f
	mov $2, %eax
	ret
	1: lea 5(%rcx,%rdi), %rax
	ret
END looper
BEGIN branch_first
	test %edi, %edi
	js 1f
	mov $5, %eax
	ret
	1: mov $6, %eax
	ret
END branch_first
BEGIN jump_first
	jmp 1f
.rept 9
	nop
.endr
	1: lea 2(%rdi), %rax
	ret
END jump_first
BEGIN load
	mov data_word(%rip), %rax
	add %rdi, %rax
	ret
END load
BEGIN store
	mov %rdi, data_other(%rip)
	mov data_other(%rip), %rax
	ret
END store
BEGIN compare
	cmpl $0x12345678, data_word(%rip)
	sete %al
	movzbl %al, %eax
	ret
END compare
BEGIN table_loop
	lea table(%rip), %rax
	and $1, %edi
	lea (%rax,%rdi,4), %rcx
	movslq (%rcx), %rcx
	mov %esi, %edi
	shr %esi
	add %rcx, %rax
	jmp *%rax
	table_out: lea 3(%rdi), %rax
	ret
END table_loop

/* Flags that are alive at an entry. */
BEGIN adder
	mov %rdi, %rax
	adc $0, %rax
	ret
END adder
BEGIN set_carry
	cmp %rsi, %rdi
	call adder
	ret
END set_carry
BEGIN tail_taker
	seto %al
	movzbl %al, %eax
	lea 4(%rax), %rax
	ret
END tail_taker
BEGIN tail_jumper
	mov %edi, %eax
	add %esi, %eax
	jo tail_taker
	mov $9, %eax
	ret
END tail_jumper

/* Tail calls and recursion. */
BEGIN tail
	lea 1(%rdi), %rdi
	jmp plain
END tail
BEGIN recurse
	and $31, %rdi
	jz 1f
	dec %rdi
	call recurse
	lea 2(%rax,%rsi), %rax
	ret
	1: mov $1, %eax
	ret
END recurse

/* Something leads into the first five bytes. */
BEGIN inside
	push %rbx
	mov %rdi, %rbx
	inside_4: lea 3(%rbx), %rax
	and $3, %rbx
	dec %rbx
	jg inside_4
	pop %rbx
	ret
END inside
BEGIN pointed_at
	mov %rdi, %rax
	pointed_at_3: add $2, %rax
	ret
END pointed_at
BEGIN point_at
	mov %rsi, %rax
	lea pointed_at_3(%rip), %rcx
	jmp *%rcx
END point_at

/* Instructions that stay where they are. */
BEGIN string
	mov %edi, %eax
	mov %esi, %ecx
	and $7, %ecx
	ret
END string
BEGIN repeated
	rep stosb
	mov %edi, %eax
	ret
END repeated
BEGIN undefined
	ud2
END undefined
/* What follows is for functions that are relocated whole. rdx is the address of 512 bytes
 * to write to. Switches: distances, as compilers write them with and without optimisation,
 * and addresses, for programs at AREA. One case leads to another function, one to the end. */
BEGIN switch_near
	mov $9, %eax
	cmp $6, %rdi
	ja 1f
	lea table_near(%rip), %r8
	movslq (%r8,%rdi,4), %rax
	add %r8, %rax
	notrack jmp *%rax
near_0:	lea 1(%rsi), %rax
	ret
near_1:	add $3, %rsi
near_2:	imul $5, %rsi, %rsi
	xor %rdi, %rsi
near_3:	mov %rsi, %rax
1:	ret
near_4:	call plain
	jmp near_3
near_end:
END switch_near
	mov $77, %eax
	ret
BEGIN switch_slow
	push %rbp
	mov %rsp, %rbp
	mov %rdi, -8(%rbp)
	cmpq $3, -8(%rbp)
	ja 1f
	mov -8(%rbp), %rax
	lea 0(,%rax,4), %rcx
	lea table_slow(%rip), %rax
	mov (%rcx,%rax), %eax
	cltq
	lea table_slow(%rip), %rcx
	add %rcx, %rax
	jmp *%rax
slow_0:	mov $4, %eax
	jmp 2f
slow_1:	mov %esi, %eax
	jmp 2f
slow_2:	decq -8(%rbp)
	mov -8(%rbp), %rax
	jmp 2f
1:	mov $5, %eax
2:	pop %rbp
	ret
END switch_slow
BEGIN switch_loop
	push %rbx; push %r12
	lea table_loops(%rip), %r12; mov %rdi, %rbx; and $63, %rbx; xor %eax, %eax
1:	test %rbx, %rbx; je 2f; mov %rbx, %rcx; and $3, %ecx
	movslq (%r12,%rcx,4), %rcx; add %r12, %rcx; jmp *%rcx
loops_0: shr $1, %rbx; jmp 1b
loops_1: add %rsi, %rax; dec %rbx; jmp 1b
loops_2: add $2, %rax; dec %rbx
loops_3: xor %rbx, %rax; dec %rbx; jns 1b
2:	pop %r12; pop %rbx; ret
END switch_loop
/* The table is named between two calls, in code that stays where it is. */
BEGIN switch_behind
	push %rbx; push %r12; mov %rdi, %rbx; call tight_b
	lea table_behind(%rip), %r12; call tight_b
	and $63, %rbx; xor %eax, %eax
1:	test %rbx, %rbx; je 2f
	mov %rbx, %rcx; and $3, %ecx
	movslq (%r12,%rcx,4), %rcx; add %r12, %rcx; jmp *%rcx
behind_0: shr $1, %rbx; jmp 1b
behind_1: add %rsi, %rax; dec %rbx; jmp 1b
behind_2: add $2, %rax; dec %rbx
behind_3: xor %rbx, %rax; dec %rbx; jns 1b
2:	pop %r12; pop %rbx; ret
END switch_behind
BEGIN switch_fixed
	mov $9, %eax
	cmp $3, %rdi
	ja fixed_3
	.byte 0xff, 0x24, 0xfd /* jmp *table_fixed(,%rdi,8) */
	.long AREA + table_fixed - area_begin
fixed_0: lea 2(%rsi), %rax
	ret
fixed_1: inc %rsi
fixed_2: mov %rsi, %rax
fixed_3: ret
END switch_fixed
#include "gotos.S"

/* Calls: at the start of blocks, back to back, with nops between, in the first five bytes,
 * behind a loop to the entry, recursive, of what is in registers and in memory. */
BEGIN calls_first
	test %rdi, %rdi
	je 1f
	call plain
	jmp 2f
	nopw 0(%rax,%rax,1)
1:	call tight_c
2:	call tight_b
	lea (%rax,%rsi), %rax
	ret
END calls_first
BEGIN calls_row
	push %rbx
	mov %rdi, %rbx
	call plain
	call tight_b
	nop
	call plain
	nopw 0(%rax,%rax,1)
	call tight_c
	add %rbx, %rax
	pop %rbx
	ret
END calls_row
BEGIN calls_only
	call plain
	call tight_c
	ret
END calls_only
BEGIN calls_blocks
	push %rbx
	mov %rdi, %rbx
	and $7, %rbx
1:	call plain
	test $1, %bl
	jne 2f
	call tight_b
2:	call tight_c
	mov %rbx, (%rdx,%rbx,8)
	dec %rbx
	jns 1b
	pop %rbx
	ret
END calls_blocks
BEGIN calls_late
	push %rdi; push %rsi
	push %rdx
	call plain
	pop %rdx
	pop %rsi; pop %rdi
	and $7, %rdi
	dec %rdi
	jg calls_late
	ret
END calls_late
BEGIN calls_indirect
	push %rbx; push %r12
	lea plain(%rip), %rbx
	lea tight_c(%rip), %r12
	test %sil, %sil
	cmovs %r12, %rbx
	call *%rbx
	mov %rax, (%rdx)
	mov %r12, 8(%rdx)
	call *8(%rdx)
	add (%rdx), %rax
	call *through_word(%rip)
	pop %r12
	pop %rbx
	ret
END calls_indirect
BEGIN fibonacci
	and $7, %edi
	mov %edi, %eax
	cmp $2, %edi
	jb 1f
	push %rbx
	push %rdi
	dec %edi
	call fibonacci
	mov %rax, %rbx
	pop %rdi
	sub $2, %edi
	call fibonacci
	add %rbx, %rax
	pop %rbx
1:	ret
END fibonacci
BEGIN even
	and $15, %edi
	je 1f
	dec %edi
	jmp odd
1:	mov $1, %eax
	ret
END even
BEGIN odd
	and $15, %edi
	je 1f
	dec %edi
	jmp even
1:	xor %eax, %eax
	ret
END odd
BEGIN tails
	cmp %rsi, %rdi
	ja plain
	je tight_c
	lea tight_b(%rip), %rcx
	test $1, %dil
	jne 1f
	jmp *%rcx
1:	jmp even
END tails
BEGIN tail_last
	test %rdi, %rdi
	jne 1f
	lea 4(%rsi), %rax
	ret
1:	inc %rdi
END tail_last
	mov %rdi, %rax
	ret

/* Flags: over branches and blocks, to functions and from them. */
BEGIN carries
	xor %eax, %eax
	mov %edi, %ecx
	and $7, %ecx
	inc %ecx
	add %rsi, %rdi
1:	mov (%rdx,%rcx,8), %r8
	adc %r8, %rax
	mov %rax, (%rdx,%rcx,8)
	lea -1(%rcx), %rcx
	jrcxz 2f
	jmp 1b
2:	adc $0, %rax
	ret
END carries
BEGIN flags_over
	cmp %rsi, %rdi
	mov %edi, %eax
	ja 1f
	je 2f
	jo 3f
	setp %al
	ret
1:	lea 1(%rax), %rax
	jo 2f
	sets %al
	ret
2:	mov $3, %eax
3:	setb %al
	movzbl %al, %eax
	ret
END flags_over
BEGIN flags_kept
	cmp %rsi, %rdi
1:	lahf
	seto %al
	movzwl %ax, %eax
	mov %eax, (%rdx)
	mov %rsi, %rdi
	lea 1(%rsi), %rsi
	je 2f
	test $0x40, %sil
	jne 2f
	cmp $0x30, %sil
	jb 1b
2:	ret
END flags_kept
BEGIN gives_carry
	cmp %rsi, %rdi
	jb 1f
	mov $1, %eax
	stc
	ret
1:	mov $2, %eax
	clc
	ret
END gives_carry
BEGIN takes_carry
	push %rbx
	mov %rdi, %rbx
	call gives_carry
	adc %rbx, %rax
	cmp $9, %rbx
	call adder
	pop %rbx
	ret
END takes_carry
BEGIN loops
	mov %edi, %ecx
	and $15, %ecx
	inc %ecx
	xor %eax, %eax
1:	lea 3(%rax,%rcx), %rax
	loop 1b
	lea 5(%rcx), %ecx
2:	inc %rax
	cmp %sil, %al
	loopne 2b
	mov $3, %ecx
3:	test $0, %al
	loope 3b
	mov %edi, %ecx
	and $1, %ecx
	jrcxz 4f
	inc %rax
4:	ret
END loops
BEGIN repeats
	mov %edi, %ecx
	and $31, %ecx
	mov %esi, %eax
	mov %rdx, %rdi
1:	rep stosb
	test $1, %al
	jne 2f
	inc %eax
	mov $5, %ecx
	jmp 1b
2:	mov %rdx, %rsi
	lea 64(%rdx), %rdi
	mov $40, %ecx
	rep movsb
	ret
END repeats
BEGIN kernel
	push %rdx
	mov %edi, %r8d
	and $3, %r8d
	inc %r8d
1:	mov $0x1000, %edi
	mov $110, %eax /* getppid */
	syscall
	test %rax, %rax
	jle 2f
	dec %r8d
	jne 1b
	setne %al
2:	pop %rdx
	ret
END kernel
BEGIN_TIGHT packed_a
	test %edi, %edi
	je 1f
	dec %edi
	jne 1f
	mov %esi, %eax
	ret
1:	xor %eax, %eax
	ret
END packed_a
BEGIN_TIGHT packed_b
1:	test %edi, %edi
	jle 2f
	shr %edi
	jmp 1b
2:	mov %edi, %eax
	ret
END packed_b
/* Does not return: the stack goes back to where left left it. */
BEGIN leaver
	mov 16(%rdx), %rsp
	movq $0, 16(%rdx)
	mov $8, %eax
	ret
END leaver
BEGIN left
	mov %rsp, 16(%rdx)
	push %rdi
	test $1, %dil
	je 1f
	push %rsi
	lea 1(%rsi), %rdi
	call leaver
	ud2
1:	lea 3(%rdi), %rdi
	call leaver
END left

.p2align 4, 0x90
area_text_end:
	data_word: .quad 0x12345678
	data_other: .quad 0
	through_word: .quad 0
	table: .long table_out - table, table_loop - table
#include "tables.S"
area_end:
.pushsection .data.rel.ro.functions, "aw"
last_function:
.popsection

	.section .note.GNU-stack, "", @progbits
