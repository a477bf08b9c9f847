/*
 * Entries of the resident. Nothing in here is relocated: RIP-relative only, and the control
 * page lies behind the image (WIRE_CONTROL_OFFSET).
 */
#include "resident/assembly.h"

#define SYS_mmap           9
#define SYS_close          3
#define SYS_munmap         11
#define SYS_sched_yield    24
#define SYS_nanosleep      35
#define SYS_rt_sigreturn   15
#define SYS_memfd_create   319
#define PROT_CODE          5  /* PROT_READ | PROT_EXEC */
#define PROT_DATA          3  /* PROT_READ | PROT_WRITE */
#define MAP_ARENA          0x100001 /* MAP_SHARED | MAP_FIXED_NOREPLACE */
#define PROT_WRITE         2
#define PROT_EXEC          4
#define MAP_FIXED          0x10
#define MREMAP_FIXED       2
#define MADV_DONTNEED      4
#define MADV_DONTNEED_LOCKED 24
#define MADV_GUARD_INSTALL 102

/* Saves the registers that system calls and C code may change, and the flags. */
	.macro save_registers
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	.endm

	.macro restore_registers
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	.endm

	.section .text.start, "ax", @progbits
	.globl resident_start
resident_start:
	.long resident_end - resident_start
	.long hook - resident_start
	.long hook_saved - resident_start
	.long hook_switched - resident_start
	.long hook_blocked - resident_start
	.long hook_unblocked - resident_start
	.long hook_back - resident_start
	.long hook_return - resident_start
	.long hook_end - resident_start
	.long look - resident_start
	.long look_end - resident_start
	.long inject - resident_start
	.long inject_end - resident_start
	.long finish - resident_start
	.long rest - resident_start
	.long rest_made - resident_start
	.long rest_summed - resident_start
	.long rest_end - resident_start
	.long returns - resident_start
	.long returns_end - resident_start
	.long arc - resident_start
	.long arc_lowered - resident_start
	.long arc_saved - resident_start
	.long arc_counted - resident_start
	.long arc_return - resident_start, arc_end - resident_start
	.long paths_put_by - resident_start, paths_find - resident_start, paths_end - resident_start
	.irp	name, enter, leave_call, tally, span_begin, span_end, switch_stack
	.long \name - resident_start
	.long \name\()_lowered - resident_start
	.long \name\()_half - resident_start
	.long \name\()_saved - resident_start
	.long \name\()_timed - resident_start
	.long \name\()_done - resident_start
	.long \name\()_return - resident_start
	.long \name\()_search - resident_start
	.long \name\()_end - resident_start
	.endr
	.long span_unmask - resident_start
	.long span_unmask_saved - resident_start
	.long span_unmasked - resident_start
	.irp	name, tool_call, tool_back, tool_freed, tool_unmask, tool_unmasked, tool_direct
	.long \name - resident_start
	.endr
	.irp	name, tool_directed, tool_last, tool_replace, tool_replaces, tool_replaced
	.long \name - resident_start
	.endr
	.irp	name, phase, phase_written, phase_slow, phase_slow_written, phase_end
	.long \name - resident_start
	.endr
	.long resident_probe - resident_start
	.long resident_probe_load_at - resident_start, resident_probe_load_failed - resident_start
	.long trap - resident_start, trap_restorer - resident_start
	.long boot - resident_start
	.long boot_data - resident_start
	.long boot_end - resident_start
	.long leave - resident_start
	.long leave_data - resident_start
	.long leave_end - resident_start

/*
 * A trampoline with a hook calls this: see WIRE_HOOK_FRAME. Registers are saved on the
 * program's stack, not in the bank: when the tracer has died, a forked child shares its
 * parent's bank. The bank and its stack are used only while the tracer lives, which gives
 * each thread a bank of its own before it runs.
 * A signal that arrives between hook and hook_blocked, or after hook_unblocked, is seen by the
 * tracer first, which moves the thread out of here; it relies on the labels.
 */
	.balign 16
