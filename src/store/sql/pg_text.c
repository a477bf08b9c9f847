#include "store/sql/pg_text.h"

#include <stdint.h>
#include <string.h>

/* U+10FF00 + byte: f4 8f, then the byte's first two bits and its last six. */
enum { ENCODED_SIZE = 4, THIRD = 0xbc };

static const char lead[] = "\xf4\x8f";

static bool are_continued(const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Bytes of the character at the beginning of some; 0: it is none. Neither are too long
 * forms, surrogates, and those that stand for bytes. */
static size_t character_size(const char *bytes, size_t left)
{
	const uint8_t first = (uint8_t)bytes[0],
		      second = left > 1 ? (uint8_t)bytes[1] : 0;
	const size_t size = first < 0x80   ? 1
			    : first < 0xc2 ? 0
			    : first < 0xe0 ? 2
			    : first < 0xf0 ? 3
			    : first < 0xf5 ? 4
					   : 0;

	if (!size || size > left || !are_continued(bytes + 1, size - 1))
		return 0;
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
		return 0;
	if (size == ENCODED_SIZE && !memcmp(bytes, lead, 2) && (uint8_t)bytes[2] >= THIRD)
		return 0;
	return size;
}

void pg_text_encode(const char *bytes, size_t size, struct text *ret_text)
{
	for (size_t at = 0; at < size;) {
		const size_t taken = character_size(bytes + at, size - at);
		const uint8_t byte = (uint8_t)bytes[at];

		if (taken)
			text_add_bytes(ret_text, bytes + at, taken);
		else
			text_format(ret_text, "%s%c%c", lead, THIRD + (byte >> 6),
				    0x80 | (byte & 0x3f));
		at += taken ? taken : 1;
	}
}

/* The character that stands for a byte at or behind `text`; NULL: none. */
static const char *find_encoded(const char *text)
{
	while ((text = strstr(text, lead)))
		if ((uint8_t)text[2] >= THIRD)
			return text;
		else
			text += 2;
	return NULL;
}

bool pg_text_is_encoded(const char *text)
{
	return find_encoded(text);
}

void pg_text_decode(const char *text, struct text *ret_bytes)
{
	const char *next;

	while ((next = find_encoded(text)) && next[3]) {
		const char byte = (char)(((uint8_t)next[2] - THIRD) << 6 |
					 ((uint8_t)next[3] & 0x3f));

		text_add_bytes(ret_bytes, text, (size_t)(next - text));
		text_add_bytes(ret_bytes, &byte, 1);
		text = next + ENCODED_SIZE;
	}
	text_add(ret_bytes, text);
}
