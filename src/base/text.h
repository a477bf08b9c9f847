/*
 * Text: a growing string, shell globs, and quoting for JSON.
 */
#ifndef TRAMMEL_BASE_TEXT_H
#define TRAMMEL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A growing string, always terminated once something was added. All-zero is empty. */
struct text {
	char *data; /* NULL while empty */
	size_t length;
	size_t capacity;
};

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a JSON string literal, quotes included. Bytes that are not UTF-8 become U+FFFD. */
void text_add_json(struct text *text, const char *string);

/* A pointer behind the text, with room for `more` bytes. text_grow then makes what was
 * written up to `end` a part of the text. */
char *text_room(struct text *text, size_t more);
static inline void text_grow(struct text *text, const char *end)
{
	text->length = (size_t)(end - text->data);
	text->data[text->length] = '\0';
}

void text_deinit(struct text *text);

/* Adds 1234567 as "1,234,567". */
void text_add_grouped(struct text *text, unsigned long long number);

/* Prints each line of `text` to standard error, as a warning of `program`. */
void text_print_warnings(const struct text *text, const char *program);

/* The value of a hexadecimal digit; -1 if it is none. */
static inline int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Adds the line of `string` that contains offset `place`, and a line with "^" below it.
 */
void text_add_place(const char *string, size_t place, struct text *ret_text);

/* Whether `name` matches the shell glob `pattern` (`*`, `?`, `[a-z]`, `[!a]`, `\x`).
 * `*` also matches slashes and colons. */
bool text_glob(const char *pattern, const char *name);

/* Edit distance of two words (Levenshtein), for "did you mean". */
size_t text_distance(const char *a, const char *b);

/* Whether `typed` is likely to be `name` with letters wrong: at most two, and at most one
 * in three. */
bool text_is_near(const char *typed, const char *name);

/* Returns whichever of `name` and `nearest` is nearer to `typed`, `nearest` if both are
 * as near; NULL for that is none yet. */
const char *text_nearer(const char *typed, const char *name, const char *nearest);

#endif