hook:
	lea	-WIRE_HOOK_REGISTERS(%rsp), %rsp
	mov	%rax, 0(%rsp)
	mov	%rcx, 8(%rsp)
	mov	%rdx, 16(%rsp)
	mov	%rbx, 24(%rsp)
	mov	%rbp, 40(%rsp)
	mov	%rsi, 48(%rsp)
	mov	%rdi, 56(%rsp)
	mov	%r8, 64(%rsp)
	mov	%r9, 72(%rsp)
	mov	%r10, 80(%rsp)
	mov	%r11, 88(%rsp)
	mov	%r12, 96(%rsp)
	mov	%r13, 104(%rsp)
	mov	%r14, 112(%rsp)
	mov	%r15, 120(%rsp)
hook_saved:
	lahf
	seto	%al
	mov	%rax, 128(%rsp)
	lea	WIRE_HOOK_FRAME(%rsp), %rax
	mov	%rax, 32(%rsp)
	cmpb	$WIRE_HOOK_OWN, WIRE_HOOK_REGISTERS + 8(%rsp)
	jae	look
	cmpl	$0, %gs:WIRE_BANK_QUIET
	jne	hook_quiet
	mov	%gs:WIRE_BANK_CONTROL, %rax
	movzbl	WIRE_HOOK_REGISTERS + 8(%rsp), %ecx
	cmp	$WIRE_HOOK_START, %ecx
	jb	hook_asks
	cmp	$WIRE_HOOK_MPROTECT, %ecx
	jae	0f
	sub	$WIRE_HOOK_EXIT, %ecx
	test	%ecx, WIRE_CONTROL_WINDOW(%rax)
	jz	hook_back
	jmp	hook_asks
0:
	/*
	 * Programs that generate code change mappings all the time, and hardly ever those
	 * of a text with patches: the others cost no system call of the resident.
	 * Arguments: rdi at 56, rsi at 48, rdx at 16, rcx at 8.
	 */
	ja	1f
	/* Code stays code: whether it was writable before does not matter. */
	mov	16(%rsp), %ecx
	and	$PROT_WRITE | PROT_EXEC, %ecx
	cmp	$PROT_EXEC, %ecx
	je	hook_back
	jmp	3f
1:	cmpb	$WIRE_HOOK_MMAP, WIRE_HOOK_REGISTERS + 8(%rsp)
	jne	2f
	testb	$MAP_FIXED, 8(%rsp)
	jz	hook_back
	jmp	3f
2:	cmpb	$WIRE_HOOK_MADVISE, WIRE_HOOK_REGISTERS + 8(%rsp)
	je	6f
	testb	$MREMAP_FIXED, 8(%rsp)
	jnz	hook_asks
	jmp	3f
6:	cmpl	$MADV_DONTNEED, 16(%rsp)
	je	3f
	cmpl	$MADV_DONTNEED_LOCKED, 16(%rsp)
	je	3f
	cmpl	$MADV_GUARD_INSTALL, 16(%rsp)
	jne	hook_back
3:	mov	56(%rsp), %rdi
	mov	48(%rsp), %rsi
	add	%rdi, %rsi
	jc	hook_asks
	mov	WIRE_CONTROL_TEXTS(%rax), %rcx
	lea	WIRE_CONTROL_TEXTS + 8(%rax), %rdx
4:	dec	%rcx
	js	hook_back
	cmp	8(%rdx), %rdi
	jae	5f
	cmp	(%rdx), %rsi
	ja	hook_asks
5:	add	$WIRE_TEXT_SIZE, %rdx
	jmp	4b
	/* No system call may be made: one question needs none. */
hook_quiet:
	cmpb	$WIRE_HOOK_LAZY, WIRE_HOOK_REGISTERS + 8(%rsp)
	jne	hook_back
	jmp	look
hook_asks:
	testl	$FUTEX_OWNER_DIED, (%rax)
	jne	hook_alone
	mov	%gs:WIRE_BANK_SELF, %rbx
	mov	%rsp, %rbp
