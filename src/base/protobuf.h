/*
 * Writing the wire format of protocol buffers: as much of it as pprof needs, so that a
 * profile can be written piece by piece. (protobuf-c would need all of it in memory, and
 * a compiler of its own at build time.)
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef TRAMMEL_BASE_PROTOBUF_H
#define TRAMMEL_BASE_PROTOBUF_H

#include "base/text.h"

#include <stdint.h>
#include <string.h>

enum {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5
};

/* Adds a number: 7 bits a byte, low ones first. */
static inline void protobuf_add(struct text *text, uint64_t number)
{
	char bytes[10];
	size_t count = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[count++] = (char)(number | 0x80);
	bytes[count++] = (char)number;
	text_add_bytes(text, bytes, count);
}

/* Adds a field with a number; nothing for 0, which is what a missing one means. */
static inline void protobuf_add_number(struct text *text, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	protobuf_add(text, (uint64_t)field << 3 | PROTOBUF_VARINT);
	protobuf_add(text, number);
}

/* Adds a field with bytes: a string, a message, or packed numbers. */
static inline void protobuf_add_bytes(struct text *text, uint32_t field,
				      const void *bytes, size_t size)
{
	protobuf_add(text, (uint64_t)field << 3 | PROTOBUF_BYTES);
	protobuf_add(text, size);
	if (size)
		text_add_bytes(text, bytes, size);
}

/* Adds a message that was made in a text of its own, and empties that. */
static inline void protobuf_add_message(struct text *text, uint32_t field,
					struct text *message)
{
	protobuf_add_bytes(text, field, message->data, message->length);
	message->length = 0;
}

#endif
