/* The tables of the functions of routines.S. */
table_near: .long near_0 - table_near, near_1 - table_near, near_2 - table_near
	.long near_3 - table_near, near_4 - table_near, tight_c - table_near, near_end - table_near
table_slow: .long slow_0 - table_slow, slow_1 - table_slow, slow_2 - table_slow, slow_0 - table_slow
table_behind: .long behind_0 - table_behind, behind_1 - table_behind, behind_2 - table_behind
	.long behind_3 - table_behind
table_loops: .long loops_0 - table_loops, loops_1 - table_loops, loops_2 - table_loops
	.long loops_3 - table_loops
table_sum: .long sum_out - table_sum, sum_add - table_sum, sum_twice - table_sum
	.long sum_add - table_sum
table_labels: .long labels_0 - labels_0, labels_1 - labels_0, labels_2 - labels_0
	.long labels_3 - labels_0
table_entry: .long entry_1 - table_entry, switch_entry - table_entry, entry_2 - table_entry
	.long switch_entry - table_entry
.p2align 3
table_fixed: .quad AREA + fixed_0 - area_begin, AREA + fixed_1 - area_begin
	.quad AREA + fixed_2 - area_begin, AREA + fixed_1 - area_begin
table_words: .quad AREA + words_0 - area_begin, AREA + words_1 - area_begin
	.quad AREA + words_2 - area_begin, AREA + words_3 - area_begin, AREA + frame_0 - area_begin