hook_switched:
	lea	WIRE_BANK_STACK_TOP(%rbx), %rsp
	cld
	lea	all_signals(%rip), %rsi
	lea	WIRE_BANK_MASK(%rbx), %rdx
	set_mask
hook_blocked:
	mov	%rbx, %rdi
	mov	%rbp, %rsi
	call	resident_serve
	lea	WIRE_BANK_MASK(%rbx), %rsi
	xor	%edx, %edx
	set_mask
hook_unblocked:
	mov	%rbp, %rsp
hook_back:
	mov	128(%rsp), %rax
	add	$0x7f, %al /* overflows if seto said 1 */
	sahf
	mov	8(%rsp), %rcx
	mov	16(%rsp), %rdx
	mov	24(%rsp), %rbx
	mov	40(%rsp), %rbp
	mov	48(%rsp), %rsi
	mov	56(%rsp), %rdi
	mov	64(%rsp), %r8
	mov	72(%rsp), %r9
	mov	80(%rsp), %r10
	mov	88(%rsp), %r11
	mov	96(%rsp), %r12
	mov	104(%rsp), %r13
	mov	112(%rsp), %r14
	mov	120(%rsp), %r15
	mov	0(%rsp), %rax
	lea	WIRE_HOOK_REGISTERS(%rsp), %rsp
hook_return:
	ret
hook_end:
/* The tracer no longer reads the frame, and the bank may be shared with another thread:
 * this runs on the program's stack. */
hook_alone:
	cld
	mov	%rsp, %rbp
	mov	%rax, %rdi
	mov	%rsp, %rsi
	and	$-16, %rsp
	call	resident_alone
	mov	%rbp, %rsp
	jmp	hook_back
all_signals:
	.quad	-1
/*
 * Return addresses are made the original ones, or the tracer is asked without a system call,
 * on the program's stack. If a signal comes meanwhile the tracer moves the thread back to
 * the function's entry, as if it had not been called yet. Here rbp is the frame, and in C code
 * the mark tells where it is (WIRE_MARK_AT). Its lower word is cleared before it is left.
 */
look:
	mov	%rsp, %rbp
	cld
	and	$-16, %rsp
	push	%rbp
	push	%rbp
	movabs	$WIRE_LOOK_MARK, %rax
	push	%rax
	push	%rax
	mov	%rbp, %rdi
	call	resident_look
	movq	$0, (%rsp)
	mov	%rbp, %rsp
	test	%eax, %eax
	jz	hook_back
	mov	%gs:WIRE_BANK_CONTROL, %rax
	jmp	hook_asks
look_end:

/*
 * The tracer sends a stopped thread here to run the batch in the control page. It blocks
 * all signals then; this code does so, too, in case the tracer is killed in between. When
 * the batch was run it waits to be stopped and led away. With the tracer gone it puts the
 * mask right, and goes back with all registers as they were.
 */
	.balign 16
inject:
	lea	-128(%rsp), %rsp
	save_registers
	push	%rbx
	cld
	lea	all_signals(%rip), %rsi
	xor	%edx, %edx
	set_mask
	mov	%rsp, %rbx
	lea	resident_start + WIRE_CONTROL_OFFSET + WIRE_CONTROL_STACK(%rip), %rsp
	lea	resident_start + WIRE_CONTROL_OFFSET + WIRE_CONTROL_BATCH(%rip), %rdi
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %rsi
	call	resident_run
	lea	resident_start + WIRE_CONTROL_OFFSET(%rip), %r8
	movl	$1, WIRE_CONTROL_RAN(%r8)
0:	pause
	cmpl	$0, WIRE_CONTROL_UNFILTERED(%r8)
	je	1f
	mov	$SYS_sched_yield, %eax
	syscall
1:	testl	$FUTEX_OWNER_DIED, (%r8)
	jz	0b
	/* Not before a thread that is restoring texts now, in which other threads must
	 * not run. */
	cmpl	$0, WIRE_CONTROL_UNFILTERED(%r8)
	je	2f
	mov	$SYS_nanosleep, %eax
	lea	a_while(%rip), %rdi
	xor	%esi, %esi
	syscall
