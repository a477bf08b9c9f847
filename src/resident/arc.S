/*
 * The routine that gates call where calls are counted by call site: code/calls/gates.h.
 */
#include "resident/assembly.h"

	.text
	.irp	label, arc, arc_lowered, arc_saved, arc_counted, arc_return, arc_end
	.globl	\label
	.endr
/*
 * A gate calls this for a call whose site is in none of its function's cells: see
 * code/calls/gates.h. r11 is what the call returns to; behind the return address lie the two bytes
 * of a mov's opcode, and the cells' displacement in the bank. All pairs have entries in the
 * bank's table, for good, so that nothing that was counted must ever move; the cells say where.
 * Changes r11 and flags.
 * Each bank belongs to one thread. A signal that arrives before arc_counted is seen by the
 * tracer first, which moves the thread back to the function's entry: so each step may be
 * done again. With the tracer dead, threads may share a bank: then the numbers mean nothing,
 * but each of them is within its bounds, and the search ends.
 */
	/* The row of the index where a search for the pair of r11 and ecx begins goes to edx. */
	.macro mix_call
	imul	$0x9e3779b1, %ecx, %edx
	add	%r11d, %edx
	imul	$0x9e3779b1, %edx, %edx
	shr	$(32 - WIRE_ARCS_BITS), %edx
	.endm
	.balign 64
arc:
	lea	-32(%rsp), %rsp
arc_lowered:
	mov	%rcx, (%rsp)
	mov	%rdx, 8(%rsp)
	mov	%rsi, 16(%rsp)
	mov	%rdi, 24(%rsp)
arc_saved:
	mov	32(%rsp), %rcx
	mov	%r11d, %edx
	mov	2(%rcx), %ecx
	and	$WIRE_CELL_MASK, %edx
	cmp	%r11, %gs:(%rcx,%rdx)
	jne	arc_find
	mov	%gs:8(%rcx,%rdx), %rsi
	test	%rsi, %rsi
	jz	arc_find
arc_count:
	addq	$1, %gs:(%rsi)
arc_counted:
	mov	(%rsp), %rcx
	mov	8(%rsp), %rdx
	mov	16(%rsp), %rsi
	mov	24(%rsp), %rdi
	lea	32(%rsp), %rsp
arc_return:
	ret
	/* From here on the frame is at rsp again, and the call is not counted. */
arc_find:
	mix_call
	mov	%edx, %edi
	and	$WIRE_ARCS_RECENT_MASK, %edi
	mov	%gs:WIRE_ARCS_RECENT(,%rdi,4), %esi
	dec	%esi
	js	arc_search
	lea	(%rsi,%rsi,2), %rsi
	cmp	%r11, %gs:WIRE_ARCS_ENTRIES(,%rsi,8)
	jne	arc_search
	cmp	%ecx, %gs:WIRE_ARCS_ENTRIES+8(,%rsi,8)
	je	arc_found
arc_search:
	mov	$WIRE_ARCS_STEPS, %edi
1:	mov	%gs:WIRE_ARCS_INDEX(,%rdx,4), %esi
	dec	%esi
	js	arc_new
	lea	(%rsi,%rsi,2), %rsi
	cmp	%r11, %gs:WIRE_ARCS_ENTRIES(,%rsi,8)
	jne	2f
	cmp	%ecx, %gs:WIRE_ARCS_ENTRIES+8(,%rsi,8)
	jne	2f
	mov	%gs:WIRE_ARCS_INDEX(,%rdx,4), %edi
	jmp	arc_recent
2:	inc	%edx
	and	$WIRE_ARCS_MASK, %edx
	dec	%edi
	jnz	1b
arc_lost:
	lea	WIRE_CELL_LOST(%rcx), %esi
	jmp	arc_count
arc_new:
	mov	%gs:WIRE_ARCS_USED, %rdi
	cmp	$WIRE_ARCS_MAX, %rdi
	jae	arc_lost
	lea	(%rdi,%rdi,2), %rsi
	mov	%r11, %gs:WIRE_ARCS_ENTRIES(,%rsi,8)
	mov	%ecx, %gs:WIRE_ARCS_ENTRIES+8(,%rsi,8)
	inc	%rdi
	mov	%rdi, %gs:WIRE_ARCS_USED
	mov	%edi, %gs:WIRE_ARCS_INDEX(,%rdx,4)
arc_recent:
	mix_call
	and	$WIRE_ARCS_RECENT_MASK, %edx
	mov	%edi, %gs:WIRE_ARCS_RECENT(,%rdx,4)
	/* The cell belongs to no pair while it changes. A return address may be 0. */
arc_found:
	lea	WIRE_ARCS_ENTRIES+16(,%rsi,8), %esi
	mov	%r11d, %edx
	and	$WIRE_CELL_MASK, %edx
	add	%ecx, %edx
	movq	$0, %gs:8(%rdx)
	mov	%r11, %gs:(%rdx)
	mov	%rsi, %gs:8(%rdx)
	jmp	arc_count
arc_end:

	.section .note.GNU-stack, "", @progbits
