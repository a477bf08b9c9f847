#include "page/parts.h"

#include "base/cleanup.h"
#include "base/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Shorter lists stay in the JSON. */
enum { APART_MIN = 2000 };

/* zlib's level: higher ones take four times as long for some percent. */
enum { PACKING = 1 };

/* Adds bytes in base64 (RFC 4648). */
static void add_base64(const uint8_t *bytes, size_t size, struct text *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = text_room(out, size / 3 * 4 + 5);

	for (size_t at = 0; at < size; at += 3) {
		const size_t left = size - at;
		const uint32_t three = (uint32_t)bytes[at] << 16 |
				       (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
				       (left > 2 ? bytes[at + 2] : 0);

		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = left > 1 ? digits[three >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[three & 63] : '=';
	}
	text_grow(out, to);
}

struct trm_error *page_add_element(struct text *out, const char *attributes,
				   const void *bytes, size_t size)
{
	uLongf packed_size = compressBound(size);
	scoped_free uint8_t *packed = memory_allocate(packed_size);

	if (compress2(packed, &packed_size, bytes, size, PACKING) != Z_OK)
		return trm_error_create(
			TRM_ERROR_LIMIT,
			"the page's data cannot be compressed: no memory");
	text_format(out, "<script type=\"text/plain\" %s>", attributes);
	add_base64(packed, packed_size, out);
	text_add(out, "</script>\n");
	return NULL;
}

/* Adds an element, and to the JSON what leads to it. */
static void add_part(struct page_out *out, const char *type, const void *bytes,
		     size_t size, bool early)
{
	struct text attributes = {0};
	struct trm_error *error;

	text_format(out->json, "{\"part\":%u,\"type\":\"%s\"}", out->parts, type);
	text_format(&attributes, "id=\"part-%u\"", out->parts++);
	error = page_add_element(early ? &out->early : &out->late, attributes.data, bytes,
				 size);
	text_deinit(&attributes);
	if (out->error)
		trm_error_destroy(error);
	else
		out->error = error;
}

static void add_small_numbers(struct page_out *out, const uint64_t *values, size_t count,
			      bool is_signed, bool early)
{
	scoped_free uint32_t *small = memory_allocate((count + 1) * sizeof(*small));
	uint32_t last = 0;

	/* Most are a little more than the one before: differences are packed sooner. */
	for (size_t i = 0; i < count; i++) {
		small[i] = (uint32_t)values[i] - last;
		last = (uint32_t)values[i];
	}
	add_part(out, is_signed ? "i32" : "u32", small, count * sizeof(*small), early);
}

/* As in JSON, what is above 2^53 loses its last digits. */
static void add_large_numbers(struct page_out *out, const uint64_t *values, size_t count,
			      bool early)
{
	scoped_free double *large = memory_allocate((count + 1) * sizeof(*large));

	for (size_t i = 0; i < count; i++)
		large[i] = (double)values[i];
	add_part(out, "f64", large, count * sizeof(*large), early);
}

void page_add_numbers(struct page_out *out, const uint64_t *values, size_t count,
		      bool is_signed, bool early)
{
	uint64_t most = 0;

	if (out->apart && count >= APART_MIN) {
		for (size_t i = 0; i < count; i++)
			most = values[i] > most ? values[i] : most;
		if (is_signed || most <= UINT32_MAX)
			add_small_numbers(out, values, count, is_signed, early);
		else
			add_large_numbers(out, values, count, early);
		return;
	}
	text_add(out->json, "[");
	for (size_t i = 0; i < count; i++)
		if (is_signed)
			text_format(out->json, "%s%" PRId64, i ? "," : "",
				    (int64_t)values[i]);
		else
			text_format(out->json, "%s%" PRIu64, i ? "," : "", values[i]);
	text_add(out->json, "]");
}

void page_add_lines(struct page_out *out, const struct text *lines, size_t count)
{
	const char *at = lines->data ? lines->data : "";

	if (out->apart && count >= APART_MIN) {
		add_part(out, "lines", at, lines->length, false);
		return;
	}
	text_add(out->json, "[");
	for (size_t i = 0; i < count; i++) {
		const size_t length = strcspn(at, "\n");
		char *line = strndup(at, length);

		text_add(out->json, i ? "," : "");
		text_add_json(out->json, line ? line : "");
		free(line);
		at += length + (at[length] == '\n');
	}
	text_add(out->json, "]");
}

void page_add_text(struct page_out *out, const struct text *lines, size_t count)
{
	const char *text = lines->data ? lines->data : "";

	if (out->apart && count >= APART_MIN)
		add_part(out, "text", text, lines->length, false);
	else
		text_add_json(out->json, text);
}
