/*
 * Reading JSON (RFC 8259) from memory, value by value: nothing is built. Takes any bytes.
 */
#ifndef TRAMMEL_RECORD_JSON_H
#define TRAMMEL_RECORD_JSON_H

#include "base/text.h"

#include <stdint.h>

/* A place in a text. Behind the first thing that makes no sense it is at `end`. */
struct json {
	const char *at, *end;
	bool wrong;
};

enum json_kind {
	JSON_NONE, /* the end, or no value */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

/* Returns the kind of the next value. */
enum json_kind json_peek(struct json *json);

/*
 * Goes to the first or the next item of an array or object, which json_peek called so;
 * false at its end, which is then behind. `count` is 0 before the first call. In an
 * object `name` gets the member's name (may be NULL).
 */
bool json_next(struct json *json, struct text *name, size_t *count, bool object);

/* Skips the next value of any kind. */
void json_skip(struct json *json);

/* Replaces the text by the next value, which must be a string, and goes behind it. */
void json_string(struct json *json, struct text *ret_text);

/* Reads the next value, a number or a word, as raw text; returns its size in bytes. */
size_t json_word(struct json *json, const char **ret_word);

#endif
