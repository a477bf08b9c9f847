/*
 * Instructions as text, formatted by Zydis.
 */
#ifndef TRAMMEL_X86_DISASSEMBLE_H
#define TRAMMEL_X86_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

enum disassemble_syntax { DISASSEMBLE_ATT, DISASSEMBLE_INTEL };

enum { DISASSEMBLE_TEXT_MAX = 256 };

/*
 * Writes the instruction at `bytes`, of which `available` (at least 1) may be read, as if
 * at `address`, to `ret_text`. Addresses are absolute ("jmp 0x1234"). Returns its length
 * in bytes; an undecodable byte is shown as data, with length 1.
 */
size_t disassemble(enum disassemble_syntax syntax, const uint8_t *bytes, size_t available,
		   uint64_t address, char ret_text[DISASSEMBLE_TEXT_MAX]);

#endif
