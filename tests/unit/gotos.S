/* More functions of routines.S, where the macros are. */
/* Computed gotos. At fixed addresses: by words of a table; by a sum, which others than the
 * named label follow from; through the frame, where nobody sees what it was. */
.macro GOTO_WORD
	.byte 0x48, 0x8b, 0x0c, 0xd5 /* mov table_words(,%rdx,8), %rcx */
	.long AREA + table_words - area_begin
.endm
BEGIN goto_words
	xor %eax, %eax
	and $31, %esi
words_next:
	dec %esi
	js words_end
	mov %edi, %edx
	and $3, %edx
	GOTO_WORD
	shr $2, %rdi
	cmp $5, %rdi /* goes on to words_2 */
	mov %rcx, %r9
	jmp *%r9
words_0: add $3, %rax
	jmp words_next
words_1: lea 1(%rax,%rax), %rax
	jmp words_next
words_2: adc $7, %rax
	jmp words_next
words_3: ror $3, %rax
	dec %esi
	js words_end
	mov %edi, %edx
	and $3, %edx
	shr $2, %rdi
	mov $AREA + table_words - area_begin, %r8d
	cmp $1, %rdi
	jmp *(%r8,%rdx,8)
words_end:
	ret
END goto_words
BEGIN goto_sum
	and $1, %edi
	mov $AREA + sum_0 - area_begin, %eax
	lea (%rdi,%rdi,4), %rdi
	add %rdi, %rax
	jmp *%rax
sum_0:	lea 5(%rsi), %rax
	ret
sum_1:	lea 9(%rsi), %rax
	ret
END goto_sum
BEGIN goto_near
	and $1, %edi
	lea near_sum_0(%rip), %rax
	lea (%rdi,%rdi,4), %rdi
	lea (%rax,%rdi), %rax
	jmp *%rax
near_sum_0: lea 5(%rsi), %rax
	ret
near_sum_1: lea 9(%rsi), %rax
	ret
END goto_near
/* By distances from a label: with the table at hand, and by what another jump has got. */
BEGIN goto_labels
	xor %eax, %eax
	and $31, %esi
labels_next:
	dec %esi
	js labels_end
	mov %edi, %edx
	and $3, %edx
	lea table_labels(%rip), %r8
	shr $2, %rdi
	lea labels_0(%rip), %r9
	mov %rsi, %r10
	movslq (%r8,%rdx,4), %rcx
	cmp $5, %rdi
	mov %r10, %r11
	add %r9, %rcx
	jmp *%rcx
labels_0: add $3, %rax
	jmp labels_next
labels_1: lea 1(%rax,%rax), %rax
	jmp labels_next
labels_2: xor $7, %rax
	lea labels_0(%rip), %rcx
	test $1, %al
	je 1f
	lea labels_3(%rip), %rcx
	shr $1, %rdi
	jmp *%rcx
labels_3: ror $3, %rax
	jmp labels_next
1:	add %r11, %rax
	jmp *%rcx
labels_end:
	ret
END goto_labels
BEGIN goto_frame
	and $1, %edi
	mov %rdi, %rdx
	GOTO_WORD
	mov %rcx, -16(%rsp)
	lea (%rsi,%rdi), %rax
	jmp *-16(%rsp)
	nop
frame_0: inc %rax
	ret
END goto_frame
/* Numbers that are no addresses: of the middle of an instruction, and of the start of one. */
BEGIN numbers
	mov $AREA + number + 3 - area_begin, %eax
	cmp %rdi, %rsi
	jb 1f
number:	lea 0x1234567(%rax,%rdi), %rax
	add %rsi, %rax
1:	add $AREA + number - area_begin, %rax
	ret
END numbers

/* A branch over the lock prefix of what follows. */
BEGIN locks
	mov %rdx, %r8
	and $7, %edi
	mov %rdi, (%r8)
1:	mov (%r8), %rax
	lea -1(%rax,%rsi), %rcx
	cmp $3, %rdi
	je 2f
	lock
2:	cmpxchg %rcx, (%r8)
	jne 3f
	cmp %rcx, 8(%r8)
	je 4f
	lock
4:	addl $3, data_other(%rip)
	adc $0, %rcx
	dec %rdi
	jns 1b
3:	lea (%rcx,%rdi), %rax
	ret
END locks

/* A table that leads to the entry. */
BEGIN switch_entry
	add $7, %rsi
	mov %edi, %eax
	and $3, %eax
	lea table_entry(%rip), %r8
	movslq (%r8,%rax,4), %rcx
	add %r8, %rcx
	shr $2, %edi
	jmp *%rcx
entry_1: mov %rsi, %rax
	ret
entry_2: lea (%rsi,%rdi), %rax
	ret
END switch_entry

/* No comparison, and the address is the sum of a lea, as the C library's strcmp has it. */
BEGIN switch_sum
	xor %eax, %eax
	and $31, %esi
sum_next:
	dec %esi
	js sum_out
	mov %edi, %r9d
	shr $2, %rdi
	and $3, %r9d
	lea table_sum(%rip), %r10
	movslq (%r10,%r9,4), %r9
	lea (%r10,%r9,1), %r10
	jmp *%r10
sum_add: add $3, %rax
	jmp sum_next
sum_twice: lea 1(%rax,%rax), %rax
	cmp $40, %rdi
	ja sum_next
sum_out: ret
END switch_sum
