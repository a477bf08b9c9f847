/* A bounded reading position in bytes that lie at an address. Reading past the end gives
 * 0 and sets `failed`, which stays set: check it once, behind the last read. */
#ifndef TRAMMEL_IMAGE_READ_CURSOR_H
#define TRAMMEL_IMAGE_READ_CURSOR_H

#include "image/bytes.h"

#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	uint64_t address; /* of `at` */
	bool failed;
};

/* Pointer encodings: Linux Standard Base, "DWARF Exception Header Encoding". */
enum pointer_encoding {
	POINTER_FORMAT = 0x0f,
	POINTER_BASE = 0x70,
	POINTER_PC_RELATIVE = 0x10,
	POINTER_DATA_RELATIVE = 0x30,
	POINTER_FUNCTION_RELATIVE = 0x40,
	POINTER_INDIRECT = 0x80,
	POINTER_OMIT = 0xff,
};

static inline struct cursor cursor_over(struct bytes bytes, uint64_t address)
{
	const uint8_t *data = bytes.size ? bytes.data : (const uint8_t *)"";

	return (struct cursor){data, data + bytes.size, address, false};
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* Steps over `size` bytes and returns a pointer to them; NULL if fewer are left. */
static inline const uint8_t *cursor_skip(struct cursor *cursor, uint64_t size)
{
	const uint8_t *start = cursor->at;

	if (cursor->failed || size > cursor_left(cursor)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	cursor->address += size;
	return start;
}

/* Ends the bytes `size` from here. */
static inline void cursor_limit(struct cursor *cursor, uint64_t size)
{
	if (size > cursor_left(cursor))
		cursor->failed = true;
	else
		cursor->end = cursor->at + size;
}

/* Reads a little-endian number of `size` bytes, at most 8. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t size)
{
	const uint8_t *start = cursor_skip(cursor, size);
	uint64_t value = 0;

	if (start)
		memcpy(&value, start, size);
	return value;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	if (cursor->failed || cursor->at == cursor->end) {
		cursor->failed = true;
		return 0;
	}
	cursor->address++;
	return *cursor->at++;
}

/* LEB128 numbers; bits above 64 are dropped. */
uint64_t image_cursor_uleb(struct cursor *cursor);
int64_t image_cursor_sleb(struct cursor *cursor);

/* Steps over a string with its 0 and returns it; "" if it does not end. */
const char *image_cursor_string(struct cursor *cursor);

/* Base addresses for relative encoded pointers. */
struct pointer_bases {
	uint64_t data, function;
};

/*
 * Reads an encoded pointer. `ret_raw` (may be NULL) gets the number before its base is
 * added: 0 there means no pointer. An encoding that is not known, or one through memory,
 * fails.
 */
uint64_t image_cursor_pointer(struct cursor *cursor, uint8_t encoding,
			      const struct pointer_bases *bases, uint64_t *ret_raw);

#endif
