#include "image/read/pads.h"

#include "image/contents.h"
#include "image/read/cursor.h"
#include "image/read/relocs.h"
#include "image/read/warn.h"

/* The head of the language-specific data of a function. */
struct pad_head {
	uint64_t start;   /* landing pads are relative to it */
	uint8_t encoding; /* of the call sites */
	uint64_t size;    /* of the call-site table, which follows */
};

static struct pad_head read_head(struct cursor *cursor, uint64_t function)
{
	struct pointer_bases bases = {0, function};
	struct pad_head head = {.start = function};
	uint8_t encoding = cursor_u8(cursor);

	if (encoding != POINTER_OMIT)
		head.start = image_cursor_pointer(cursor, encoding, &bases, NULL);
	encoding = cursor_u8(cursor);
	if (encoding != POINTER_OMIT)
		image_cursor_uleb(cursor); /* distance of the type table */
	head.encoding = cursor_u8(cursor);
	head.size = image_cursor_uleb(cursor);
	return head;
}

void image_read_pads(struct reader *reader, uint64_t address, uint64_t function)
{
	struct cursor cursor =
		cursor_over(image_bytes_from(reader->image, address), address);
	struct pad_head head = read_head(&cursor, function);
	const struct pointer_bases none = {0};

	cursor_limit(&cursor, head.size);
	if (cursor.failed) {
		image_warn(reader, "the exception data at 0x%llx is damaged",
			   (unsigned long long)address);
		return;
	}
	if (!image_spend(reader, head.size))
		return;
	while (cursor.at < cursor.end && !cursor.failed) {
		uint64_t pad;

		image_cursor_pointer(&cursor, head.encoding, &none, NULL);
		image_cursor_pointer(&cursor, head.encoding, &none, NULL);
		pad = image_cursor_pointer(&cursor, head.encoding, &none, NULL);
		image_cursor_uleb(&cursor);
		if (!cursor.failed && pad)
			image_add_target(reader, head.start + pad);
	}
	if (cursor.failed)
		image_warn(reader, "the call sites at 0x%llx are damaged",
			   (unsigned long long)address);
}