2:	mov	%rbx, %rsp
	lea	resident_start + WIRE_CONTROL_OFFSET + 0x48(%rip), %rsi
	xor	%edx, %edx
	set_mask
	pop	%rbx
	restore_registers
	lea	128(%rsp), %rsp
	jmp	*resident_start + WIRE_CONTROL_OFFSET + 0x40(%rip)
	.balign 8
a_while:
	.quad	0, 2000000 /* ns */
inject_end:

/*
 * A thread that was in the middle of a trampoline when a signal came is sent through a copy of
 * the instructions that are left, and from there to here, with signals blocked. The tracer
 * takes over at the entry to the system call; with the tracer gone this sets the mask
 * right and goes back into the trampoline.
 */
	.balign 16
finish:
	mov	%rax, %gs:WIRE_BANK_RAX
	mov	%rcx, %gs:WIRE_BANK_RCX
	mov	%rdx, %gs:WIRE_BANK_RDX
	mov	%rsi, %gs:WIRE_BANK_RSI
	mov	%rdi, %gs:WIRE_BANK_RDI
	mov	%r10, %gs:WIRE_BANK_R10
	mov	%r11, %gs:WIRE_BANK_R11
	mov	%gs:WIRE_BANK_SELF, %rsi
	lea	WIRE_BANK_MASK(%rsi), %rsi
	mov	$0, %edx /* flags are the program's */
	set_mask
	mov	%gs:WIRE_BANK_RAX, %rax
	mov	%gs:WIRE_BANK_RCX, %rcx
	mov	%gs:WIRE_BANK_RDX, %rdx
	mov	%gs:WIRE_BANK_RSI, %rsi
	mov	%gs:WIRE_BANK_RDI, %rdi
	mov	%gs:WIRE_BANK_R10, %r10
	mov	%gs:WIRE_BANK_R11, %r11
	jmp	*%gs:WIRE_BANK_BACK

/*
 * The rest of a system call of the program that a stop has cut short (struct wire_rest):
 * the tracer leads the thread here, with the arguments of the rest, the number in rax,
 * and in rbx the amount done already. From then on no tracer is needed. Returns the sum;
 * or the amount done, if the rest fails; or the failure, if nothing was done. Like a
 * system call this changes rcx and r11, but no flags, and uses no stack.
 */
	.balign 16
rest:
	syscall
rest_made:
	mov	%rax, %rcx
	bswap	%rcx
	movsx	%cl, %rcx /* 0, or -1 for an error */
	jrcxz	0f
	mov	%rbx, %rcx
	jrcxz	rest_summed
	mov	$0, %eax
0:	lea	(%rax, %rbx), %rax
rest_summed:
	mov	%gs:WIRE_REST_RBX, %rbx
	mov	%gs:WIRE_REST_RDI, %rdi
	mov	%gs:WIRE_REST_RSI, %rsi
	mov	%gs:WIRE_REST_RDX, %rdx
	mov	%gs:WIRE_REST_R10, %r10
	mov	%gs:WIRE_REST_R8, %r8
	mov	%gs:WIRE_REST_R9, %r9
	mov	%gs:WIRE_REST_RIP, %rcx
	jmp	*%gs:WIRE_REST_RIP
rest_end:

/*
 * Restorers, to which signal handlers return, come here instead of making the system
 * call: the context at rsp may be of a function that was relocated whole and shown to the
 * handler at its original address, where its code no longer is. rbx is the restorer, and r12
 * the context, from which all registers come; in C code the mark tells both. The call itself
 * is made at its original address: a filter of system calls, or a program that makes them
 * itself, may test that address.
 */
	.balign 16
returns:
	mov	%rsp, %r12
	and	$-16, %rsp
	push	%rbx
	push	%r12
	movabs	$WIRE_RETURNS_MARK, %rax
	push	%rax
	push	%rax
	mov	%r12, %rdi
	call	resident_way_back
	movq	$0, (%rsp)
	mov	%r12, %rsp
	mov	$SYS_rt_sigreturn, %eax
	lea	WIRE_RESTORER_CALL(%rbx), %rcx
	jmp	*%rcx
