/* Code that sets the GS base. */
#include "image/gs.h"

#include "image/headers.h"

#include <string.h>

/* wrgsbase is f3 [REX] 0f ae /3 of a register (Intel, vol. 2, WRFSBASE/WRGSBASE). */
static const uint8_t opcode[] = {0x0f, 0xae};
enum { PREFIX = 0xf3, PREFIXES_MAX = 3, REGISTER_MASK = 0xf8, REGISTERS = 0xd8 };

static bool has_wrgsbase(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = bytes + size, *at = bytes;

	while ((at = memmem(at, (size_t)(end - at), opcode, sizeof(opcode)))) {
		const size_t before = (size_t)(at - bytes);
		const size_t prefixes = before < PREFIXES_MAX ? before : PREFIXES_MAX;

		at += sizeof(opcode);
		if (at < end && (*at & REGISTER_MASK) == REGISTERS &&
		    memchr(at - sizeof(opcode) - prefixes, PREFIX, prefixes))
			return true;
	}
	return false;
}

bool image_may_set_gs(const void *bytes, size_t size)
{
	struct headers file;
	Elf64_Phdr segment;
	const uint8_t *code;

	if (!headers_open(bytes, size, &file))
		return false;
	for (unsigned i = 0; headers_read(&file, i, &segment); i++) {
		size_t left;

		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		left = headers_bytes(&file, segment.p_vaddr, &code);
		if (left && has_wrgsbase(code, left))
			return true;
	}
	return false;
}
