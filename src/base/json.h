/*
 * Reading JSON (RFC 8259) from memory, value by value: nothing is built, and no memory
 * taken. Takes any bytes.
 */
#ifndef TRAMMEL_BASE_JSON_H
#define TRAMMEL_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* A position in a text; at `end` after a syntax error. */
struct json {
	const char *at, *end;
	const char *wrong; /* where the first syntax error is; NULL: none so far */
};

enum json_kind {
	JSON_NONE, /* the end, or no value */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER, /* or a word that is none of these */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

/* Bytes of the text: a number or word, or what is between a string's quotes. */
struct json_raw {
	const char *at;
	size_t length;
};

/* Says that the text makes no sense from the next value on. */
void json_fail(struct json *json);

/* Returns the kind of the next value. */
enum json_kind json_peek(struct json *json);

/*
 * Goes to the first or the next item of an array or object, which json_peek called so;
 * false at its end, which is then behind. `count` is 0 before the first call. In an
 * object `ret_name` gets the member's name (may be NULL).
 */
bool json_next(struct json *json, struct json_raw *ret_name, size_t *count, bool object);

/* Skips the next value of any kind. */
void json_skip(struct json *json);

/* Reads the next value, a number or a word. */
struct json_raw json_word(struct json *json);

/* Reads the next value, which must be a string. json_unescape() makes it what it means.
 */
struct json_raw json_string(struct json *json);

/*
 * Writes what a string means to `to`, which has room for as many bytes as it has: halves
 * of a surrogate pair that stand alone, and zeros, become U+FFFD. Returns the end of what
 * is written. If an escape makes no sense, `json` is wrong from there on.
 */
char *json_unescape(struct json *json, struct json_raw string, char *to);

#endif