returns_end:

/*
 * A call, a return, and a call whose return will not be seen, where the context-sensitive call
 * graph is measured (struct wire_graph). rax is the address of the return address on the stack,
 * and for calls r11 is the function, as in nodes. Nothing of the program's is changed or
 * followed: whether a call is still active is decided by its stack address alone. A stack grows
 * downwards, so calls at or below the stack address of a new call, or of a return, are over,
 * however they were left (stacks.S tells stacks apart). So each may be done again, or not at all,
 * up to the increment that counts a call: a signal that arrives before that finds the thread
 * moved back into the gate.
 * The node that was innermost when the clock was last read has the time from then on. Not all
 * calls of nodes whose calls are short are timed: time in them is that node's, and is moved when
 * it is added up (collect/callgraph/tree.c).
 * As for arc: with the tracer dead threads may share a bank; all numbers stay within their
 * bounds then. They change rax and flags.
 */
	/* rcx becomes the innermost frame around r8, on the same stack. Addresses right
	 * below the last frame are on its stack, and so is its own address, after a tail
	 * call; all others are searched. */
	.macro find_stack name
	mov	%gs:WIRE_GRAPH_FRAMES(%rcx), %rdx
	sub	%r8, %rdx
	dec	%rdx
	cmp	$WIRE_GRAPH_NEAR, %rdx
	jb	\name\()_alone
	cmp	$-3, %rdx
	ja	\name\()_drop
	lea	0f(%rip), %r9
	jmp	switch_stack
0:	cmp	%r8, %gs:WIRE_GRAPH_FRAMES(%rcx)
	jbe	\name\()_drop
\name\()_alone:
	.endm
	/* The place goes to r8; rcx becomes the innermost frame. */
	.macro take_place
	mov	%rax, %r8
	mov	%gs:WIRE_GRAPH_TOP, %ecx
	.endm
	/* The node whose number the frame that ends had at 32(%rsp) has the clock again. */
	.macro give_back
	mov	32(%rsp), %eax
	dec	%eax
	cmp	$WIRE_GRAPH_BEYOND, %eax
	ja	2f
	mov	%rax, %gs:WIRE_GRAPH_AT
2:
	.endm
	/* A call of node r9 was timed. The shorter its calls are, the fewer of them are from
	 * now on, so that the clock takes a like part of all: two of the power that is the
	 * mean's in ticks, less WIRE_GRAPH_SHORT, is how many more. How many are skipped up to
	 * the next one is drawn, since programs have a beat, too. Changes rax and rdx. */
	.macro note_timed
	addl	$1, %gs:WIRE_GRAPH_NODES + 24(%r9)
	sbbl	$0, %gs:WIRE_GRAPH_NODES + 24(%r9)
	mov	%gs:WIRE_GRAPH_NODES + 24(%r9), %eax
	cmp	$WIRE_GRAPH_TRIED, %eax
	jb	2f
	mov	%gs:WIRE_GRAPH_NODES + 16(%r9), %rdx
	shr	$WIRE_GRAPH_SHORT, %rdx
	or	$1, %edx
	bsr	%rdx, %rdx
	bsr	%eax, %eax
	sub	%eax, %edx
	sbb	%eax, %eax
	not	%eax
	and	%eax, %edx
	mov	%ecx, %eax
	mov	%edx, %ecx
	mov	$WIRE_GRAPH_SKIPS, %edx
	shr	%cl, %rdx
	mov	%eax, %ecx
	imul	$WIRE_GRAPH_DRAW, %gs:WIRE_GRAPH_RANDOM, %rax
	inc	%rax
	mov	%rax, %gs:WIRE_GRAPH_RANDOM
	shr	$40, %rax
	and	%edx, %eax
	not	%eax
	mov	%eax, %gs:WIRE_GRAPH_NODES + WIRE_GRAPH_LEFT_AT(%r9)
