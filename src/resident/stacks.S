/*
 * Call graphs of threads that switch stacks: coroutines, and signals' handlers with a stack of
 * their own.
 */
#include "resident/assembly.h"

	.text
/*
 * Which stack an address is on. Programs do not announce their stacks, nor switches
 * between them. But calls of a stack lie close together: an address is on the stack with
 * a frame near it, or between whose first and last frame it lies. If there is none, it is
 * on a new stack. The frames of the current stack are the last ones of wire_graph.frames,
 * behind one that says where they begin. Stacks further out are those from which the
 * thread came, and have their frames in front of that. The frames of all others are saved
 * in wire_graph.stacks: of the 256 left last, the outermost 63 frames each. A call on a
 * new stack has the innermost call before it as its caller; and so has the first call on
 * a stack that was used before. Continues at r9, with the address in r8. rcx is the
 * innermost frame, and then that of the right stack. Changes rax and rdx; r9 and a word
 * lie at 40(%rsp) and 32(%rsp) meanwhile. All steps may be repeated: copied frames are
 * valid once a reference to them is written.
 */
	.irp	label, , _lowered, _half, _saved, _timed, _done, _return, _search, _end
	.globl	switch_stack\label
	.endr

	.set	frames, WIRE_GRAPH_FRAMES
	.set	kept, WIRE_GRAPH_STACKS
	/* Goes to `to` if the address is near the range between two frames, of which the
	 * second is `less` in front of its field; changes r9. */
	.macro near where, first, last, less, to
	mov	%gs:\where\()(%\first), %r9
	sub	%gs:\where - \less\()(%\last), %r9
	add	$(2 * WIRE_GRAPH_NEAR), %r9
	mov	%r9, 32(%rsp)
	mov	%gs:\where\()(%\first), %r9
	sub	%r8, %r9
	add	$WIRE_GRAPH_NEAR, %r9
	cmp	32(%rsp), %r9
	jbe	\to
	.endm
	/* The first frame of a stack that does not say where it begins; there may be
	 * none. */
	.macro first_frame of
	test	%\of, %\of
	jnz	1f
	mov	$16, %\of
1:
	.endm

	.balign 64
switch_stack:
switch_stack_lowered:
switch_stack_half:
switch_stack_saved:
switch_stack_search:
	mov	%r9, 40(%rsp)
	movq	$-1, %gs:WIRE_GRAPH_FRAMES /* nothing is further out than the root */
	test	%ecx, %ecx
	jz	stack_found
	mov	%gs:WIRE_GRAPH_STACK, %eax
	first_frame eax
	near	frames, rax, rcx, 0, stack_same
	/* Is it a stack further out? */
stack_others:
	mov	%gs:WIRE_GRAPH_STACK, %edx
0:	test	%edx, %edx
	jz	stack_kept
	mov	%gs:WIRE_GRAPH_FRAMES + 12(%rdx), %eax
	shr	$WIRE_GRAPH_AROUND, %eax
	cmp	%edx, %eax
	jae	stack_kept
	first_frame eax
	near	frames, rax, rdx, 16, stack_outer
	mov	%gs:WIRE_GRAPH_FRAMES + 12(%rdx), %edx
	shr	$WIRE_GRAPH_AROUND, %edx
	jmp	0b

	/* The stack may begin further up than was known; unless the address is on another
	 * one, in a part behind a large frame. */
stack_same:
	mov	%gs:WIRE_GRAPH_STACK, %edx
	test	%edx, %edx
	jz	stack_found
	cmp	%r8, %gs:WIRE_GRAPH_FRAMES(%rdx)
	jbe	stack_others
stack_found:
	mov	40(%rsp), %r9
	jmp	*%r9

	/* Keeps the frames of all stacks up to that one which begins at rdx. Each begins in
	 * front of the one before, also if threads that share a bank have mixed them up. */
stack_outer:
	mov	%edx, 32(%rsp)
0:	mov	%gs:WIRE_GRAPH_STACK, %edx
	test	%edx, %edx
	jz	stack_changed
	mov	%gs:WIRE_GRAPH_FRAMES + 12(%rdx), %eax
	and	$(((1 << WIRE_GRAPH_AROUND) - 1) & -2), %eax
	shl	$(WIRE_GRAPH_STACK_SHIFT - 1), %eax
	sub	%edx, %ecx
	cmp	$WIRE_GRAPH_STACK_MAX, %ecx
	jbe	1f
	mov	$WIRE_GRAPH_STACK_MAX, %ecx
