/*
 * Routines of probes of paths: code/emit/path_probe.h. rax has the displacement of the
 * function's words, rcx that of the place; the stack pointer of the program is PROGRAM
 * bytes above theirs. They change rax, rcx and flags. A thread that is stopped in them is
 * led through by the tracer, instruction by instruction: session/position/path_steps.c
 * knows the forms used here. With the tracer dead, threads may share a bank: then the
 * numbers mean nothing, but each of them is within its bounds.
 */
#include "resident/assembly.h"

	.text
	.globl	paths_put_by, paths_find, paths_end

#define PROGRAM (128 + 2 * 8 + 8 + 4 * 8)

	.macro save_path
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	mov	%ecx, %r8d
	mov	%eax, %ecx
	.endm

	/* The displacement of the first frame of a stack pointer's set, to edx. */
	.macro find_set rsp
	mov	\rsp, %rdx
	and	$((WIRE_PATHS_SETS - 1) << 4), %edx
	lea	WIRE_PATHS_FRAMES(,%rdx,4), %edx
	.endm

	/* Puts the words of function rcx by, which is away; goes on at 9. */
	.macro put_by
	mov	%gs:8(%rcx), %rax
	find_set %rax
	cmp	%rax, %gs:(%rdx)
	je	2f
	cmp	%rax, %gs:16(%rdx)
	je	1f
	cmp	%rax, %gs:32(%rdx)
	je	6f
	cmp	%rax, %gs:48(%rdx)
	je	7f
	cmpq	$0, %gs:(%rdx)
	je	5f
	cmpq	$0, %gs:16(%rdx)
	je	3f
	cmpq	$0, %gs:32(%rdx)
	je	4f
	cmpq	$0, %gs:48(%rdx)
	jne	2f
	add	$16, %edx
4:	add	$16, %edx
3:	add	$16, %edx
	jmp	5f
7:	add	$16, %edx
6:	add	$16, %edx
1:	add	$16, %edx
	/* A frame that never came back, or for which there is no room: its path ends. */
2:	incq	%gs:WIRE_PATHS_ENDED
	mov	%gs:8(%rdx), %rsi
	imul	$0x1e3779b1, %rsi, %rdi
	shr	$32, %rdi
	and	$((1 << WIRE_PATHS_ENDS_BITS) - 1), %edi
	shl	$5, %edi
	mov	$WIRE_PATHS_STEPS, %eax
1:	cmp	%rsi, %gs:WIRE_PATHS_ENDS(%rdi)
	je	3f
	cmpq	$0, %gs:WIRE_PATHS_ENDS(%rdi)
	je	2f
	add	$32, %edi
	and	$((32 << WIRE_PATHS_ENDS_BITS) - 1), %edi
	sub	$1, %eax
	jne	1b
	incq	%gs:WIRE_PATHS_LOST
	jmp	4f
2:	mov	%rsi, %gs:WIRE_PATHS_ENDS(%rdi)
3:	incq	%gs:WIRE_PATHS_ENDS+8(%rdi)
4:	mov	%gs:8(%rcx), %rax
5:	mov	%gs:(%rcx), %rsi
	mov	%rsi, %gs:8(%rdx)
	mov	%rax, %gs:(%rdx)
	movq	$0, %gs:8(%rcx)
	mov	%edx, %esi
	sub	$WIRE_PATHS_FRAMES, %esi
	shr	$12, %esi
	movb	$1, %gs:WIRE_PATHS_USED(%rsi)
	.endm

	.balign 64
/* Frees the words of a function that is away. */
paths_put_by:
	save_path
	put_by
paths_back:
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	ret

/* Finds the words of the frame to which a call comes back. */
paths_find:
	save_path
	cmpq	$0, %gs:8(%rcx)
	je	9f
	put_by
9:	lea	PROGRAM(%rsp), %rax
	find_set %rax
	mov	$WIRE_PATHS_WAYS, %edi
1:	cmp	%rax, %gs:(%rdx)
	jne	2f
	cmp	%gs:12(%rdx), %r8d
	je	3f
2:	add	$16, %edx
	sub	$1, %edi
	jne	1b
	jmp	8f
3:	mov	%gs:8(%rdx), %esi
	mov	%esi, %gs:(%rcx)
	mov	%r8d, %gs:4(%rcx)
	movq	$0, %gs:(%rdx)
	jmp	7f
8:	movl	$WIRE_PATHS_UNKNOWN, %gs:(%rcx)
	incq	%gs:WIRE_PATHS_LOST
7:	mov	%rax, %gs:8(%rcx)
	jmp	paths_back
paths_end:

	.section .note.GNU-stack, "", @progbits