2:
	.endm
	/* Drops frames at the place and below. If any of them was timed, its time ends (so do
	 * calls that end in a jump to another function), and the node has the clock that had
	 * it before the outermost of these. */
	.macro drop_frames name
\name\()_drop:
	xor	%eax, %eax
0:	mov	%gs:WIRE_GRAPH_FRAMES + 12(%rcx), %edx
	test	$1, %dl
	cmovnz	%edx, %eax
	sub	$16, %ecx
	cmp	%r8, %gs:WIRE_GRAPH_FRAMES(%rcx)
	jbe	0b
	test	%eax, %eax
	jz	\name\()_alone
	mov	%gs:WIRE_GRAPH_AT, %r9d
	mov	%eax, 32(%rsp)
	take_time \name\()_dropped
	give_back
	note_timed
	jmp	\name\()_alone
1:	give_back
	jmp	\name\()_alone
	.endm
	/* wire_graph_row of parent rdx and function r11; changes rdx. */
	.macro find_row row
	imul	$WIRE_GRAPH_MIX, %edx, %\row
	mov	%r11d, %edx
	shr	$(32 - WIRE_GRAPH_BITS), %\row
	shr	$5, %edx
	add	%edx, %\row
	and	$WIRE_GRAPH_MASK, %\row
	.endm
	/* Node rdx is the innermost one, and rax that of function r11 among its children. */
	.macro find_child name
	mov	%gs:WIRE_GRAPH_FRAMES + 8(%rcx), %edx
	child_slot
	mov	%gs:WIRE_GRAPH_NODES(%r9), %eax
	cmp	%r11d, %gs:WIRE_GRAPH_NODES(%rax)
	jne	\name\()_search
\name\()_found:
	.endm
	/* r9 becomes the offset from the nodes of the child slot of function r11 in node
	 * rdx. */
	.macro child_slot
	mov	%r11d, %r9d
	shr	$5, %r9d
	and	$(WIRE_GRAPH_CHILDREN - 1), %r9d
	lea	WIRE_GRAPH_CHILDREN_AT(%rdx,%r9,4), %r9d
	.endm
	/* A new node, rax, of function r11 in parent rdx; to 3, behind it, if there is no room. */
	.macro new_enter
	mov	%gs:WIRE_GRAPH_USED, %rax
	cmp	$WIRE_GRAPH_MAX, %rax
	jae	3f
	add	$WIRE_GRAPH_NODE, %rax
	mov	%r11d, %gs:WIRE_GRAPH_NODES(%rax)
	mov	%edx, %gs:WIRE_GRAPH_NODES + 4(%rax)
	mov	%rax, %gs:WIRE_GRAPH_USED
	.endm
	/* Adds a leaf. The node of calls without room has none. */
	.macro new_tally
	mov	%gs:WIRE_GRAPH_LEAVES, %rax
	cmp	$WIRE_GRAPH_BEYOND, %edx
	je	3f
	cmp	$WIRE_GRAPH_LEAF_MAX, %rax
	jae	3f
	mov	%r11d, %gs:WIRE_GRAPH_NODES + WIRE_GRAPH_LEAF_AT(%rax)
	mov	%edx, %gs:WIRE_GRAPH_NODES + WIRE_GRAPH_LEAF_AT + 4(%rax)
	add	$WIRE_GRAPH_LEAF_NODE, %rax
	mov	%rax, %gs:WIRE_GRAPH_LEAVES
	add	$(WIRE_GRAPH_LEAF_AT - WIRE_GRAPH_LEAF_NODE), %rax
	.endm
	/* Finds a child that the parent does not know: by the index, or as a new one.
	 * Without room for one, the function's own counter is `lost`, and rax the node of
	 * all such calls. Of several children with one slot in the parent, the one called
	 * most gets it; each is compared every 16th time. */
	.macro search_child name
