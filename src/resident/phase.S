/*
 * The routine by which the library of contexts changes the view in which a thread counts:
 * wire/phase.h.
 */
#include "resident/assembly.h"

#define SYS_arch_prctl 158
#define ARCH_SET_GS    0x1001

	.text
	.globl phase, phase_written, phase_slow, phase_slow_written, phase_end
/*
 * rdx is the view's address, r8d the generation of the thread's views, of which it is one.
 * Returns 1 in eax; 0 if the thread's bank is another one by now. A signal that finds a
 * thread in here is seen by the tracer first, which does the rest by hand; and a thread
 * whose bank it changes begins anew: so nothing comes between comparison and change, and
 * rdx and r8 stay.
 */
	.balign 32
phase:
	cmp	%r8d, %gs:WIRE_BANK_GENERATION
	jne	2f
	mov	%gs:WIRE_BANK_VIEW, %rax
	mov	%rax, %gs:WIRE_BANK_LAST_VIEW
	mov	%rdx, %gs:WIRE_BANK_VIEW
	wrgsbase %rdx
phase_written:
	mov	$1, %eax
	ret
2:	xor	%eax, %eax
	ret
/* The same where programs may not write the base by themselves. */
phase_slow:
	cmp	%r8d, %gs:WIRE_BANK_GENERATION
	jne	2b
	mov	%gs:WIRE_BANK_VIEW, %rax
	mov	%rax, %gs:WIRE_BANK_LAST_VIEW
	mov	%rdx, %gs:WIRE_BANK_VIEW
	mov	%rdx, %rsi
	mov	$ARCH_SET_GS, %edi
	mov	$SYS_arch_prctl, %eax
	syscall
phase_slow_written:
	mov	$1, %eax
	ret
phase_end:
	.section .note.GNU-stack, "", @progbits
