/*
 * Writing JSON (RFC 8259). A comma stands in front of all members but the first.
 */
#ifndef TRAMMEL_BASE_JSON_WRITE_H
#define TRAMMEL_BASE_JSON_WRITE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds a member's name and the colon; its value is to follow. */
void json_add_key(struct text *out, const char *key);
/* Adds a string member. */
void json_add_text(struct text *out, const char *key, const char *value);
/* Adds a string member; nothing if the value is empty. */
void json_add_string(struct text *out, const char *key, const char *value);
void json_add_number(struct text *out, const char *key, uint64_t value);
void json_add_boolean(struct text *out, const char *key, bool value);
/* Adds a member with an address in hexadecimal digits, as a string. */
void json_add_address(struct text *out, const char *key, uint64_t address);

/* Begins an object of a list, each on a line of its own. `out` ends with the list, or is
 * to be put behind its bracket and empty before the first. */
void json_begin_item(struct text *out);
/* Begins a list, as a member on a line of its own. */
void json_begin_list(struct text *out, const char *key);

#endif