\name\()_search:
	find_row r9d
	mov	%gs:WIRE_GRAPH_FRAMES + 8(%rcx), %edx
	mov	%gs:WIRE_GRAPH_INDEX(,%r9,4), %eax
	cmp	%r11d, %gs:WIRE_GRAPH_NODES(%rax)
	jne	5f
	cmp	%edx, %gs:WIRE_GRAPH_NODES + 4(%rax)
	je	4f
5:	movl	$WIRE_GRAPH_STEPS, 32(%rsp)
1:	and	$WIRE_GRAPH_MASK, %r9d
	mov	%gs:WIRE_GRAPH_INDEX(,%r9,4), %eax
	test	%eax, %eax
	jz	2f
	inc	%r9d
	decl	32(%rsp)
	jz	3f
	cmp	%r11d, %gs:WIRE_GRAPH_NODES(%rax)
	jne	1b
	cmp	%edx, %gs:WIRE_GRAPH_NODES + 4(%rax)
	jne	1b
	jmp	4f
2:	new_\name
	mov	%eax, %gs:WIRE_GRAPH_INDEX(,%r9,4)
4:	testb	$15, %gs:WIRE_GRAPH_NODES + 8(%rax)
	jnz	\name\()_found
	child_slot
	mov	%gs:WIRE_GRAPH_NODES(%r9), %edx
	mov	%gs:WIRE_GRAPH_NODES + 8(%rdx), %rdx
	cmp	%rdx, %gs:WIRE_GRAPH_NODES + 8(%rax)
	jb	\name\()_found
	mov	%eax, %gs:WIRE_GRAPH_NODES(%r9)
	jmp	\name\()_found
3:	mov	$WIRE_GRAPH_BEYOND, %eax
	mov	%r11d, %r9d
	and	$-32, %r9d
	add	$16, %r9d
	jmp	\name\()_lost
	.endm

	.balign 64
enter:
	lea	-48(%rsp), %rsp
enter_lowered:
	save_graph
enter_half:
enter_saved:
	take_place
	find_stack enter
	find_child enter
	incl	%gs:WIRE_GRAPH_NODES + WIRE_GRAPH_LEFT_AT(%rax)
	jns	enter_time
enter_untimed:
	lea	WIRE_GRAPH_NODES + 8(%rax), %r9d
enter_lost:
	cmp	$WIRE_GRAPH_DEPTH, %ecx
	jae	3f
	add	$16, %ecx
	mov	%r8, %gs:WIRE_GRAPH_FRAMES(%rcx)
	mov	%rax, %gs:WIRE_GRAPH_FRAMES + 8(%rcx)
3:	mov	%rcx, %gs:WIRE_GRAPH_TOP
	addq	$1, %gs:(%r9)
enter_done:
	restore_graph
	lea	48(%rsp), %rsp
enter_return:
	ret
	search_child enter
	/* The frame says which node has the clock before and after (if that is its own
	 * one by now, all this was done before), and its address differs from the one
	 * that probes at returns look for. */
enter_time:
	mov	%eax, %r9d
	cmp	$WIRE_GRAPH_DEPTH, %ecx
	jae	1f
	mov	%gs:WIRE_GRAPH_AT, %edx
	cmp	%r9d, %edx
	cmove	%gs:WIRE_GRAPH_FRAMES + 8(%rcx), %edx
	inc	%edx
	mov	%edx, 32(%rsp)
	take_time enter_timed
	mov	%r9, %gs:WIRE_GRAPH_AT
	mov	32(%rsp), %eax
	shl	$32, %rax
	or	%r9, %rax
	dec	%r8
	jmp	enter_untimed
1:	mov	%r9d, %eax
	jmp	enter_untimed
	drop_frames enter
enter_end:

	.balign 64
leave_call:
	lea	-48(%rsp), %rsp
leave_call_lowered:
	mov	%rcx, (%rsp)
	mov	%rdx, 8(%rsp)
leave_call_half:
	mov	%gs:WIRE_GRAPH_TOP, %ecx
	cmp	%rax, %gs:WIRE_GRAPH_FRAMES(%rcx)
	jne	leave_call_search
	sub	$16, %ecx
	mov	%rcx, %gs:WIRE_GRAPH_TOP
