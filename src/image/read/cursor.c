#include "image/read/cursor.h"

/* Reads the bits of a LEB128 number; `ret_shift` gets how many there are, at most 64 or a
 * few more, and the last byte's bit 6 says whether the number is negative, if signed. */
static uint64_t read_leb128(struct cursor *cursor, unsigned int *ret_shift,
			    uint8_t *ret_last)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	*ret_shift = shift;
	*ret_last = byte;
	return value;
}

uint64_t image_cursor_uleb(struct cursor *cursor)
{
	unsigned int shift;
	uint8_t last;

	return read_leb128(cursor, &shift, &last);
}

int64_t image_cursor_sleb(struct cursor *cursor)
{
	unsigned int shift;
	uint8_t last;
	uint64_t value = read_leb128(cursor, &shift, &last);

	if (shift < 64 && (last & 0x40))
		value |= ~0ull << shift;
	return (int64_t)value;
}

const char *image_cursor_string(struct cursor *cursor)
{
	const char *start = (const char *)cursor->at;
	const uint8_t *end = NULL;

	if (!cursor->failed && cursor->at < cursor->end)
		end = memchr(cursor->at, 0, cursor_left(cursor));
	if (!end) {
		cursor->failed = true;
		return "";
	}
	cursor_skip(cursor, (uint64_t)(end - cursor->at) + 1);
	return start;
}

/* The number of an encoded pointer, sign-extended where its format is signed. */
static uint64_t formatted_value(struct cursor *cursor, uint8_t format)
{
	switch (format) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return cursor_number(cursor, 8);
	case 0x01:
		return image_cursor_uleb(cursor);
	case 0x02:
		return cursor_number(cursor, 2);
	case 0x03:
		return cursor_number(cursor, 4);
	case 0x09:
		return (uint64_t)image_cursor_sleb(cursor);
	case 0x0a:
		return (uint64_t)(int64_t)(int16_t)cursor_number(cursor, 2);
	case 0x0b:
		return (uint64_t)(int64_t)(int32_t)cursor_number(cursor, 4);
	default:
		cursor->failed = true;
		return 0;
	}
}

uint64_t image_cursor_pointer(struct cursor *cursor, uint8_t encoding,
			      const struct pointer_bases *bases, uint64_t *ret_raw)
{
	uint64_t here = cursor->address,
		 raw = formatted_value(cursor, encoding & POINTER_FORMAT);

	if (ret_raw)
		*ret_raw = raw;
	if (encoding & POINTER_INDIRECT)
		cursor->failed = true;
	switch (encoding & POINTER_BASE) {
	case 0:
		return raw;
	case POINTER_PC_RELATIVE:
		return raw + here;
	case POINTER_DATA_RELATIVE:
		return raw + bases->data;
	case POINTER_FUNCTION_RELATIVE:
		return raw + bases->function;
	default:
		cursor->failed = true;
		return 0;
	}
}
