/*
 * A load that may fault, for resident/probes.c: the tracer has the thread go on at the
 * end. Returns the word at rdi in rax, and in rdx whether it could not be read.
 */
#include "resident/assembly.h"

	.text
	.balign 16
	.globl resident_probe_load, resident_probe_load_at, resident_probe_load_failed
resident_probe_load:
	xor	%edx, %edx
resident_probe_load_at:
	mov	(%rdi), %rax
	ret
resident_probe_load_failed:
	xor	%eax, %eax
	mov	$1, %edx
	ret
	.section .note.GNU-stack, "", @progbits
