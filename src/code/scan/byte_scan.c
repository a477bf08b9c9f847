#include "code/scan/byte_scan.h"

#include "code/scan/walk.h"

#include <emmintrin.h>
#include <string.h>

enum { EDGE = 256 }; /* bytes; more than a short branch reaches */

/* The form of a branch that begins with a byte: its length, with the displacement at the
 * end. */
struct form {
	uint8_t size, width;
	bool jumps; /* no call, no lea */
};

static bool form_at(const uint8_t *bytes, size_t available, struct form *ret_form)
{
	uint8_t first = bytes[0], second = available > 1 ? bytes[1] : 0;

	if ((first & 0xf0) == 0x70 || (first & 0xfc) == 0xe0 || first == 0xeb)
		*ret_form = (struct form){.size = 2, .width = 1, .jumps = true};
	else if (first == 0xe8 || first == 0xe9)
		*ret_form = (struct form){.size = 5, .width = 4, .jumps = first == 0xe9};
	else if (first == 0x0f && (second & 0xf0) == 0x80)
		*ret_form = (struct form){.size = 6, .width = 4, .jumps = true};
	else if (first == 0x8d && (second & 0xc7) == 0x05)
		*ret_form = (struct form){.size = 6, .width = 4}; /* lea x(%rip) */
	else
		return false;
	return ret_form->size <= available;
}

static void note_form(struct walk *walk, uint64_t address, const uint8_t *bytes,
		      const struct form *form)
{
	int32_t wide = (int8_t)bytes[1];
	uint64_t target;

	if (form->width == 4)
		memcpy(&wide, bytes + form->size - 4, 4);
	target = address + form->size + (uint64_t)(int64_t)wide;
	code_map_guess(&walk->scan->map, target);
	if (*bytes == 0x8d)
		vector_push(&walk->tables, target);
	/* If this is a branch, it is a loop to the entry; and only if, may it be
	 * rewritten. */
	if (walk->function != WALK_NO_FUNCTION && form->jumps &&
	    (target == walk->start || target == walk->entry_behind))
		walk->scan->traits[walk->function] |= SCAN_HIDDEN_LOOP;
}

/* Bytes that begin a form; 1 for those with a displacement of one byte. */
static const uint8_t begins[256] = {
	[0x0f] = 2,          [0x70 ... 0x7f] = 1, [0x8d] = 2, [0xe0 ... 0xe3] = 1,
	[0xe8 ... 0xe9] = 2, [0xeb] = 1,          [0xff] = 2,
};

/* The first byte from `from` on that may begin a form with a displacement of 4 bytes, or,
 * if wanted, an indirect jump; `to` if there is none. Data is large, and hardly any byte
 * of it qualifies. */
static size_t next_far(const uint8_t *bytes, size_t from, size_t to, bool indirect)
{
	const __m128i escape = _mm_set1_epi8(0x0f), lea = _mm_set1_epi8((char)0x8d);
	const __m128i call = _mm_set1_epi8((char)0xe9),
		      group5 = indirect ? _mm_set1_epi8((char)0xff) : escape;
	const __m128i low = _mm_set1_epi8(1);

	for (; from + 16 <= to; from += 16) {
		__m128i block = _mm_loadu_si128((const __m128i_u *)(bytes + from));
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(block, escape),
					     _mm_cmpeq_epi8(block, lea));
		__m128i other =
			_mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(block, low), call),
				     _mm_cmpeq_epi8(block, group5));
		int mask = _mm_movemask_epi8(_mm_or_si128(found, other));

		if (mask)
			return from + (size_t)__builtin_ctz((unsigned)mask);
	}
	while (from < to && begins[bytes[from]] < 2)
		from++;
	return from;
}

/* Notes forms in [from, to); with `far` only those that lead further than 127 bytes. */
static void scan_part(struct walk *walk, size_t from, size_t to, bool far)
{
	const uint8_t *bytes = walk->segment->bytes;
	size_t end = walk->end - walk->segment->address;
	struct form form;

	for (size_t i = from; i < to; i++) {
		if (far)
			i = next_far(bytes, i, to, !walk->indirect);
		if (i == to)
			return;
		if (!begins[bytes[i]])
			continue;
		if (form_at(bytes + i, end - i, &form))
			note_form(walk, walk->segment->address + i, bytes + i, &form);
		else if (bytes[i] == 0xff && end - i > 1 && (bytes[i + 1] & 0x30) == 0x20)
			walk->indirect = true;
	}
}

void byte_scan_walk(struct walk *walk, uint64_t start)
{
	size_t from = start - walk->segment->address,
	       to = walk->end - walk->segment->address;

	/* In the middle of large data, short branches lead to data only. */
	if (walk->function == WALK_NO_FUNCTION && to - from > 4 * EDGE) {
		scan_part(walk, from, from + EDGE, false);
		scan_part(walk, from + EDGE, to - EDGE, true);
		from = to - EDGE;
	}
	scan_part(walk, from, to, false);
}