1:	mov	%rcx, %gs:WIRE_GRAPH_STACKS + 8(%rax)
	mov	%gs:WIRE_GRAPH_FRAMES(%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_STACKS(%rax)
	add	%edx, %ecx
2:	cmp	%ecx, %edx
	jae	3f
	mov	%gs:WIRE_GRAPH_FRAMES + 16(%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_STACKS + 16(%rax)
	mov	%gs:WIRE_GRAPH_FRAMES + 24(%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_STACKS + 24(%rax)
	add	$16, %eax
	add	$16, %edx
	jmp	2b
	/* As many bytes are between where it begins and rdx. */
3:	and	$((1 << WIRE_GRAPH_STACK_SHIFT) - 1), %eax
	sub	%eax, %edx
	lea	-16(%rdx), %ecx
	mov	%gs:WIRE_GRAPH_FRAMES + 12(%rdx), %eax
	shr	$WIRE_GRAPH_AROUND, %eax
	and	$-16, %eax
	xor	%r9d, %r9d
	cmp	%edx, %eax
	cmovae	%r9d, %eax
	mov	%rax, %gs:WIRE_GRAPH_STACK
	mov	%rcx, %gs:WIRE_GRAPH_TOP
	cmp	%edx, 32(%rsp)
	jne	0b
	jmp	stack_changed

stack_further:
	mov	%gs:WIRE_GRAPH_STACK, %edx
	lea	1(%r8), %rax
	mov	%rax, %gs:WIRE_GRAPH_FRAMES(%rdx)
	jmp	stack_found

	/* None of those: the current stack, a saved one, or a new one. */
stack_kept:
	mov	%gs:WIRE_GRAPH_STACK, %eax
	test	%eax, %eax
	jz	1f
	near	frames, rax, rcx, 0, stack_further
1:	xor	%eax, %eax
0:	cmpq	$0, %gs:WIRE_GRAPH_STACKS(%rax)
	je	1f
	mov	%gs:WIRE_GRAPH_STACKS + 8(%rax), %edx
	add	%eax, %edx
	near	kept, rax, rdx, 0, stack_back
1:	add	$(1 << WIRE_GRAPH_STACK_SHIFT), %eax
	cmp	$WIRE_GRAPH_STACKS_SIZE, %eax
	jb	0b
	mov	%gs:WIRE_GRAPH_NEXT, %eax
	lea	(1 << WIRE_GRAPH_STACK_SHIFT)(%rax), %edx
	and	$(WIRE_GRAPH_STACKS_SIZE - 1), %edx
	mov	%rdx, %gs:WIRE_GRAPH_NEXT
	movq	$0, %gs:WIRE_GRAPH_STACKS + 8(%rax)
	lea	1(%r8), %r9
	mov	%r9, %gs:WIRE_GRAPH_STACKS(%rax)

	/* Puts what of its frames can be under way behind the others. */
stack_back:
	mov	%gs:WIRE_GRAPH_STACKS + 8(%rax), %edx
	lea	16(%rcx,%rdx), %r9
	cmp	$WIRE_GRAPH_DEPTH, %r9
	ja	stack_found
0:	test	%edx, %edx
	jz	1f
	lea	(%rax,%rdx), %r9d
	cmp	%r8, %gs:WIRE_GRAPH_STACKS(%r9)
	jae	1f
	sub	$16, %edx
	jmp	0b
1:	mov	%gs:WIRE_GRAPH_STACKS(%rax), %r9
	cmp	%r8, %r9
	ja	2f
	lea	1(%r8), %r9
2:	mov	%r9, %gs:WIRE_GRAPH_FRAMES + 16(%rcx)
	mov	%gs:WIRE_GRAPH_FRAMES + 8(%rcx), %r9d
	mov	%r9d, %gs:WIRE_GRAPH_FRAMES + 24(%rcx)
	mov	%eax, 32(%rsp)
	shrl	$(WIRE_GRAPH_STACK_SHIFT - 1), 32(%rsp)
	mov	%gs:WIRE_GRAPH_STACK, %r9d
	shl	$WIRE_GRAPH_AROUND, %r9d
	or	32(%rsp), %r9d
	mov	%r9d, %gs:WIRE_GRAPH_FRAMES + 28(%rcx)
	mov	%edx, 32(%rsp)
3:	test	%edx, %edx
	jz	4f
	sub	$16, %edx
	mov	%gs:WIRE_GRAPH_STACKS + 16(%rax,%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_FRAMES + 32(%rcx,%rdx)
	mov	%gs:WIRE_GRAPH_STACKS + 24(%rax,%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_FRAMES + 40(%rcx,%rdx)
	jmp	3b
4:	mov	32(%rsp), %edx
	add	$16, %ecx
	lea	(%rcx,%rdx), %r9
	mov	%r9, %gs:WIRE_GRAPH_TOP
	mov	%rcx, %gs:WIRE_GRAPH_STACK
	movq	$0, %gs:WIRE_GRAPH_STACKS(%rax)
	mov	%r9d, %ecx
	/* The time up to now belongs to the other stack. */
stack_changed:
	take_time switch_stack_timed
	/* The innermost call there that is timed has the clock. */
1:	mov	%ecx, %edx
0:	cmp	%gs:WIRE_GRAPH_STACK, %edx
	je	1f
	testb	$1, %gs:WIRE_GRAPH_FRAMES + 12(%rdx)
	jnz	1f
	sub	$16, %edx
	ja	0b
	xor	%edx, %edx
1:	mov	%gs:WIRE_GRAPH_FRAMES + 8(%rdx), %edx
	mov	%rdx, %gs:WIRE_GRAPH_AT
	jmp	stack_found
switch_stack_done:
switch_stack_return:
switch_stack_end:
	.section .note.GNU-stack, "", @progbits