leave_call_done:
	mov	(%rsp), %rcx
	mov	8(%rsp), %rdx
	lea	48(%rsp), %rsp
leave_call_return:
	ret
	/* The call was timed; or it has no frame, or calls that it made have frames; or
	 * it is on another stack. */
leave_call_search:
	mov	%r8, 16(%rsp)
	mov	%r9, 24(%rsp)
leave_call_saved:
	mov	%rax, %r8
	mov	%gs:WIRE_GRAPH_FRAMES(%rcx), %rax
	sub	%r8, %rax
	cmp	$-1, %rax
	je	leave_call_drop
	dec	%rax
	cmp	$WIRE_GRAPH_NEAR, %rax
	jb	leave_call_alone
	lea	0f(%rip), %r9
	jmp	switch_stack
0:	cmp	%r8, %gs:WIRE_GRAPH_FRAMES(%rcx)
	jbe	leave_call_drop
leave_call_alone:
	mov	%rcx, %gs:WIRE_GRAPH_TOP
	mov	16(%rsp), %r8
	mov	24(%rsp), %r9
	jmp	leave_call_done
	drop_frames leave_call
leave_call_timed = leave_call_dropped
leave_call_end:

	.balign 64
tally:
	lea	-48(%rsp), %rsp
tally_lowered:
	save_graph
tally_half:
tally_saved:
	take_place
	find_stack tally
	find_child tally
	lea	WIRE_GRAPH_NODES + 8(%rax), %r9d
tally_lost:
	mov	%rcx, %gs:WIRE_GRAPH_TOP
	addq	$1, %gs:(%r9)
tally_done:
	restore_graph
	lea	48(%rsp), %rsp
tally_return:
	ret
	search_child tally
	drop_frames tally
tally_timed = tally_dropped
tally_end:

/*
 * The first injection, from a copy in the slack behind some text: makes the arena and maps it.
 * It uses the program's stack, below the red zone.
 */
	.balign 16
boot:
	lea	-128(%rsp), %rsp
	save_registers
	lea	boot_data + 40(%rip), %rdi
	mov	boot_data + 16(%rip), %rsi
	mov	$SYS_memfd_create, %eax
	syscall
	mov	%eax, %r8d
	mov	boot_data + 24(%rip), %rdi
	mov	$WIRE_RESIDENT_SIZE, %esi
	mov	$PROT_CODE, %edx
	mov	$MAP_ARENA, %r10d
	xor	%r9d, %r9d
	mov	$SYS_mmap, %eax
	syscall
	mov	boot_data + 24(%rip), %rdi
	add	$WIRE_CONTROL_OFFSET, %rdi
	mov	boot_data + 32(%rip), %rsi
	mov	$PROT_DATA, %edx
	mov	$WIRE_CONTROL_OFFSET, %r9d
	mov	$SYS_mmap, %eax
	syscall
	mov	%r8d, %edi
	mov	$SYS_close, %eax
	syscall
	lea	boot_data + 8(%rip), %rsi
	xor	%edx, %edx
	set_mask
	restore_registers
	lea	128(%rsp), %rsp
	jmp	*boot_data(%rip)
	.balign 8
boot_data:
	.fill	48, 1, 0
boot_end:

/* The last injection, from such a copy, too: unmaps the arena. */
	.balign 16
leave:
	lea	-128(%rsp), %rsp
	save_registers
	mov	leave_data + 16(%rip), %rdi
	mov	leave_data + 24(%rip), %rsi
	mov	$SYS_munmap, %eax
	syscall
	lea	leave_data + 8(%rip), %rsi
	xor	%edx, %edx
	set_mask
	restore_registers
	lea	128(%rsp), %rsp
	jmp	*leave_data(%rip)
	.balign 8
leave_data:
	.fill	32, 1, 0
leave_end:
	.section .note.GNU-stack, "", @progbits
