/*
 * Names of any bytes as text of PostgreSQL, which is UTF-8. A byte that is no part of
 * UTF-8 becomes the private character U+10FF00 + byte; so do the bytes of these
 * characters themselves. All other text is as it is.
 */
#ifndef TRAMMEL_STORE_SQL_PG_TEXT_H
#define TRAMMEL_STORE_SQL_PG_TEXT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds bytes as text. */
void pg_text_encode(const char *bytes, size_t size, struct text *ret_text);

/* Tells whether a text has characters that stand for bytes; adds the bytes that it is. */
bool pg_text_is_encoded(const char *text);
void pg_text_decode(const char *text, struct text *ret_bytes);

#endif
