#include "record/value.h"

#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_value record_string(const char *text)
{
	return (struct record_value){
		.type = RECORD_STRING, .size = strlen(text), .bytes = text};
}

/* By hand, as profiles have millions of them to be written. */
static void add_uint(struct text *text, struct record_value value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value.u % 10);
		value.u /= 10;
	} while (value.u);
	text_add_bytes(text, digits + at, sizeof(digits) - at);
}

static void add_int(struct text *text, struct record_value value)
{
	if (value.i < 0) {
		text_add_bytes(text, "-", 1);
		value.u = -value.u;
	}
	add_uint(text, value);
}

/* The shortest decimal number that reads back as the same double. */
static void add_double(struct text *text, struct record_value value)
{
	char digits[40];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value.d);
		if (strtod(digits, NULL) == value.d)
			break;
	}
	text_add(text, digits);
}

/* A zero byte, where others would take the text to end, becomes "\x00". */
static void add_string(struct text *text, struct record_value value)
{
	const char *at = value.size ? value.bytes : "", *end = at + value.size, *zero;

	while (at < end && (zero = memchr(at, '\0', (size_t)(end - at)))) {
		text_add_bytes(text, at, (size_t)(zero - at));
		text_add(text, "\\x00");
		at = zero + 1;
	}
	text_add_bytes(text, at, (size_t)(end - at));
}

static void add_bool(struct text *text, struct record_value value)
{
	text_add(text, value.u ? "true" : "false");
}

static void add_address(struct text *text, struct record_value value)
{
	text_format(text, "0x%" PRIx64, value.u);
}

static const char *const type_names[RECORD_TYPE_COUNT] = {
	[RECORD_INT] = "int",       [RECORD_UINT] = "uint", [RECORD_DOUBLE] = "double",
	[RECORD_STRING] = "string", [RECORD_BOOL] = "bool", [RECORD_ADDRESS] = "address",
	[RECORD_TYPE] = "type",     [RECORD_BLOB] = "blob",
};

const char *record_type_name(enum record_type type)
{
	return (size_t)type < RECORD_TYPE_COUNT ? type_names[type] : "unknown";
}

static void add_type(struct text *text, struct record_value value)
{
	text_add(text, value.u < RECORD_TYPE_COUNT ? type_names[value.u] : "unknown");
}

static void add_blob(struct text *text, struct record_value value)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < value.size; i++) {
		unsigned char byte = (unsigned char)value.bytes[i];
		char two[2] = {digits[byte >> 4], digits[byte & 15]};

		text_add_bytes(text, two, 2);
	}
}

static void quote_value(struct text *text, struct record_value value)
{
	struct text plain = {0};

	record_value_text(&plain, value);
	text_add_json(text, plain.data ? plain.data : "");
	text_deinit(&plain);
}

/* JSON has no word for NaN and the infinities: they become strings. */
static void quote_double(struct text *text, struct record_value value)
{
	if (isfinite(value.d))
		add_double(text, value);
	else
		quote_value(text, value);
}

/* A string may hold zero bytes, which text_add_json takes for the end. */
static void quote_string(struct text *text, struct record_value value)
{
	struct text piece = {0};

	text_add(text, "\"");
	for (size_t at = 0; at < value.size;) {
		size_t length = strnlen(value.bytes + at, value.size - at);
		struct text plain = {0};

		text_add_bytes(&plain, value.bytes + at, length);
		piece.length = 0;
		text_add_json(&piece, plain.data);
		text_add_bytes(text, piece.data + 1, piece.length - 2);
		text_deinit(&plain);
		at += length;
		if (at < value.size) {
			text_add(text, "\\u0000");
			at++;
		}
	}
	text_add(text, "\"");
	text_deinit(&piece);
}

static const struct {
	void (*text)(struct text *text, struct record_value value);
	void (*json)(struct text *text, struct record_value value);
} forms[RECORD_TYPE_COUNT] = {
	[RECORD_INT] = {add_int, add_int},
	[RECORD_UINT] = {add_uint, add_uint},
	[RECORD_DOUBLE] = {add_double, quote_double},
	[RECORD_STRING] = {add_string, quote_string},
	[RECORD_BOOL] = {add_bool, add_bool},
	[RECORD_ADDRESS] = {add_address, quote_value},
	[RECORD_TYPE] = {add_type, quote_value},
	[RECORD_BLOB] = {add_blob, quote_value},
};

void record_value_text(struct text *text, struct record_value value)
{
	forms[value.type].text(text, value);
}

void record_value_json(struct text *text, struct record_value value)
{
	forms[value.type].json(text, value);
}
