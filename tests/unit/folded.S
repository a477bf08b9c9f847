/* Two functions that a linker folded into one, for test_lines.c and test_coverage.c: both are at
 * one address, which has the name of the second alone. */
	.text
	.globl	places_folded
	.type	places_folded, @function
places_folded:
	mov	$9, %eax
	ret
	.size	places_folded, . - places_folded
.Lend:

	.section .debug_abbrev, "", @progbits
.Labbreviations:
	/* 1: a unit with children: name, folder, start and end of its code */
	.uleb128 1, 0x11
	.byte	1
	.uleb128 0x03, 0x08, 0x1b, 0x08, 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0
	/* 2: a function: name, file and line, start and end of its code */
	.uleb128 2, 0x2e
	.byte	0
	.uleb128 0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0x11, 0x01, 0x12, 0x07, 0, 0
	.byte	0

	.section .debug_info, "", @progbits
	.long	.Lunit_end - .Lunit
.Lunit:	.value	4
	.long	.Labbreviations
	.byte	8
	.uleb128 1
	.string	"folded.c"
	.string	"/folder"
	.quad	places_folded
	.quad	.Lend - places_folded
	.long	.Llines
	.uleb128 2
	.string	"places_elsewhere"
	.byte	1, 33
	.quad	places_folded
	.quad	.Lend - places_folded
	.uleb128 2
	.string	"places_folded"
	.byte	1, 44
	.quad	places_folded
	.quad	.Lend - places_folded
	.uleb128 2
	.string	"places_nowhere"
	.byte	1, 55
	.quad	places_folded
	.quad	.Lend - places_folded
	.byte	0
.Lunit_end:

	.section .debug_line, "", @progbits
.Llines:
	.long	.Llines_end - .Lversion
.Lversion:
	.value	4
	.long	.Lprogram - .Lheader
.Lheader:
	.byte	1, 1, 1, -5, 14, 13
	.byte	0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte	0
	.string	"folded.c"
	.uleb128 0, 0, 0
	.byte	0
.Lprogram:
	/* Two sequences at the same address: lines 34 and 35, 45 and 46. */
	.irp	line, 34, 45
	.byte	0, 9, 2
	.quad	places_folded
	.byte	3
	.sleb128 \line - 1
	.byte	1
	.byte	2, 5, 3, 1, 1	/* behind the mov: the next line */
	.byte	2, 1, 0, 1, 1
	.endr
.Llines_end:

	.section .note.GNU-stack, "", @progbits
